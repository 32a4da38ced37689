//! DoPut: writing to an ingestor (flight.md "Writing").
//!
//! Two halves that never wait for one another: a task that reads, converts and admits, and the response stream that
//! sends answers. Invariants: a batch is named by its position among the record-batch messages; it enters whole or not
//! at all; reading stops only for the budget, the ingestor's queue and the gate, never for unread answers. A message that
//! is not small is taken from the connection, and what is compressed is unpacked, only after the budget has admitted it.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use arrow_flight::{FlightData, PutResult};
use futures::Stream;
use nervix_ack::{Fate, Share, Verdict, root};
use nervix_budget::{Budget, Held};
use nervix_clock::PhysicalClock;
use nervix_columns::frames::{Frame, FrameFault, Frames};
use nervix_columns::{Conversion, Converted, held_bytes, logical_bytes};
use nervix_ingestor::Arrival;
use nervix_source_client::{Answer, AnswerBook, CloseReason, Inlet, InletClosed, InletState, answer_of};
use nspl_model::IngestMode;
use tonic::{Code, Status, Streaming};

use super::{
    claims::{Claims, UNCLAIMED_BYTES_MAX},
    dialect::SharedDialect,
    ending::{Ending, Reason},
    limits::{MessageLimit, of_transport},
    metadata::Request,
    wire::put_result,
};
use crate::supervisor::Task;

/// What a small batch costs beyond its buffers: the objects around it, per batch and per column.
const BATCH_OVERHEAD_BYTES: u64 = 512;
const COLUMN_OVERHEAD_BYTES: u64 = 128;

/// What every stream of this node shares.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    pub(crate) budget: Budget,
    pub(crate) clock: PhysicalClock,
    pub(crate) limit: MessageLimit,
    /// One: what was claimed for before it unpacked to more may go past the budget, one batch at a time.
    pub(crate) unpacking: Budget,
}

impl Admission {
    pub(crate) fn new(budget: Budget, clock: PhysicalClock, limit: MessageLimit) -> Self {
        Self {
            budget,
            clock,
            limit,
            unpacking: Budget::named("unpacking", 1),
        }
    }

    /// Makes a claim larger by what its message unpacks to. Who waits here may hold what others wait for, and what a
    /// length prefix says may be more than there ever is room for, so that waiting for room alone might never end: one at
    /// a time goes past the budget, for as long as its batch is held.
    async fn enlarge(&self, mut claim: Held, bytes: u64) -> Held {
        let enlarged = claim.bytes().saturating_add(bytes);
        let room = match self.budget.try_admit(bytes) {
            Some(room) => Ok(room),
            None => tokio::select! {
                biased;
                room = self.budget.admit(bytes) => Ok(room),
                turn = self.unpacking.admit(1) => Err(turn),
            },
        };
        match room {
            Ok(room) => {
                // First, so that the room is never free between the two.
                claim.resize(enlarged);
                drop(room);
                claim
            }
            Err(turn) => {
                claim.resize(enlarged);
                claim.beside(Arc::new(turn))
            }
        }
    }
}

/// The reading half of one stream.
pub(crate) struct Writing {
    inlet: Arc<Inlet>,
    book: Arc<AnswerBook<Ending>>,
    dialect: Arc<SharedDialect>,
    frames: Frames,
    claims: Arc<Claims>,
    /// Messages taken so far.
    taken: u64,
    conversion: Option<Arc<Conversion>>,
    dictionaries: Option<Held>,
    admission: Admission,
}

/// Why reading ended.
enum Stop {
    /// The client closed its side.
    HalfClosed,
    /// The transport broke: nobody hears an answer.
    Broken,
    /// The stream is at fault.
    Fault(Ending),
    /// The ingestor is closed.
    Closed(InletClosed),
}

impl From<Ending> for Stop {
    fn from(ending: Ending) -> Self {
        Self::Fault(ending)
    }
}

