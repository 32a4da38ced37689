//! Statements about the nodes of a cluster: `CORDON|UNCORDON|DRAIN|DROP NODE n`.

use crate::name::ExternalName;

/// A node statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeStatement {
    /// What is done.
    pub action: NodeAction,
    /// The node; a name that is no identifier is quoted.
    pub node: ExternalName,
}

/// What is done with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeAction {
    /// `CORDON`
    Cordon,
    /// `UNCORDON`
    Uncordon,
    /// `DRAIN`
    Drain,
    /// `DROP`
    Drop,
}

impl NodeAction {
    /// Every action.
    pub const ALL: [Self; 4] = [Self::Cordon, Self::Uncordon, Self::Drain, Self::Drop];

    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cordon => "CORDON",
            Self::Uncordon => "UNCORDON",
            Self::Drain => "DRAIN",
            Self::Drop => "DROP",
        }
    }
}
