//! Placement: which node executes the graph.
//!
//! Relays are memory of one node, so for now the whole graph is placed on one; placing entities apart, and following
//! nodes through the store when they are lost, finds its place here. The placement is stored: every control plane reads
//! the same, and it outlives restarts of both sides.

use nervix_store::StoreError;

use crate::{
    catalog::{Edit, LoadError, NodeRecord, Placement, State, node_key, placement_key},
    rollout::{Registration, Workers},
};

/// Attempts to store a registration beside commits of other control planes.
const ATTEMPTS_MAX: usize = 16;

/// Characters of a node's name.
const NODE_NAME_MAX: usize = 128;

/// Why a worker is not let in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegisterError {
    #[error(
        "a node's name has 1 to {NODE_NAME_MAX} of letters, digits, '.', '_' and '-': start the worker with another"
    )]
    Name,
    #[error("the registration could not be stored: {0}")]
    Load(#[from] LoadError),
}

/// Stores what a worker says of itself, and places the graph on it when no other node has it.
pub(crate) async fn register(
    workers: &Workers,
    registration: &Registration,
    control_address: &str,
) -> Result<(), RegisterError> {
    if !is_node_name(&registration.node) {
        return Err(RegisterError::Name);
    }
    let changing = workers.catalog().beside();
    let mut state = workers.catalog().state();
    for _ in 0..ATTEMPTS_MAX {
        let edit = registered(&state, registration, control_address);
        match changing.commit(&state, edit).await {
            Err(LoadError::Store(StoreError::Conflict { .. })) => state = changing.catch_up().await?,
            other => return Ok(other.map(drop)?),
        }
    }
    Err(LoadError::Store(StoreError::Conflict {
        head: state.revision(),
    })
    .into())
}

fn is_node_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=NODE_NAME_MAX).contains(&name.len()) && name.chars().all(allowed)
}

/// What changes when a node registers; nothing when it says what it said before.
fn registered(state: &State, registration: &Registration, control_address: &str) -> Edit {
    let node = &registration.node;
    let before = state.nodes.get(node);
    let record = NodeRecord {
        flight_address: registration.flight_address.clone(),
        kinds: registration.kinds.clone(),
        flight_message_bytes_max: registration.flight_message_bytes_max,
        control_address: control_address.into(),
        cordoned: before.is_some_and(|before| before.cordoned),
    };
    let mut edit = Edit::default();
    if before != Some(&record) {
        edit.put(node_key(node), record.write());
    }
    if state.placement.is_none() && !record.cordoned {
        edit.put(placement_key(), Placement::write(node));
    }
    edit
}

/// Moves the graph to another attached node when its own is gone, until `stopping` resolves.
///
/// Only a control plane that the node was attached to, or one that has the store for itself, can tell that it is gone.
pub(crate) async fn keep_placed(
    workers: Workers,
    control_address: String,
    stopping: impl Future<Output = ()>,
) {
    let mut stopping = std::pin::pin!(stopping);
    let mut states = workers.catalog().subscribe();
    let mut attached = workers.subscribe();
    loop {
        let state = std::sync::Arc::clone(&states.borrow_and_update());
        attached.mark_unchanged();
        let owner = state.placement.as_ref().map(|placement| placement.node.clone());
        let away = owner.filter(|node| workers.session(node).is_none());
        let gone = async {
            match &away {
                Some(node) => workers.until_gone(node).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = &mut stopping => return,
            changed = states.changed() => if changed.is_err() { return },
            changed = attached.changed() => if changed.is_err() { return },
            () = gone => {
                if let Err(error) = move_graph(&workers, &control_address).await {
                    tracing::warn!(%error, "the graph could not be placed on another node");
                }
                tokio::select! {
                    () = &mut stopping => return,
                    changed = attached.changed() => if changed.is_err() { return },
                    changed = states.changed() => if changed.is_err() { return },
                }
            }
        }
    }
}

async fn move_graph(workers: &Workers, control_address: &str) -> Result<(), LoadError> {
    let changing = workers.catalog().beside();
    let state = workers.catalog().state();
    let Some(placement) = &state.placement else {
        return Ok(());
    };
    let alone = !workers.catalog().store().is_shared();
    let ours = match state.nodes.get(&placement.node) {
        Some(node) => alone || node.control_address == control_address,
        None => true,
    };
    let candidate = state
        .nodes
        .iter()
        .find(|(name, node)| !node.cordoned && workers.session(name).is_some());
    match candidate {
        Some((node, _)) if ours && workers.is_gone(&placement.node) => {
            let mut edit = Edit::default();
            edit.put(placement_key(), Placement::write(node));
            changing.commit(&state, edit).await.map(drop)
        }
        _ => Ok(()),
    }
}
