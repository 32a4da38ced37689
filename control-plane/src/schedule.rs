//! Placement: which node executes the graph.
//!
//! Relays are memory of one node, so the whole graph is placed on one. The placement is stored: every control plane reads
//! the same, and it outlives restarts of both sides.

mod fit;

use std::time::Duration;

use nervix_store::StoreError;

use crate::{
    catalog::{Edit, Identity, LoadError, NodeRecord, Placement, State, node_key, placement_key},
    cluster::Cluster,
    rollout::{Registration, Workers},
};

pub(crate) use fit::{candidate, fits};

/// Attempts to store a registration beside commits of other control planes.
const ATTEMPTS_MAX: usize = 16;

/// Characters of a node's name.
const NODE_NAME_MAX: usize = 128;

/// Bytes of the address of a worker's Flight.
const FLIGHT_ADDRESS_MAX: usize = 300;

/// Kinds of source and sink that a worker may say it runs.
const KINDS_MAX: usize = 256;

/// Bytes of one of them.
const KIND_MAX: usize = 64;

/// Until the graph is tried to be placed again; each further time takes twice as long, up to the most.
const AGAIN_FIRST: Duration = Duration::from_millis(500);
const AGAIN_MAX: Duration = Duration::from_secs(10);

/// Why a worker is not let in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegisterError {
    #[error(
        "a node's name has 1 to {NODE_NAME_MAX} of letters, digits, '.', '_' and '-': start the worker with another"
    )]
    Name,
    #[error("the address of a worker's Flight is host:port, of at most {FLIGHT_ADDRESS_MAX} bytes")]
    FlightAddress,
    #[error("a worker runs at most {KINDS_MAX} kinds, each of 1 to {KIND_MAX} capitals and blanks")]
    Kinds,
    #[error(
        "a worker named {node} is attached already, with its Flight at {flight_address}: give each its own name (--node)"
    )]
    Taken { node: String, flight_address: String },
    #[error("the registration could not be stored: {0}")]
    Load(#[from] LoadError),
}

impl Registration {
    /// Whether it may be stored, sent to others and kept.
    fn judge(&self) -> Result<(), RegisterError> {
        if !is_node_name(&self.node) {
            return Err(RegisterError::Name);
        }
        let address = &self.flight_address;
        if address.len() > FLIGHT_ADDRESS_MAX || !address.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(RegisterError::FlightAddress);
        }
        if self.kinds.len() > KINDS_MAX || !self.kinds.iter().all(|kind| is_kind(kind)) {
            return Err(RegisterError::Kinds);
        }
        Ok(())
    }
}

/// Stores what a worker says of itself, and places the graph on it when no other node has it.
pub(crate) async fn register(workers: &Workers, registration: &Registration) -> Result<(), RegisterError> {
    registration.judge()?;
    if let Some(session) = workers.session(&registration.node)
        && let Some(flight_address) = session.other_than(registration)
    {
        return Err(RegisterError::Taken {
            node: registration.node.clone(),
            flight_address: flight_address.to_owned(),
        });
    }
    let changing = workers.catalog().beside();
    let mut state = workers.catalog().state();
    // Before it is stored: whoever sees what was stored finds a worker that is coming, not one that is gone.
    workers.expect(&registration.node);
    for _ in 0..ATTEMPTS_MAX {
        let edit = registered(&state, registration, workers.identity());
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

fn is_kind(kind: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'_');
    (1..=KIND_MAX).contains(&kind.len()) && kind.bytes().all(allowed)
}

/// What changes when a node registers; nothing when it says what it said before.
fn registered(state: &State, registration: &Registration, control_plane: &Identity) -> Edit {
    let node = &registration.node;
    let before = state.nodes.get(node);
    let record = NodeRecord {
        flight_address: registration.flight_address.clone(),
        kinds: registration.kinds.clone(),
        flight_message_bytes_max: registration.flight_message_bytes_max,
        control_plane: control_plane.clone(),
        cordoned: before.is_some_and(|before| before.cordoned),
    };
    let mut edit = Edit::default();
    if before != Some(&record) {
        edit.put(node_key(node), record.write());
    }
    if state.placement.is_none() && !record.cordoned && fits(state, &record) {
        edit.put(placement_key(), Placement::write(node));
    }
    edit
}

/// Places the graph where no node has it, and moves it to another attached node when its own is gone, until `stopping`
/// resolves.
///
/// Only a control plane that the node was attached to, or one that has the store for itself, can tell that it is gone.
pub(crate) async fn keep_placed(cluster: Cluster, stopping: impl Future<Output = ()>) {
    let mut stopping = std::pin::pin!(stopping);
    let workers = cluster.workers();
    let mut states = workers.catalog().subscribe();
    let mut attached = workers.subscribe();
    let mut again = AGAIN_FIRST;
    loop {
        let state = std::sync::Arc::clone(&states.borrow_and_update());
        attached.mark_unchanged();
        let vacant = async {
            match &state.placement {
                None => {}
                Some(placement) if workers.session(&placement.node).is_some() => std::future::pending().await,
                Some(placement) => workers.until_gone(&placement.node).await,
            }
        };
        tokio::select! {
            () = &mut stopping => return,
            changed = states.changed() => if changed.is_err() { return },
            changed = attached.changed() => if changed.is_err() { return },
            () = vacant => {
                let placed = place(&cluster).await;
                let (is_done, wait) = (placed.is_done(), again);
                let pause = async move {
                    if is_done {
                        std::future::pending().await
                    } else {
                        workers.clock().sleep(wait).await;
                    }
                };
                tokio::select! {
                    () = &mut stopping => return,
                    changed = attached.changed() => if changed.is_err() { return },
                    changed = states.changed() => if changed.is_err() { return },
                    () = pause => again = again.saturating_mul(2).min(AGAIN_MAX),
                }
                if is_done {
                    again = AGAIN_FIRST;
                }
            }
        }
    }
}

/// What came of placing the graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Placed {
    /// It is placed, or it is for others to place it, or what is missing makes itself known here.
    Done,
    /// The store refused it, or a node that could take it may have come to another control plane.
    NotYet,
}

impl Placed {
    fn is_done(self) -> bool {
        self == Self::Done
    }
}

async fn place(cluster: &Cluster) -> Placed {
    let workers = cluster.workers();
    let changing = workers.catalog().beside();
    let state = workers.catalog().state();
    let vacant = match &state.placement {
        Some(placement) => workers.is_gone(&state, &placement.node),
        None => true,
    };
    if !vacant {
        return Placed::Done;
    }
    let attached = cluster.attached(&state).await;
    let node = match candidate(&state, &attached) {
        Ok(node) => node,
        Err(unfit) => {
            if let Some(placement) = &state.placement {
                tracing::warn!(gone = placement.node, %unfit, "no node can take the graph");
            }
            let others = workers.catalog().store().is_shared();
            return if others { Placed::NotYet } else { Placed::Done };
        }
    };
    let mut edit = Edit::default();
    edit.put(placement_key(), Placement::write(&node));
    match changing.commit(&state, edit).await {
        Ok(_) => Placed::Done,
        Err(error) => {
            tracing::warn!(%error, "the graph could not be placed on another node; it is tried again");
            Placed::NotYet
        }
    }
}