impl From<InletClosed> for Stop {
    fn from(closed: InletClosed) -> Self {
        Self::Closed(closed)
    }
}

impl Writing {
    pub(crate) fn new(
        inlet: Arc<Inlet>,
        book: Arc<AnswerBook<Ending>>,
        dialect: Arc<SharedDialect>,
        (admission, claims): (Admission, Arc<Claims>),
    ) -> Self {
        Self {
            inlet,
            book,
            dialect,
            frames: Frames::new(admission.limit.bytes()),
            claims,
            taken: 0,
            conversion: None,
            dictionaries: None,
            admission,
        }
    }

    /// Reads until the stream ends, then lets open positions resolve and ends the answers.
    pub(crate) async fn run(mut self, first: FlightData, mut incoming: Streaming<FlightData>) {
        let cut_off = Ending::new(
            Reason::Internal,
            "the stream was cut off inside the server; open a new one",
        );
        let guard = self.book.guard(cut_off.clone(), leftover(&cut_off));
        let stop = match self.read(first, &mut incoming).await {
            Ok(never) => match never {},
            Err(stop) => stop,
        };
        drop(incoming);
        self.end(stop).await;
        drop(guard);
    }

    async fn read(
        &mut self,
        first: FlightData,
        incoming: &mut Streaming<FlightData>,
    ) -> Result<std::convert::Infallible, Stop> {
        self.take(first).await?;
        let inlet = Arc::clone(&self.inlet);
        let mut closing = pin!(inlet.closed());
        loop {
            inlet.opened().await?;
            let message = tokio::select! {
                biased;
                closed = &mut closing => return Err(closed.into()),
                message = incoming.message() => message,
            };
            match message {
                Ok(Some(message)) => self.take(message).await?,
                Ok(None) => return Err(Stop::HalfClosed),
                Err(status) => {
                    return Err(of_transport(&status, self.admission.limit).map_or(Stop::Broken, Stop::Fault));
                }
            }
        }
    }

    async fn take(&mut self, message: FlightData) -> Result<(), Stop> {
        self.taken = self.taken.saturating_add(1);
        let claim = self.claims.take(self.taken);
        self.hear(&message.app_metadata)?;
        let unpacked = self
            .frames
            .unpacked_bytes(&message.data_header, &message.data_body)
            .map_err(unreadable)?;
        let held = match (unpacked, claim) {
            (0, claim) => claim,
            (bytes, claim) => Some(self.enlarge(claim, bytes).await?),
        };
        let frame = self
            .frames
            .accept(&message.data_header, message.data_body)
            .map_err(unreadable)?;
        match frame {
            Frame::Nothing => {}
            Frame::Schema(schema) => {
                let plan = Conversion::plan(&schema, self.inlet.schema()).map_err(|differences| {
                    let text = format!("the schema does not fit {}: {differences}", self.inlet.title());
                    Ending::new(Reason::SchemaMismatch, text)
                })?;
                self.conversion = Some(Arc::new(plan));
            }
            Frame::Dictionary => {
                let bytes = self.frames.dictionary_bytes();
                self.dictionaries = Some(self.admission.budget.charge(bytes));
            }
            Frame::Batch(batch) => self.admit(&batch, held).await?,
        }
        Ok(())
    }

    fn hear(&self, metadata: &[u8]) -> Result<(), Ending> {
        let request = self
            .dialect
            .read(metadata)
            .map_err(|fault| Ending::new(Reason::MalformedMetadata, fault.to_string()))?;
        match request {
            Request::Nothing | Request::Hello => Ok(()),
            other => {
                let text = format!(
                    "`{}` does not belong on a DoPut stream; send it on DoExchange",
                    other.word()
                );
                Err(Ending::new(Reason::MalformedMetadata, text))
            }
        }
    }

