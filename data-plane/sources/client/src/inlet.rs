//! The way into one ingestor: what writers' streams see of it, whatever incarnation executes it.
//!
//! Invariants: the queue is bounded in batches and in bytes, beside the node's budget, and it survives a panic of the
//! ingestor; while the inlet is gated nothing new enters; once it is closed nothing enters until it is opened again.
//! The inlet knows neither Flight nor what becomes of the rows.

use std::{sync::Arc, time::Duration};

use arrow::datatypes::SchemaRef;
use nervix_budget::Budget;
use nervix_ingestor::{Arrival, IngestorTraffic};
use nspl_model::{IngestMode, Schema};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, watch};

/// Batches that may wait between writers' streams and their ingestor.
pub const QUEUE_BATCHES: usize = 32;

/// Why an inlet is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The domain is stopped.
    Stopped,
    /// The ingestor was dropped.
    Dropped,
    /// Another node executes the ingestor now.
    Moved {
        /// Where, as host:port.
        location: Arc<str>,
    },
    /// Its schema differs now.
    Changed,
    /// The node shuts down.
    Draining,
    /// An emitter that its rows wait for does not run.
    Blocked,
    /// The ingestor could not be started.
    Broken,
}

/// Whether batches may enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InletState {
    /// They may; the mode says when writers are answered.
    Open(IngestMode),
    /// They wait.
    Gated,
    /// They may not; open positions are answered as they resolve for `linger`, then UNRESOLVED.
    Closed {
        /// Why.
        reason: CloseReason,
        /// How long open positions may still resolve, physical time.
        linger: Duration,
    },
}

/// An inlet that was closed while somebody wanted in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InletClosed {
    /// Why.
    pub reason: CloseReason,
    /// How long open positions may still resolve, physical time.
    pub linger: Duration,
}

/// The receiving end, owned by whichever incarnation of the ingestor runs.
pub type ArrivalQueue = OwnedMutexGuard<mpsc::Receiver<Arrival>>;

/// The way into one ingestor.
#[derive(Debug)]
pub struct Inlet {
    domain: Arc<str>,
    name: Arc<str>,
    schema: Arc<Schema>,
    arrow: SchemaRef,
    state: watch::Sender<InletState>,
    entry: mpsc::Sender<Arrival>,
    /// Bytes of the batches in the queue, and of the one whose rows are on their way into their relays.
    room: Budget,
    queue: Arc<Mutex<mpsc::Receiver<Arrival>>>,
    traffic: Arc<IngestorTraffic>,
}

impl Inlet {
    /// A closed inlet of a stopped domain. Its queue holds at most `queue_bytes` bytes, or a single larger batch.
    pub fn new(
        domain: &str,
        name: &str,
        schema: Arc<Schema>,
        traffic: Arc<IngestorTraffic>,
        queue_bytes: u64,
    ) -> Self {
        let (entry, queue) = mpsc::channel(QUEUE_BATCHES);
        let closed = InletState::Closed {
            reason: CloseReason::Stopped,
            linger: Duration::ZERO,
        };
        Self {
            domain: domain.into(),
            name: name.into(),
            arrow: nervix_columns::arrow_schema(&schema),
            schema,
            state: watch::Sender::new(closed),
            entry,
            room: Budget::named("ingestor queue", queue_bytes),
            queue: Arc::new(Mutex::new(queue)),
            traffic,
        }
    }

    /// `INGESTOR name of domain`, for messages.
    pub fn title(&self) -> String {
        format!("ingestor `{}` of domain `{}`", self.name, self.domain)
    }

    /// What writers send.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The same in Arrow's words.
    pub fn arrow_schema(&self) -> &SchemaRef {
        &self.arrow
    }

    /// Counters of the ingestor.
    pub fn traffic(&self) -> &Arc<IngestorTraffic> {
        &self.traffic
    }

    /// Moves to `state`; everybody who waits sees it.
    pub fn set(&self, state: InletState) {
        self.state.send_replace(state);
    }

    /// The state now.
    pub fn state(&self) -> InletState {
        self.state.borrow().clone()
    }

    /// Waits while the inlet is gated, then says how writers are answered.
    ///
    /// # Errors
    /// [`InletClosed`] as soon as it is closed.
    pub async fn opened(&self) -> Result<IngestMode, InletClosed> {
        if let InletState::Open(mode) = *self.state.borrow() {
            return Ok(mode);
        }
        let mut states = self.state.subscribe();
        loop {
            match &*states.borrow_and_update() {
                InletState::Open(mode) => return Ok(*mode),
                InletState::Closed { reason, linger } => return Err(InletClosed::by(reason, *linger)),
                InletState::Gated => {}
            }
            if states.changed().await.is_err() {
                return Err(InletClosed::dropped());
            }
        }
    }

    /// Waits until the inlet is closed.
    pub async fn closed(&self) -> InletClosed {
        let mut states = self.state.subscribe();
        loop {
            if let InletState::Closed { reason, linger } = &*states.borrow_and_update() {
                return InletClosed::by(reason, *linger);
            }
            if states.changed().await.is_err() {
                return InletClosed::dropped();
            }
        }
    }

    /// Waits until the inlet is closed without any linger.
    pub async fn cut_off(&self) {
        let mut states = self.state.subscribe();
        let cut = |state: &InletState| matches!(state, InletState::Closed { linger, .. } if linger.is_zero());
        // Refused only when the inlet itself goes, which ends every wait for it.
        drop(states.wait_for(cut).await);
    }

    /// Queues a batch; waits while the queue is full or the inlet is gated. Nothing enters once [`Self::set`] has
    /// gated or closed the inlet, however long the batch has waited.
    ///
    /// # Errors
    /// [`InletClosed`] when it is closed; the batch is dropped, and its share resolves as unresolved.
    pub async fn enter(&self, mut arrival: Arrival) -> Result<(), InletClosed> {
        self.opened().await?;
        arrival.room = self.room.admit(arrival.held.bytes()).await;
        loop {
            self.opened().await?;
            let Ok(place) = self.entry.reserve().await else {
                return Err(InletClosed::dropped());
            };
            // The state cannot change while it is borrowed.
            let state = self.state.borrow();
            if let InletState::Open(_) = *state {
                place.send(arrival);
                return Ok(());
            }
        }
    }

    /// The queue; waits until an earlier incarnation has let go of it.
    pub async fn queue(&self) -> ArrivalQueue {
        Arc::clone(&self.queue).lock_owned().await
    }

    /// Batches that wait in the queue.
    pub fn queued(&self) -> usize {
        QUEUE_BATCHES - self.entry.capacity()
    }
}

impl InletClosed {
    fn by(reason: &CloseReason, linger: Duration) -> Self {
        Self {
            reason: reason.clone(),
            linger,
        }
    }

    fn dropped() -> Self {
        Self {
            reason: CloseReason::Dropped,
            linger: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests;
