//! What extension workers may use.

use std::num::NonZeroUsize;
use std::time::Duration;

/// How long a step may run when nobody says otherwise.
pub const STEP_TIME_DEFAULT: Duration = Duration::from_secs(10);

/// How much memory a process may take for its jobs when nobody says otherwise.
pub const MEMORY_BYTES_DEFAULT: u64 = 512 << 20;

/// Jobs that wait, for each process.
const WAITING_PER_WORKER: usize = 4;

/// Lines about processes that were ended at a limit, in [`STOPPED_PERIOD`] at most; what is passed over is counted.
pub const STOPPED_LINES_MAX: u32 = 8;

/// See [`STOPPED_LINES_MAX`].
pub const STOPPED_PERIOD: Duration = Duration::from_secs(10);

/// The limits of one node.
#[derive(Debug, Clone)]
pub struct ExtensionLimits {
    /// Processes at once.
    pub workers: NonZeroUsize,
    /// Jobs that wait for a process; one more is refused.
    pub waiting: usize,
    /// How long one step of a job may run: the program over one record, one batch or one payload.
    pub step_time: Duration,
    /// Bytes of address space that a process may take beyond what it has when it starts.
    pub memory_bytes: u64,
}

impl ExtensionLimits {
    /// So many processes, and otherwise what holds when nobody says otherwise.
    pub fn of_workers(workers: NonZeroUsize) -> Self {
        Self {
            workers,
            waiting: workers.get() * WAITING_PER_WORKER,
            step_time: STEP_TIME_DEFAULT,
            memory_bytes: MEMORY_BYTES_DEFAULT,
        }
    }
}

/// A process for each core.
impl Default for ExtensionLimits {
    fn default() -> Self {
        Self::of_workers(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}
