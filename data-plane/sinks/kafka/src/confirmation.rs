//! The wait for the answer to one attempt of one record.

use std::sync::Arc;
use std::time::Duration;

use nervix_clock::PhysicalClock;
use nervix_sink::{Failure, FailureKind, Outcome, PayloadId};
use tokio::sync::oneshot;

use crate::reports::{Answer, Reports};

/// What has to be known to wait.
#[derive(Debug, Clone)]
pub(crate) struct Awaiting {
    pub(crate) reports: Arc<Reports>,
    pub(crate) clock: PhysicalClock,
    /// How long a trouble that is known already is given to be over.
    pub(crate) grace: Duration,
}

impl Awaiting {
    /// The outcome of an attempt. While no broker can be used an attempt does not wait for ACK TIMEOUT, so that the cause is
    /// told and not the time-out; whatever comes later of the record is kept for its next attempt.
    pub(crate) async fn outcome(self, id: PayloadId, mut answer: Answer) -> Outcome {
        if self.reports.trouble().is_some() {
            match self.clock.timeout(self.grace, &mut answer).await {
                Ok(answered) => return self.taken(id, answered),
                Err(_) => {
                    if let Some(told) = self.reports.tell(id) {
                        return told;
                    }
                }
            }
        }
        let answered = answer.await;
        self.taken(id, answered)
    }

    fn taken(&self, id: PayloadId, answered: Result<Outcome, oneshot::error::RecvError>) -> Outcome {
        self.reports.heard(id);
        answered.unwrap_or_else(closed)
    }
}

/// The producer is gone with what it held.
fn closed(_: oneshot::error::RecvError) -> Outcome {
    Outcome::Unresolved(Failure::new(
        FailureKind::Unavailable,
        "the Kafka producer was closed before it reported on the record",
    ))
}
