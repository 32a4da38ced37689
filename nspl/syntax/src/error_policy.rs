//! `ON MESSAGE ERROR ...` and `ON GENERAL ERROR ...` (companion section 6). Both are required wherever they may stand.

use crate::assignment::Assignment;
use crate::name::Name;
use crate::span::Span;

/// What happens to a record that fails.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessagePolicy {
    /// Which policy.
    pub kind: MessagePolicyKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of ON MESSAGE ERROR.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessagePolicyKind {
    /// `IGNORE`
    Ignore,
    /// `LOG`
    Log,
    /// `SEND TO relay [SET f = e, ...]`
    SendTo {
        /// The error relay.
        relay: Name,
        /// How the error record is built; empty without SET.
        set: Vec<Assignment>,
    },
}

/// What happens to a failure that belongs to no record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GeneralPolicy {
    /// Which policy.
    pub kind: GeneralPolicyKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of ON GENERAL ERROR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GeneralPolicyKind {
    /// `IGNORE`
    Ignore,
    /// `LOG`
    Log,
}
