//! CORDON, UNCORDON, DRAIN and DROP NODE.

use nspl::NodeVerb;

use super::{
    Changes,
    answer::{Refusal, code},
    script::StepError,
};
use crate::catalog::{Changing, Edit, NodeRecord, Placement, State, node_key, placement_key};
use crate::graph::in_drain_order;
use crate::schedule::{candidate, fits};

impl Changes {
    pub(super) async fn node(
        &self,
        changing: &Changing<'_>,
        verb: NodeVerb,
        node: &str,
    ) -> Result<String, StepError> {
        let base = changing.state();
        let record = base
            .nodes
            .get(node)
            .cloned()
            .ok_or_else(|| unknown(&base, node))?;
        let mut edit = Edit::default();
        let message = match verb {
            NodeVerb::Cordon => {
                edit.put(
                    node_key(node),
                    NodeRecord {
                        cordoned: true,
                        ..record
                    }
                    .write(),
                );
                format!("node {node} gets nothing new")
            }
            NodeVerb::Uncordon => {
                edit.put(
                    node_key(node),
                    NodeRecord {
                        cordoned: false,
                        ..record.clone()
                    }
                    .write(),
                );
                if base.placement.is_none() && fits(&base, &record) {
                    edit.put(placement_key(), Placement::write(node));
                }
                format!("node {node} may be used again")
            }
            NodeVerb::Drain => {
                edit.put(
                    node_key(node),
                    NodeRecord {
                        cordoned: true,
                        ..record
                    }
                    .write(),
                );
                return self.leave(changing, &base, node, edit).await;
            }
            NodeVerb::Drop => {
                let attached = self.cluster.attached(&base).await;
                if attached.contains(node) {
                    let message = format!("node {node} is attached");
                    return Err(Refusal::new(code::NODE, message)
                        .help("stop its worker first")
                        .into());
                }
                edit.delete(node_key(node));
                if executes(&base, node) {
                    match candidate(&base, &attached) {
                        Ok(other) => edit.put(placement_key(), Placement::write(&other)),
                        Err(_) => edit.delete(placement_key()),
                    }
                }
                format!("node {node} dropped")
            }
        };
        let state = self.store(changing, &base, edit).await?;
        self.rolled_out(&state).await;
        Ok(message)
    }

    /// Cordons a node and moves what it executes to another attached one, drained first.
    async fn leave(
        &self,
        changing: &Changing<'_>,
        base: &State,
        node: &str,
        mut edit: Edit,
    ) -> Result<String, StepError> {
        if !executes(base, node) {
            self.store(changing, base, edit).await?;
            return Ok(format!("node {node} executes nothing and gets nothing new"));
        }
        let mut attached = self.cluster.attached(base).await;
        attached.remove(node);
        let other = candidate(base, &attached).map_err(|unfit| {
            let message = format!("no other node can take what {node} executes: {unfit}");
            let help = if self.only_own_worker {
                "no other worker can attach to this one process: STOP the domains instead"
            } else {
                "start another worker first, or STOP the domains"
            };
            Refusal::new(code::NODE, message).help(help)
        })?;
        edit.put(placement_key(), Placement::write(&other));
        let executed = base.executed().map(|(entity, _)| entity.clone());
        let running = executed
            .filter(|entity| base.run(&entity.domain).running)
            .collect();
        let drained = self.drain(in_drain_order(running, &base.catalog)).await?;
        let stored = self.store(changing, base, edit).await;
        if let Some(drained) = drained {
            drained.let_go().await;
        }
        let state = stored?;
        self.rolled_out(&state).await;
        Ok(format!("what node {node} executed moves to {other}"))
    }
}

fn executes(state: &State, node: &str) -> bool {
    state
        .placement
        .as_ref()
        .is_some_and(|placement| placement.node == node)
}

fn unknown(state: &State, node: &str) -> Refusal {
    let known: Vec<_> = state.nodes.keys().map(String::as_str).collect();
    let known = if known.is_empty() {
        "none".into()
    } else {
        known.join(", ")
    };
    Refusal::new(code::NODE, format!("there is no node {node}")).help(format!("known nodes: {known}"))
}
