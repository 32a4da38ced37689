//! `ON CONFLICT [("a", ...)] DO UPDATE | DO NOTHING` of the databases that have it.

use crate::name::Text;
use crate::span::Span;

/// What an insert does when the row is already there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The target columns; empty without a list.
    pub targets: Vec<Text>,
    /// What happens.
    pub action: ConflictAction,
    /// Where the clause stands.
    pub span: Span,
}

/// The actions of ON CONFLICT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictAction {
    /// `DO UPDATE`
    Update,
    /// `DO NOTHING`
    Nothing,
}
