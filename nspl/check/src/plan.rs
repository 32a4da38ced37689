//! What a script asks for, step by step, when nothing refuses it.

use std::ops::Range;
use std::sync::Arc;

use nspl_model::{EntityKey, EntityKind};

use crate::{Catalog, Change, ChangeClass, Snapshot};

/// The steps of a script in written order. Only a report without errors has a plan that may be carried out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// In written order.
    pub steps: Vec<PlannedStep>,
    /// The catalog after the last step.
    pub catalog: Catalog,
    /// The session's domain after the last step.
    pub domain: Option<String>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// Bytes of the text: one statement, or BEGIN to COMMIT.
    pub span: Range<usize>,
    /// What to do.
    pub action: Action,
}

/// What one step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// USE: the session's domain from here on.
    Use {
        /// It exists.
        domain: String,
    },
    /// One commit: a standalone model statement, BEGIN to COMMIT, or CREATE/DROP DOMAIN.
    Commit(Box<Transaction>),
    /// BEGIN to REVERT: judged, not kept.
    Revert,
    /// START.
    Start {
        /// Which domain.
        domain: String,
        /// From when on.
        at: StartAt,
        /// TIME RATE; paced domains only, a positive number.
        rate: Option<f64>,
    },
    /// STOP.
    Stop {
        /// Which domain.
        domain: String,
    },
    /// A reading statement.
    Read {
        /// The session's domain, which exists; `None` for statements that need none.
        domain: Option<String>,
        /// What to read.
        read: Read,
        /// What it reads: inside BEGIN the candidate so far.
        catalog: Snapshot,
    },
    /// UPLOAD RESOURCE.
    Upload {
        /// The session's domain.
        domain: String,
        /// The resource, which exists.
        resource: String,
        /// The folder as written, relative to the script's.
        folder: String,
    },
    /// CORDON, UNCORDON, DRAIN and DROP NODE.
    Node {
        /// What to do with it.
        verb: NodeVerb,
        /// The node's name, not judged here.
        node: String,
    },
}

/// When a domain's time starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartAt {
    /// START, or START AT NOW.
    Now,
    /// START AT '...': nanoseconds since the epoch, UTC.
    Instant(i64),
}

/// The reading statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// SHOW CREATE of something that exists.
    ShowCreate(EntityKey),
    /// SHOW of the plural of a kind.
    List(EntityKind),
    /// DESCRIBE of something that exists.
    Describe(EntityKey),
    /// DESCRIBE DOMAIN.
    DescribeDomain,
    /// SHOW CLUSTER STATUS.
    ClusterStatus,
}

/// What a node statement does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeVerb {
    /// CORDON NODE.
    Cordon,
    /// UNCORDON NODE.
    Uncordon,
    /// DRAIN NODE.
    Drain,
    /// DROP NODE.
    Drop,
}

/// One commit: the candidate replaces the catalog as a whole or not at all.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// Where all of it happens.
    pub domain: String,
    /// One per statement, in written order.
    pub outcomes: Vec<Outcome>,
    /// Every entity that is not the same afterwards, sorted by key; CREATE and DROP of one name are one change.
    pub changes: Vec<Change>,
    /// The greatest class among the changes.
    pub class: ChangeClass,
    /// The catalog after it.
    pub candidate: Catalog,
}

/// What one statement of a transaction comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What happened.
    pub verb: Verb,
    /// To what.
    pub key: EntityKey,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    /// CREATE of a new name.
    Created,
    /// IF NOT EXISTS of a name that exists: nothing.
    AlreadyExisted {
        /// Whether the statement says something else than the catalog.
        differs: bool,
    },
    /// ALTER.
    Altered,
    /// DROP.
    Dropped,
}

impl Verb {
    /// The word of the answer.
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Created => "created",
            Verb::AlreadyExisted { .. } => "already_existed",
            Verb::Altered => "altered",
            Verb::Dropped => "dropped",
        }
    }
}

impl Transaction {
    /// Names of the entities whose assignment changes: those that changed by themselves or by what they refer to.
    pub fn changed_keys(&self) -> impl Iterator<Item = &EntityKey> {
        self.changes.iter().map(|change| &change.key)
    }

    /// The entity after the commit.
    pub fn entity(&self, key: &EntityKey) -> Option<&Arc<crate::Entity>> {
        self.candidate.get(&self.domain, key)
    }
}
