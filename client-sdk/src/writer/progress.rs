//! What became of the batches of a writer, counted.

use tokio::sync::watch;

use super::ticket::Answer;
use crate::error::Error;

/// Refusals that are kept in full; the others are counted.
const REFUSALS_KEPT: usize = 100;

/// A batch that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedBatch {
    /// Its number: batches count from 0 in the order of the calls of `write`.
    pub batch: u64,
    /// A stable word, such as `validation`.
    pub code: String,
    /// A sentence with the number of rows of each fate.
    pub message: String,
}

/// The answers of a writer so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteReport {
    /// Batches answered DONE.
    pub batches_done: u64,
    /// Rows of those batches.
    pub rows_done: u64,
    /// Batches answered REFUSED.
    pub batches_refused: u64,
    /// Rows of those batches. Some of them may have been delivered: the message of each refusal counts them.
    pub rows_refused: u64,
    /// How often a batch was sent again.
    pub resends: u64,
    /// The first 100 refusals.
    pub refusals: Vec<RefusedBatch>,
}

impl WriteReport {
    /// Batches that have their answer.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.batches_done + self.batches_refused
    }

    pub(super) fn count(&mut self, batch: u64, rows: u64, answer: &Answer) {
        match answer {
            Answer::Done => {
                self.batches_done += 1;
                self.rows_done = self.rows_done.saturating_add(rows);
            }
            Answer::Refused { code, message } => {
                self.batches_refused += 1;
                self.rows_refused = self.rows_refused.saturating_add(rows);
                if self.refusals.len() < REFUSALS_KEPT {
                    self.refusals.push(RefusedBatch {
                        batch,
                        code: code.clone(),
                        message: message.clone(),
                    });
                }
            }
        }
    }
}

/// What the session tells the writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    pub(super) report: WriteReport,
    pub(super) trouble: Option<String>,
    pub(super) failure: Option<Error>,
}

/// How far a writer is, for another task to show.
#[derive(Clone, Debug)]
pub struct WriteMonitor {
    progress: watch::Receiver<Progress>,
}

impl WriteMonitor {
    pub(super) fn new(progress: watch::Receiver<Progress>) -> Self {
        WriteMonitor { progress }
    }

    /// As [`Writer::report`](super::Writer::report).
    #[must_use]
    pub fn report(&self) -> WriteReport {
        self.progress.borrow().report.clone()
    }

    /// As [`Writer::trouble`](super::Writer::trouble).
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.progress.borrow().trouble.clone()
    }

    /// Waits until report or trouble may have changed; false when the writer is gone.
    pub async fn changed(&mut self) -> bool {
        self.progress.changed().await.is_ok()
    }
}
