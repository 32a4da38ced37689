//! Tree to canonical text (SHOW CREATE).
//!
//! Every construct prints itself through [`Print`]; this file owns lines, indentation and the masking of secrets.
//! The canonical form is multi-line where a statement has clauses, keywords in upper case, strings in single quotes.

use crate::statement::Statement;
use crate::token::is_identifier;

/// The canonical text of a statement, `;` included, secrets as they are: `parse(print(x)) == x`.
#[must_use]
pub fn print(statement: &Statement) -> String {
    print_with(statement, false)
}

/// The canonical text of a statement with every secret of CONFIG shown as `'***'` (rulings section 8).
#[must_use]
pub fn print_masked(statement: &Statement) -> String {
    print_with(statement, true)
}

fn print_with(statement: &Statement, masked: bool) -> String {
    let mut printer = Printer {
        out: String::new(),
        masked,
    };
    statement.print(&mut printer);
    printer.put(";");
    printer.out
}

/// A construct with a canonical text.
pub(crate) trait Print {
    /// Writes it at the end of what the printer holds.
    fn print(&self, printer: &mut Printer);
}

/// Text under construction.
#[derive(Debug, Default)]
pub(crate) struct Printer {
    out: String,
    masked: bool,
}

impl Printer {
    /// Whether secrets are to be masked.
    pub(crate) const fn masked(&self) -> bool {
        self.masked
    }

    /// Writes as is.
    pub(crate) fn put(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    /// Writes a construct.
    pub(crate) fn node(&mut self, node: &impl Print) -> &mut Self {
        node.print(self);
        self
    }

    /// Begins a line that is indented by `columns`.
    pub(crate) fn line(&mut self, columns: usize) -> &mut Self {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', columns));
        self
    }

    /// Writes a clause on a line of its own where it is there.
    pub(crate) fn clause<T: Print>(&mut self, columns: usize, clause: Option<&T>) -> &mut Self {
        if let Some(clause) = clause {
            self.line(columns).node(clause);
        }
        self
    }

    /// Writes items with `, ` between them.
    pub(crate) fn list<T: Print>(&mut self, items: &[T]) -> &mut Self {
        for (index, item) in items.iter().enumerate() {
            self.put(if index > 0 { ", " } else { "" }).node(item);
        }
        self
    }

    /// Writes items one a line, the later ones indented by `columns`.
    pub(crate) fn column<T: Print>(&mut self, columns: usize, items: &[T]) -> &mut Self {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(",").line(columns);
            }
            self.node(item);
        }
        self
    }

    /// Writes items between two marks, one a line, the closing mark indented by `columns`.
    pub(crate) fn block<T: Print>(
        &mut self,
        (open, close): (&str, &str),
        columns: usize,
        items: &[T],
    ) -> &mut Self {
        self.put(open);
        if !items.is_empty() {
            self.line(columns + 2).column(columns + 2, items).line(columns);
        }
        self.put(close)
    }

    /// Writes a string literal.
    pub(crate) fn quoted(&mut self, value: &str) -> &mut Self {
        self.out.push('\'');
        self.out.push_str(&value.replace('\'', "''"));
        self.out.push('\'');
        self
    }

    /// Writes an external name: bare where it lexes as an identifier.
    pub(crate) fn external(&mut self, name: &str) -> &mut Self {
        if is_identifier(name) {
            self.put(name)
        } else {
            self.quoted(name)
        }
    }

    /// The text of one construct on its own.
    pub(crate) fn text_of(node: &impl Print) -> String {
        let mut printer = Self::default();
        node.print(&mut printer);
        printer.out
    }
}

/// Gives nodes a public `Display` that is their canonical text.
macro_rules! display {
    ($($node:ty),+ $(,)?) => {$(
        impl std::fmt::Display for $node {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&$crate::printer::Printer::text_of(self))
            }
        }
    )+};
}
pub(crate) use display;
