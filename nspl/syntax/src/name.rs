//! Names: identifiers of the language and names that belong to outside systems (companion section 1).
//!
//! Identifiers are case-sensitive and may spell any keyword. An external name (topic, queue, channel, subject,
//! table, collection, consumer group) is written bare where it lexes as an identifier and quoted otherwise.

use crate::printer::{Print, Printer, display};
use crate::span::Span;
use std::ops::Range;

/// An identifier: the name of an entity, a field or a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The identifier as written; names of functions and scopes are in lower case.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// The name of something in an outside system, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternalName {
    /// The name itself.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A string literal, without its quotes and with doubled quotes undone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// The value of the literal.
    pub value: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

impl Name {
    /// A name that stands nowhere, for trees built by a program.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            span: Span::default(),
        }
    }
}

impl ExternalName {
    /// An external name that stands nowhere, for trees built by a program.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            span: Span::default(),
        }
    }
}

impl Text {
    /// A literal that stands nowhere, for trees built by a program.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            span: Span::default(),
        }
    }

    /// Where bytes of the value stand in the script, never empty. The literal does not keep which quotes it has: where
    /// doubled quotes could be of either kind, the place covers both readings.
    #[must_use]
    pub fn place(&self, bytes: Range<usize>) -> Span {
        let written = self.span.end.saturating_sub(self.span.start).saturating_sub(2);
        let doubled = written.saturating_sub(self.value.len());
        let quotes = ['\'', '"']
            .into_iter()
            .filter(|quote| doubled == 0 || self.value.matches(*quote).count() == doubled);
        let at = |offset: usize, quote: char| {
            let before = self.value.get(..offset).unwrap_or(&self.value);
            let extra = if doubled == 0 {
                0
            } else {
                before.matches(quote).count()
            };
            self.span.start + 1 + before.len() + extra
        };
        let places = quotes.map(|quote| {
            let start = at(bytes.start, quote);
            Span::new(start, at(bytes.end, quote).max(start + 1))
        });
        places.reduce(Span::to).unwrap_or(self.span)
    }
}

impl Print for Name {
    fn print(&self, printer: &mut Printer) {
        printer.put(&self.text);
    }
}

impl Print for ExternalName {
    fn print(&self, printer: &mut Printer) {
        printer.external(&self.text);
    }
}

impl Print for Text {
    fn print(&self, printer: &mut Printer) {
        printer.quoted(&self.value);
    }
}

display!(Name, ExternalName, Text);

#[cfg(test)]
mod tests {
    use super::Text;
    use crate::span::Span;

    #[test]
    fn a_place_in_a_literal_counts_its_doubled_quotes() {
        let text = |script: &str, value: &str| Text {
            value: value.to_owned(),
            span: Span::new(0, script.len()),
        };
        let cases = [
            ("'abc'", "abc", 1..2, "b"),
            ("'a''b c'", "a'b c", 4..5, "c"),
            ("\"a''b c\"", "a''b c", 5..6, "c"),
            ("\"a\"\"b 'c\"", "a\"b 'c", 5..6, "c"),
            ("'abc'", "abc", 3..3, "'"),
            ("'ä b'", "ä b", 3..4, "b"),
        ];
        for (script, value, bytes, found) in cases {
            let place = text(script, value).place(bytes);
            assert_eq!(script.get(place.range()), Some(found), "{script}");
        }
        // Both quotes once, one of them doubled: which one is not known.
        let place = text("'a''b\"c'", "a'b\"c").place(4..5);
        assert_eq!("'a''b\"c'".get(place.range()), Some("c"));
    }
}
