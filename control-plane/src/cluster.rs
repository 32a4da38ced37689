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
    /// The nodes that the control plane at `address` knows, as that one sees them; `None` when it does not answer.
    fn nodes<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Option<Vec<Seen>>>;
}

/// A node as its control plane sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) state: NodeState,
    pub(crate) applied_revision: u64,
    pub(crate) last_seen_s: f64,
}

/// What the control planes at these addresses answered.
type Answers<'a> = BTreeMap<&'a str, Option<Vec<Seen>>>;

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

    /// The state of a word; one that is not known tells nothing.
    pub(crate) fn of_word(word: &str) -> Self {
        let known = [Self::Connected, Self::Lost];
        let named = known.into_iter().find(|state| state.word() == word);
        named.unwrap_or(Self::Elsewhere)
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
            .map(|(_, record)| record.control_plane.address.as_str())
            .collect();
        let asked = elsewhere.into_iter().map(|address| async move {
            let seen = self.others.nodes(address).await;
            (address, seen)
        });
        let answers: Answers<'_> = join_all(asked).await.into_iter().collect();
        self.statuses(state, &answers)
    }

    /// All known nodes, with no question to anybody: what is attached to others is [`NodeState::Elsewhere`].
    pub(crate) fn own_nodes(&self, state: &State) -> Vec<NodeStatus> {
        self.statuses(state, &Answers::new())
    }

    /// The nodes that are attached to some control plane.
    pub(crate) async fn attached(&self, state: &State) -> BTreeSet<String> {
        let nodes = self.nodes(state).await;
        let there = nodes
            .into_iter()
            .filter(|node| node.state == NodeState::Connected);
        there.map(|node| node.name).collect()
    }

    fn statuses(&self, state: &State, answers: &Answers<'_>) -> Vec<NodeStatus> {
        let statuses = state
            .nodes
            .iter()
            .map(|(name, record)| status(state, record, self.seen(name, record, answers)));
        statuses.collect()
    }

    fn seen(&self, name: &str, record: &NodeRecord, answers: &Answers<'_>) -> Seen {
        let unseen = |state| Seen {
            name: name.into(),
            state,
            applied_revision: 0,
            last_seen_s: 0.0,
        };
        if let Some(session) = self.workers.session(name) {
            return Seen {
                applied_revision: session.applied_revision(),
                last_seen_s: session.last_seen_s(),
                ..unseen(NodeState::Connected)
            };
        }
        if self.workers.is_ours(record) {
            return unseen(NodeState::Lost);
        }
        match answers.get(record.control_plane.address.as_str()) {
            Some(Some(nodes)) => match nodes.iter().find(|seen| seen.name == name) {
                Some(seen) => seen.clone(),
                None => unseen(NodeState::Elsewhere),
            },
            _ => unseen(NodeState::Elsewhere),
        }
    }
}

fn status(state: &State, record: &NodeRecord, seen: Seen) -> NodeStatus {
    let owner = state.placement.as_ref().map(|placement| &placement.node);
    NodeStatus {
        flight_address: record.flight_address.clone(),
        state: seen.state,
        kinds: record.kinds.iter().cloned().collect(),
        applied_revision: seen.applied_revision,
        last_seen_s: seen.last_seen_s,
        cordoned: record.cordoned,
        executes: owner == Some(&seen.name),
        name: seen.name,
    }
}
