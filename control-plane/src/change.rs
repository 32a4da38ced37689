//! Carrying out scripts: check, drain, commit, roll out.
//!
//! A script is judged as a whole before anything of it runs. Each commit in it is drained first, then stored by
//! compare-and-swap; where another control plane was first, the rest of the script is judged again over the new head.
//! A drain that fails or outlasts its bound changes nothing and the old definition goes on (companion section 14).

mod answer;
mod commit;
mod judge;
mod node;
mod script;
mod start;
mod turns;
mod upload;

use std::{sync::Arc, time::Duration};

use nervix_clock::PhysicalClock;
use tokio::sync::{Mutex, Semaphore};

pub use answer::RUNTIME_CODES;
pub(crate) use answer::{Executed, Finding, Refusal, Status, StepResult, Table};
pub(crate) use judge::ReadFiles;
pub(crate) use script::{Caller, Script};
pub(crate) use turns::Turns;
pub(crate) use upload::{UPLOADS_MAX, Upload, UploadError};

use crate::{catalog::Catalog, cluster::Cluster, events::Events, metrics::Metrics, rollout::Workers};

/// Everything that a change needs; a clone is another handle of the same.
#[derive(Clone)]
pub(crate) struct Changes {
    pub(crate) catalog: Catalog,
    pub(crate) workers: Workers,
    pub(crate) cluster: Cluster,
    pub(crate) events: Events,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: PhysicalClock,
    pub(crate) drain_bound: Duration,
    /// What judgements read of resources; held while one of them needs it.
    pub(crate) files: Arc<Mutex<ReadFiles>>,
    /// What takes a processor for long takes one of these.
    pub(crate) turns: Turns,
    /// A place for each upload that is under way.
    pub(crate) uploads: Arc<Semaphore>,
    /// Whether a file that a CLIENT names has to be one of its mount.
    pub(crate) mounts_only: bool,
    /// Whether no other worker than the one of this process can attach.
    pub(crate) only_own_worker: bool,
}
