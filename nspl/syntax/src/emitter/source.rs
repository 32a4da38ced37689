//! One relay of an emitter's FROM list with its own predicate.

use crate::expression::Expr;
use crate::name::Name;
use crate::span::Span;

/// `relay [WHERE e]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The relay that is read.
    pub relay: Name,
    /// The predicate of this relay alone.
    pub filter: Option<Expr>,
    /// Where it stands.
    pub span: Span,
}
