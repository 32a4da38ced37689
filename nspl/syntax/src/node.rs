//! Statements about the nodes of a cluster: `CORDON|UNCORDON|DRAIN|DROP NODE n`.

use crate::grammar::{Rule, choice_of, external_name, keyword};
use crate::name::ExternalName;
use crate::printer::{Print, Printer};
use chumsky::prelude::{Parser, choice};

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

pub(crate) fn rule<'t>() -> Rule<'t, NodeStatement> {
    let actions: Vec<_> = NodeAction::ALL
        .into_iter()
        .map(|action| choice_of(action.as_str(), action))
        .collect();
    let node = keyword("NODE").ignore_then(external_name("a node name"));
    choice(actions)
        .then(node)
        .map(|(action, node)| NodeStatement { action, node })
        .boxed()
}

impl Print for NodeStatement {
    fn print(&self, printer: &mut Printer) {
        printer.put(self.action.as_str()).put(" NODE ").node(&self.node);
    }
}