    /// Enlarges what is claimed for a message, if anything is; waits while the ingestor is not closed.
    async fn enlarge(&self, claim: Option<Held>, bytes: u64) -> Result<Held, Stop> {
        let claim = claim.unwrap_or_else(|| self.admission.budget.charge(0));
        Ok(self.unless_closed(self.admission.enlarge(claim, bytes)).await?)
    }

    /// Admits bytes to the node's budget; waits for them while the ingestor is not closed.
    async fn hold(&self, bytes: u64) -> Result<Held, Stop> {
        match self.admission.budget.try_admit(bytes) {
            Some(held) => Ok(held),
            None => Ok(self.unless_closed(self.admission.budget.admit(bytes)).await?),
        }
    }

    /// `held` is what the batch has been admitted with before it was taken from the connection, or was unpacked.
    async fn admit(&mut self, batch: &arrow::array::RecordBatch, held: Option<Held>) -> Result<(), Stop> {
        let position = self.book.issue();
        let rows = u32::try_from(batch.num_rows()).unwrap_or(u32::MAX);
        if rows == 0 {
            self.book.settle(position, Answer::done());
            return Ok(());
        }
        let Some(conversion) = self.conversion.clone() else {
            return Err(Ending::new(
                Reason::MalformedData,
                "a record batch came before the schema message",
            )
            .into());
        };
        let mode = self.inlet.opened().await?;
        let sent_bytes = occupied(batch);
        let mut held = match held {
            Some(held) => held,
            // More than came in this message is what dictionaries hold, and this stream keeps those.
            None if self.dictionaries.is_some() && sent_bytes > UNCLAIMED_BYTES_MAX => {
                self.enlarge(None, sent_bytes).await?
            }
            None => self.hold(sent_bytes).await?,
        };
        let Converted { batch, rejected } = conversion.convert(batch).map_err(|error| {
            let reason = match error {
                nervix_columns::ConversionError::TooLarge { .. } => Reason::TooLarge,
                _ => Reason::MalformedData,
            };
            Ending::new(reason, error.to_string())
        })?;
        held.resize(occupied(&batch).max(sent_bytes));
        self.inlet
            .traffic()
            .written
            .count(rows as usize, logical_bytes(&batch));
        self.inlet.traffic().rows.observe(rows as usize);
        let arrival = Arrival {
            batch,
            rejected,
            share: self.share(mode, rows, position),
            held: Arc::new(held),
            room: Held::nothing(),
        };
        // A gate that closed meanwhile holds this batch back as well.
        self.unless_closed(self.inlet.enter(arrival)).await??;
        if mode == IngestMode::NoAck {
            self.book.settle(position, Answer::done());
        }
        Ok(())
    }

    fn share(&self, mode: IngestMode, rows: u32, position: u64) -> Share {
        match mode {
            IngestMode::NoAck => Share::untracked(rows as usize),
            IngestMode::Ack | IngestMode::AckWindow(_) => {
                // The inlet owns the queue that this share waits in: it must not be kept by what it keeps.
                let (book, inlet) = (Arc::clone(&self.book), Arc::downgrade(&self.inlet));
                root(rows, move |verdict| {
                    let inlet = inlet.upgrade();
                    book.settle(position, told(&verdict, inlet.as_deref()));
                })
            }
        }
    }

    /// Waits for `step` while the ingestor is not closed.
    async fn unless_closed<T>(&self, step: impl Future<Output = T>) -> Result<T, InletClosed> {
        tokio::select! {
            biased;
            done = step => Ok(done),
            closed = self.inlet.closed() => Err(closed),
        }
    }

    async fn end(&self, stop: Stop) {
        match stop {
            Stop::HalfClosed => {
                tokio::select! {
                    biased;
                    () = self.book.all_settled() => self.book.finish(Ok(()), None),
                    closed = self.inlet.closed() => self.end_closed(closed).await,
                }
            }
            Stop::Broken => self.book.finish(Ok(()), None),
            Stop::Fault(ending) => {
                // Where coming back helps, what is open is to come again.
                let open = (ending.reason().code() == Code::Unavailable).then(|| leftover(&ending));
                self.book.finish(Err(ending), open.as_ref());
            }
            Stop::Closed(closed) => self.end_closed(closed).await,
        }
    }

