//! What control plane and worker say to one another, in types of this room.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use bytes::Bytes;

use crate::{
    catalog::{EntityRef, RunState},
    events::Event,
};

/// What a worker says of itself when it attaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registration {
    pub(crate) node: String,
    pub(crate) flight_address: String,
    pub(crate) kinds: BTreeSet<String>,
    pub(crate) flight_message_bytes_max: u64,
    /// The same as long as the worker runs; empty where it says none.
    pub(crate) instance: String,
}

/// To a worker.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToWorker {
    Assign(AssignStep),
    Drain {
        id: u64,
        entities: Vec<EntityRef>,
        bound: Duration,
    },
    Resume {
        id: u64,
    },
    Describe {
        id: u64,
        entity: EntityRef,
    },
}

/// One step of a worker from state to state, or one part of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct AssignStep {
    pub(crate) revision: u64,
    /// What is not in it is to be stopped.
    pub(crate) full: bool,
    pub(crate) domains: Vec<AssignedDomain>,
    pub(crate) removed_domains: Vec<Arc<str>>,
    pub(crate) assignments: Vec<Assigned>,
    pub(crate) removed: Vec<EntityRef>,
    /// Parts of the same step follow.
    pub(crate) more: bool,
    /// The Flight address of the node that executes the graph, when it is another one.
    pub(crate) moved_to: Option<String>,
}

/// A domain as its worker needs it.
#[derive(Clone, PartialEq)]
pub(crate) struct AssignedDomain {
    pub(crate) name: Arc<str>,
    pub(crate) statement: Arc<str>,
    pub(crate) run: RunState,
    pub(crate) fingerprint_key: Bytes,
}

impl fmt::Debug for AssignedDomain {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssignedDomain")
            .field("name", &self.name)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// An entity to execute.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Assigned {
    pub(crate) entity: EntityRef,
    pub(crate) generation: u64,
    /// What it refers to, then the entity itself.
    pub(crate) statements: Vec<Arc<str>>,
}

impl fmt::Debug for Assigned {
    /// Without the statements: they hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assigned")
            .field("entity", &self.entity)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

/// From a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FromWorker {
    Lease,
    Applied { revision: u64, failures: Vec<Failure> },
    Drained { id: u64, outcome: DrainOutcome },
    Described { id: u64, answer: Option<Described> },
    Event(Event),
}

/// What a worker could not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) entity: EntityRef,
    pub(crate) generation: u64,
    pub(crate) message: String,
}

/// What became of a drain; the error says why not.
pub(crate) type DrainOutcome = Result<(), String>;

/// What a worker says of an entity that it executes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) lines: Vec<Line>,
    /// Of an emitter, its numbers as they came; only the edge that hands them on reads them.
    pub(crate) emitter_status: Vec<u8>,
}

/// One line of DESCRIBE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl Line {
    pub(crate) fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
        }
    }
}
