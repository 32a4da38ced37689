//! `USING MATERIALIZED STATE r REQUIRED WAIT | REQUIRED SKIP | DEFAULT {...}` (companion section 2).

use crate::assignment::Map;
use crate::name::Name;
use crate::span::Span;

/// A materialized-state dependency.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dependency {
    /// The materialized relay.
    pub relay: Name,
    /// What happens while it has no state.
    pub policy: DependencyPolicy,
    /// Where the clause stands.
    pub span: Span,
}

/// What happens while a dependency has no state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DependencyPolicy {
    /// `REQUIRED WAIT`
    RequiredWait,
    /// `REQUIRED SKIP`
    RequiredSkip,
    /// `DEFAULT {...}`
    Default(Map),
}
