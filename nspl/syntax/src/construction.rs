//! Route-local construction: `INHERIT`, `SET`, `WHERE`, `INVOKE` in this order (emitters.txt "Codec-emitter
//! construction", rulings section 3).
//!
//! All four are optional here; which of them a route may or must have is the checker's rule.

use crate::assignment::Assignment;
use crate::assignment::assignments;
use crate::expression;
use crate::expression::{Call, Expr};
use crate::grammar::{HIDDEN, Rule, flag, keyword, keyword_as, list, located, name, quiet_symbol};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::span::Span;
use chumsky::prelude::{Parser, choice, group};

/// How a route builds its output record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Construction {
    /// The INHERIT clause.
    pub inherit: Option<Inherit>,
    /// The SET items in written order; empty without the clause.
    pub set: Vec<Assignment>,
    /// The route WHERE.
    pub filter: Option<Expr>,
    /// The INVOKE calls in written order; empty without the clause.
    pub invoke: Vec<Call>,
    /// Where the clauses stand; empty at the place they would stand when there are none.
    pub span: Span,
}

/// An INHERIT clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inherit {
    /// What is inherited.
    pub kind: InheritKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of INHERIT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InheritKind {
    /// `INHERIT ALL [EXCEPT a, b]`; `except` is empty without EXCEPT.
    All {
        /// The fields left out.
        except: Vec<Name>,
    },
    /// `INHERIT a, b LEAK SENSITIVE`, at least one field.
    Fields(Vec<InheritedField>),
}

/// One field of an INHERIT list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InheritedField {
    /// The field.
    pub name: Name,
    /// Whether LEAK SENSITIVE follows it.
    pub leak_sensitive: bool,
}

impl Construction {
    /// Whether no clause was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inherit.is_none() && self.set.is_empty() && self.filter.is_none() && self.invoke.is_empty()
    }
}

/// The label of a place for a field name.
const FIELD: &str = "a field name";

/// The construction of an emitter.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Construction> {
    with_invoke(expression, keyword("INVOKE"))
}

/// The construction of a route of an ingestor: INVOKE is read, so that it can be refused with the reason, but not offered.
pub(crate) fn route_rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Construction> {
    with_invoke(expression, keyword_as("INVOKE", HIDDEN))
}

fn with_invoke<'t>(expression: &Rule<'t, Expr>, invoke: Rule<'t, Span>) -> Rule<'t, Construction> {
    let clauses = group((
        inherit().or_not(),
        keyword("SET").ignore_then(assignments(expression)).or_not(),
        keyword("WHERE").ignore_then(expression.clone()).or_not(),
        invoke
            .ignore_then(list(expression::call::rule(expression)))
            .or_not(),
    ));
    located(clauses, |(inherit, set, filter, invoke), span| Construction {
        inherit,
        set: set.unwrap_or_default(),
        filter,
        invoke: invoke.unwrap_or_default(),
        span,
    })
}

fn inherit<'t>() -> Rule<'t, Inherit> {
    // `all` is a field where the list goes on behind it.
    let goes_on = choice((quiet_symbol(","), keyword("LEAK")));
    let all = keyword("ALL").then_ignore(goes_on.not());
    let except = keyword("EXCEPT").ignore_then(list(name(FIELD))).or_not();
    let all = all
        .ignore_then(except)
        .map(|except| InheritKind::All {
            except: except.unwrap_or_default(),
        })
        .boxed();
    let field = name(FIELD).then(flag("LEAK SENSITIVE"));
    let field = field
        .map(|(name, leak_sensitive)| InheritedField { name, leak_sensitive })
        .boxed();
    let fields = list(field).map(InheritKind::Fields).boxed();
    located(
        keyword("INHERIT").ignore_then(choice((all, fields))),
        |kind, span| Inherit { kind, span },
    )
}

impl Print for Inherit {
    fn print(&self, printer: &mut Printer) {
        printer.put("INHERIT ");
        match &self.kind {
            InheritKind::All { except } if except.is_empty() => printer.put("ALL"),
            InheritKind::All { except } => printer.put("ALL EXCEPT ").list(except),
            InheritKind::Fields(fields) => printer.list(fields),
        };
    }
}

impl Print for InheritedField {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.name).put(if self.leak_sensitive {
            " LEAK SENSITIVE"
        } else {
            ""
        });
    }
}

impl Construction {
    /// Prints the clauses, each on a line of its own indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        printer.clause(columns, self.inherit.as_ref());
        if !self.set.is_empty() {
            printer.line(columns).put("SET ").column(columns + 4, &self.set);
        }
        if let Some(filter) = &self.filter {
            printer.line(columns).put("WHERE ").node(filter);
        }
        if !self.invoke.is_empty() {
            printer
                .line(columns)
                .put("INVOKE ")
                .column(columns + 7, &self.invoke);
        }
    }
}
