//! What the control plane assigns, in the worker's own words.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use nervix_clock::{DomainClock, DomainTime, PhysicalClock, TimeRate, UtcTime};
use nspl_model::{EmitterDef, IngestorDef};

/// The kinds of entity that a worker executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ExecutedKind {
    Ingestor,
    Emitter,
}

impl ExecutedKind {
    /// The word of NSPL.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ingestor => "INGESTOR",
            Self::Emitter => "EMITTER",
        }
    }

    /// The kind of a word of NSPL.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        match word {
            "INGESTOR" => Some(Self::Ingestor),
            "EMITTER" => Some(Self::Emitter),
            _ => None,
        }
    }
}

/// An entity of a domain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EntityName {
    pub(crate) domain: Arc<str>,
    pub(crate) kind: ExecutedKind,
    pub(crate) name: Arc<str>,
}

impl EntityName {
    pub(crate) fn new(domain: &str, kind: ExecutedKind, name: &str) -> Self {
        Self {
            domain: domain.into(),
            kind,
            name: name.into(),
        }
    }

    #[cfg(test)]
    pub(crate) fn ingestor(domain: &str, name: &str) -> Self {
        Self::new(domain, ExecutedKind::Ingestor, name)
    }

    #[cfg(test)]
    pub(crate) fn emitter(domain: &str, name: &str) -> Self {
        Self::new(domain, ExecutedKind::Emitter, name)
    }
}

impl fmt::Display for EntityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of domain {}", self.kind.word(), self.name, self.domain)
    }
}

/// The straight line of a paced domain's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    pub(crate) started_at: UtcTime,
    pub(crate) start: DomainTime,
    pub(crate) rate: TimeRate,
}

/// A domain as assigned.
#[derive(Clone, PartialEq)]
pub(crate) struct DomainSpec {
    pub(crate) name: String,
    pub(crate) running: bool,
    pub(crate) run_generation: u64,
    pub(crate) fingerprint_key: [u8; 32],
    /// `None`: unpaced.
    pub(crate) pace: Option<Pace>,
}

impl DomainSpec {
    /// The clock of a run of the domain.
    pub(crate) fn clock(&self, physical: &PhysicalClock) -> DomainClock {
        match self.pace {
            None => DomainClock::unpaced(physical.clone()),
            Some(pace) => DomainClock::paced(physical.clone(), pace.start, pace.started_at, pace.rate),
        }
    }
}

impl fmt::Debug for DomainSpec {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DomainSpec")
            .field("name", &self.name)
            .field("running", &self.running)
            .field("run_generation", &self.run_generation)
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}

/// What DESCRIBE can ask of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// An entity that it executes.
    Entity(EntityName),
    /// A relay of a domain.
    Relay { domain: String, name: String },
    /// The node itself, as DESCRIBE DOMAIN shows it.
    Node,
}

/// What an entity is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Executed {
    Ingestor(Arc<IngestorDef>),
    Emitter(Arc<EmitterDef>),
}

/// An entity as assigned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EntitySpec {
    pub(crate) entity: EntityName,
    pub(crate) generation: u64,
    pub(crate) definition: Executed,
}

/// One step from one state to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChangeSet {
    /// The lists are the whole state: what is not in them is to be stopped.
    pub(crate) full: bool,
    pub(crate) domains: Vec<DomainSpec>,
    pub(crate) removed_domains: Vec<String>,
    pub(crate) entities: Vec<EntitySpec>,
    pub(crate) removed: Vec<EntityName>,
    /// Where the graph is executed, as host:port, while it is not here: what is taken away goes on there.
    pub(crate) moved_to: Option<Arc<str>>,
    /// Entities that are assigned but could not be read, and why; they stay as they are.
    pub(crate) unreadable: Vec<StartFailure>,
    /// Domains whose state could not be read, each with the reason; they and those of their entities that are still
    /// assigned stay as they are.
    pub(crate) unreadable_domains: BTreeMap<String, String>,
}

/// What could not be started, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartFailure {
    pub(crate) entity: EntityName,
    pub(crate) generation: u64,
    pub(crate) message: String,
}

/// How long an ingestor that is replaced or removed without a drain may take to empty its buffers, physical time.
pub(crate) const HANDOVER_BOUND: Duration = Duration::from_secs(5);
