//! Route-local construction: `INHERIT`, `SET`, `WHERE`, `INVOKE` in this order (emitters.txt "Codec-emitter
//! construction", rulings section 3).
//!
//! All four are optional here; which of them a route may or must have is the checker's rule.

use crate::assignment::Assignment;
use crate::expression::{Call, Expr};
use crate::name::Name;
use crate::span::Span;

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
