//! The nodes of the cluster, as they are seen from here: those of this control plane by its sessions, those that are
//! attached to another one by asking that one.
//!
//! Only the control plane that a node's record names can tell whether the node is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures::future::{BoxFuture, join_all};

use crate::{
    catalog::{NodeRecord, State},
    rollout::Workers,
};

/// The other control planes on the same store.
pub(crate) trait Others: Send + Sync {
    /// The nodes that are attached to the control plane at `address`; `None` when it does not answer.
    fn attached<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Option<Vec<Seen>>>;
}

/// A node that is attached to a control plane, as that one sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) applied_revision: u64,
    pub(crate) last_seen_s: f64,
}

/// Whether a node is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeState {
    Connected,
    Lost,
    /// The control plane that it attached to last does not answer.
    Elsewhere,
}

impl NodeState {
    /// The word of the API and of SHOW CLUSTER STATUS.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Lost => "lost",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// A node as SHOW CLUSTER STATUS shows it.
pub(crate) struct NodeStatus {
    pub(crate) name: String,
    pub(crate) flight_address: String,
    pub(crate) state: NodeState,
    pub(crate) kinds: Vec<String>,
    pub(crate) applied_revision: u64,
    pub(crate) last_seen_s: f64,
    pub(crate) cordoned: bool,
    pub(crate) executes: bool,
}

/// The nodes of all control planes; a clone is another handle of the same.
#[derive(Clone)]
pub(crate) struct Cluster {
    workers: Workers,
    others: Arc<dyn Others>,
}

impl Cluster {
    pub(crate) fn new(workers: Workers, others: Arc<dyn Others>) -> Self {
        Self { workers, others }
    }

    pub(crate) fn workers(&self) -> &Workers {
        &self.workers
    }

    /// All known nodes.
    pub(crate) async fn nodes(&self, state: &State) -> Vec<NodeStatus> {
        let elsewhere: BTreeSet<&str> = state
            .nodes
            .iter()
            .filter(|(name, record)| self.workers.session(name).is_none() && !self.workers.is_ours(record))
            .map(|(_, record)| record.control_address.as_str())
            .collect();
        let asked = elsewhere.into_iter().map(|address| async move {
            let seen = self.others.attached(address).await;
            (address, seen)
        });
        let answers: BTreeMap<&str, Option<Vec<Seen>>> = join_all(asked).await.into_iter().collect();
        let statuses = state.nodes.iter().map(|(name, record)| {
            let (found, seen) = self.found(name, record, &answers);
            status(state, (name, record), found, seen)
        });
        statuses.collect()
    }

    /// All known nodes, with no question to anybody: what is attached to others is [`NodeState::Elsewhere`].
    pub(crate) fn own_nodes(&self, state: &State) -> Vec<NodeStatus> {
        let statuses = state.nodes.iter().map(|(name, record)| {
            let (found, seen) = self.found(name, record, &BTreeMap::new());
            status(state, (name, record), found, seen)
        });
        statuses.collect()
    }

    /// The nodes that are attached to some control plane.
    pub(crate) async fn attached(&self, state: &State) -> BTreeSet<String> {
        let nodes = self.nodes(state).await;
        let there = nodes
            .into_iter()
            .filter(|node| node.state == NodeState::Connected);
        there.map(|node| node.name).collect()
    }

    fn found(
        &self,
        name: &str,
        record: &NodeRecord,
        answers: &BTreeMap<&str, Option<Vec<Seen>>>,
    ) -> (NodeState, Option<Seen>) {
        if let Some(session) = self.workers.session(name) {
            let seen = Seen {
                name: name.into(),
                applied_revision: session.applied_revision(),
                last_seen_s: session.last_seen_s(),
            };
            return (NodeState::Connected, Some(seen));
        }
        if self.workers.is_ours(record) {
            return (NodeState::Lost, None);
        }
        match answers.get(record.control_address.as_str()) {
            Some(Some(attached)) => match attached.iter().find(|seen| seen.name == name) {
                Some(seen) => (NodeState::Connected, Some(seen.clone())),
                None => (NodeState::Lost, None),
            },
            _ => (NodeState::Elsewhere, None),
        }
    }
}

fn status(
    state: &State,
    (name, record): (&String, &NodeRecord),
    found: NodeState,
    seen: Option<Seen>,
) -> NodeStatus {
    let owner = state.placement.as_ref().map(|placement| &placement.node);
    NodeStatus {
        name: name.clone(),
        flight_address: record.flight_address.clone(),
        state: found,
        kinds: record.kinds.iter().cloned().collect(),
        applied_revision: seen.as_ref().map_or(0, |seen| seen.applied_revision),
        last_seen_s: seen.as_ref().map_or(0.0, |seen| seen.last_seen_s),
        cordoned: record.cordoned,
        executes: owner == Some(name),
    }
}
