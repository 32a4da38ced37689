//! What others may ask of a running emitter.
//!
//! Invariant: a handle never blocks the emitter's task, and asking an emitter that has ended is answered, not awaited
//! for ever. Queues of commands are bounded by [`COMMANDS_MAX`].

use std::sync::Arc;

use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_sink::{RevokeReason, SessionWatch};
use nspl_model::Flush;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

use crate::counters::EmitterCounters;
use crate::live::Live;
use crate::status::EmitterStatus;

/// Commands that may wait for the emitter's task; who sends more waits.
pub(crate) const COMMANDS_MAX: usize = 16;

/// Something to do for the emitter's task.
pub(crate) enum Command {
    Kick,
    SetFlush(Flush),
    Drain(oneshot::Sender<()>),
    Stop(RevokeReason),
}

/// Asks a running emitter; cheap to clone.
#[derive(Clone)]
pub struct EmitterHandle {
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) live: Arc<Mutex<Live>>,
    pub(crate) counters: Arc<EmitterCounters>,
    pub(crate) watch: Option<Arc<dyn SessionWatch>>,
    pub(crate) clock: PhysicalClock,
}

/// Why an emitter did not drain. It goes on as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DrainError {
    /// The bound passed first.
    #[error("{}", undrained(*messages, *retained_batches))]
    TimedOut {
        /// Source records that are not settled.
        messages: u64,
        /// Payloads whose outcome is not known.
        retained_batches: u64,
    },
    /// The emitter's task has ended: nothing is left of what it held.
    #[error("the emitter ended before it was drained")]
    Ended,
}

fn undrained(messages: u64, retained_batches: u64) -> String {
    match messages {
        0 => "the client did not send all that it took within the drain's bound".to_owned(),
        _ => format!(
            "{messages} records were not resolved within the drain's bound; {retained_batches} payloads await their \
             outcome"
        ),
    }
}

impl EmitterHandle {
    /// Everything that DESCRIBE EMITTER shows of the live emitter.
    pub fn status(&self) -> EmitterStatus {
        let now = self.clock.now();
        let session = self.watch.as_ref().map(|watch| watch.status());
        self.live.lock().status(now, session, self.counters.snapshot())
    }

    /// Flushes what is pending now (`emitters.txt`, Altering emitters).
    pub async fn kick(&self) {
        self.send(Command::Kick).await;
    }

    /// Installs another FLUSH policy and flushes what is pending (class DYNAMIC).
    pub async fn set_flush(&self, flush: Flush) {
        self.send(Command::SetFlush(flush)).await;
    }

    /// Finishes what waits in the source relays, what is collected, buffered and out, until `deadline`. The caller gates
    /// the source relays first. Afterwards the emitter runs on, whatever the result.
    ///
    /// # Errors
    /// [`DrainError::TimedOut`] when something is left at `deadline`, [`DrainError::Ended`] when the task has ended.
    pub async fn drain(&self, deadline: PhysicalInstant) -> Result<(), DrainError> {
        let (done, drained) = oneshot::channel();
        let drain = async {
            self.commands
                .send(Command::Drain(done))
                .await
                .map_err(|_| DrainError::Ended)?;
            drained.await.map_err(|_| DrainError::Ended)
        };
        match self.clock.timeout_at(deadline, drain).await {
            Ok(result) => result,
            Err(_) => {
                let pending = self.status().pending;
                let (messages, retained_batches) = (pending.messages, pending.retained_batches);
                Err(DrainError::TimedOut {
                    messages,
                    retained_batches,
                })
            }
        }
    }

    /// Stops the emitter: consumers' deliveries are revoked for `reason`, everything that is held is given back
    /// unresolved. Returns when its task has ended: what a client took in a mode without confirmations is sent first, for
    /// [`LEFTOVER_MAX`](crate::LEFTOVER_MAX) at most.
    pub async fn stop(&self, reason: RevokeReason) {
        self.send(Command::Stop(reason)).await;
        self.commands.closed().await;
    }

    /// Whether its task has ended.
    pub fn has_ended(&self) -> bool {
        self.commands.is_closed()
    }

    async fn send(&self, command: Command) {
        if self.commands.send(command).await.is_err() {
            tracing::debug!("a command came after the emitter had ended");
        }
    }
}