    /// Open positions may resolve while the inlet lingers; what is open then is answered UNRESOLVED.
    async fn end_closed(&self, closed: InletClosed) {
        if !closed.linger.is_zero() {
            let settled = async {
                tokio::select! {
                    () = self.book.all_settled() => {}
                    () = self.inlet.cut_off() => {}
                }
            };
            if self
                .admission
                .clock
                .timeout(closed.linger, settled)
                .await
                .is_err()
            {
                tracing::debug!(ingestor = self.inlet.title(), "positions are still open");
            }
        }
        let ending = closed_ending(&closed.reason, &self.inlet);
        let open = leftover(&ending);
        self.book.finish(Err(ending), Some(&open));
    }
}

/// What a writer is told of a verdict. Rows that were given up because the ingestor is closed are answered with that
/// reason, whoever notices first.
fn told(verdict: &Verdict, inlet: Option<&Inlet>) -> Answer {
    match inlet.map(|inlet| (inlet, inlet.state())) {
        Some((inlet, InletState::Closed { reason, linger }))
            if linger.is_zero() && verdict.worst() == Fate::Unresolved =>
        {
            leftover(&closed_ending(&reason, inlet))
        }
        _ => answer_of(verdict),
    }
}

/// How a stream ends whose messages cannot be read.
fn unreadable(fault: FrameFault) -> Ending {
    let reason = if fault.is_size() {
        Reason::TooLarge
    } else {
        Reason::MalformedData
    };
    Ending::new(reason, fault.to_string())
}

/// The answer of positions that are open when a stream ends.
fn leftover(ending: &Ending) -> Answer {
    let reason = ending.reason();
    Answer::unresolved(reason.word(), ending.message(), reason.retry_after())
}

/// How a stream ends whose ingestor is closed.
pub(crate) fn closed_ending(reason: &CloseReason, inlet: &Inlet) -> Ending {
    let title = inlet.title();
    match reason {
        CloseReason::Stopped => {
            let text = format!("{title}: the domain is stopped; write again after START");
            Ending::new(Reason::Stopped, text)
        }
        CloseReason::Dropped => Ending::new(Reason::Dropped, format!("{title} was dropped")),
        CloseReason::Moved { location } => Ending::moved(&title, location),
        CloseReason::Changed => Ending::new(
            Reason::Changed,
            format!("{title}: the schema differs now; read it again with GetSchema"),
        ),
        CloseReason::Draining => Ending::new(
            Reason::Draining,
            format!("{title}: this node shuts down; connect again"),
        ),
        CloseReason::Blocked => {
            let text = format!(
                "{title}: an emitter that its rows wait for does not run; write again when that is healed"
            );
            Ending::new(Reason::Stopped, text)
        }
        CloseReason::Broken => {
            let text = format!("{title}: it cannot be started here; DESCRIBE INGESTOR says why");
            Ending::new(Reason::Stopped, text)
        }
    }
}

fn occupied(batch: &arrow::array::RecordBatch) -> u64 {
    held_bytes(batch) + BATCH_OVERHEAD_BYTES + COLUMN_OVERHEAD_BYTES * batch.num_columns() as u64
}

/// The sending half of one stream.
pub(crate) struct PutResults {
    pub(crate) book: Arc<AnswerBook<Ending>>,
    pub(crate) dialect: Arc<SharedDialect>,
    pub(crate) _reading: Task,
}

impl Stream for PutResults {
    type Item = Result<PutResult, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.book.poll_next(cx).map(|next| {
            next.map(|range| match range {
                Ok(range) => Ok(put_result(range, self.dialect.encoding())),
                Err(ending) => Err(ending.status()),
            })
        })
    }
}

#[cfg(test)]
mod tests;
