//! Writing record batches into an ingestor (flight.md "Writing").
//!
//! A batch is kept, encoded, from [`Writer::write`] until the server has answered it DONE or REFUSED: UNRESOLVED batches
//! and those that were unanswered when a stream broke are sent again, byte for byte, for as long as it takes; REFUSED ones
//! never. So every batch takes effect at least once, or is refused with a reason. What is kept is bounded twice, in
//! batches and in bytes: [`Writer::write`] waits while the window is full, which is how a slow graph is felt here.
//!
//! It does not order batches across resends, and keeps nothing on disk: a process that dies has to write again what it
//! has no answer for.

mod builder;
mod progress;
mod session;
mod ticket;
mod window;

use std::sync::Arc;

use arrow::{array::RecordBatch, datatypes::SchemaRef};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
};

pub use self::{
    builder::WriterBuilder,
    progress::{RefusedBatch, WriteMonitor, WriteReport},
    ticket::{Answer, Ticket},
};
use self::{
    progress::Progress,
    session::{Command, Item},
};
use crate::{encode::Encoder, error::Error, transport::FLIGHT_OVERHEAD_BYTES_MAX};

/// An open writer. Dropping it abandons what is unanswered; [`Writer::close`] waits for it.
///
/// ```no_run
/// # use nervix_client::{Answer, Client, Error, arrow::array::RecordBatch};
/// # async fn example(client: Client, batches: Vec<RecordBatch>) -> Result<(), Error> {
/// let mut writer = client.writer("shop", "orders_in").window_batches(256).open().await?;
/// for batch in batches {
///     let ticket = writer.write(batch).await?;   // waits while 256 batches are unanswered
///     drop(ticket);                              // the report counts; keep it to learn of this batch alone
/// }
/// let report = writer.close().await?;            // waits until every batch is answered
/// for refused in &report.refusals {
///     eprintln!("batch {}: {} {}", refused.batch, refused.code, refused.message);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Writer {
    encoder: Encoder,
    server_schema: SchemaRef,
    message_bytes_max: usize,
    window_bytes: usize,
    batches: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    commands: mpsc::Sender<Command>,
    progress: watch::Receiver<Progress>,
    written: u64,
    _task: JoinSet<()>,
}

impl Writer {
    /// The ingestor's schema, as the server gave it when this writer was opened.
    #[must_use]
    pub fn server_schema(&self) -> &SchemaRef {
        &self.server_schema
    }

    /// The schema that batches must have: the server's, unless another was given to the builder.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.encoder.schema()
    }

    /// Takes a batch into the window, waiting for room, and gives the ticket of its answer. Batches are counted from 0
    /// in the order of these calls.
    ///
    /// # Errors
    /// [`Error::Batch`] and [`Error::TooLarge`] concern this batch alone; any other error ended the writer.
    pub async fn write(&mut self, batch: RecordBatch) -> Result<Ticket, Error> {
        self.failure()?;
        let encoded = self.encoder.encode(&batch)?;
        let limit = self.message_bytes_max.saturating_sub(FLIGHT_OVERHEAD_BYTES_MAX);
        if encoded.bytes > limit {
            return Err(Error::TooLarge {
                bytes: encoded.bytes,
                limit,
            });
        }
        // A batch larger than the whole window takes all of it, and so travels alone.
        let share = u32::try_from(encoded.bytes.min(self.window_bytes)).unwrap_or(u32::MAX);
        let slot = Arc::clone(&self.batches).acquire_owned();
        let slot = self.or_failed(slot).await?.map_err(|_| Error::Closed)?;
        let room = Arc::clone(&self.bytes).acquire_many_owned(share);
        let room = self.or_failed(room).await?.map_err(|_| Error::Closed)?;
        let (reply, ticket) = ticket::pair();
        let rows = u64::try_from(batch.num_rows()).unwrap_or(u64::MAX);
        let item = Item::new(self.written, rows, encoded, reply, [slot, room]);
        self.commands
            .send(Command::Write(item))
            .await
            .map_err(|_| self.ended())?;
        self.written += 1;
        Ok(ticket)
    }

    /// Waits until every batch written so far is answered, and reports what became of all of them since the start.
    ///
    /// # Errors
    /// What ended the writer: then the unanswered batches may or may not have had effects.
    pub async fn flush(&mut self) -> Result<WriteReport, Error> {
        let written = self.written;
        let settled = self
            .progress
            .wait_for(|now| now.failure.is_some() || now.report.answered() >= written);
        let now = settled.await.map_err(|_| Error::Closed)?;
        match &now.failure {
            Some(error) => Err(error.clone()),
            None => Ok(now.report.clone()),
        }
    }

    /// [`Writer::flush`], then ends the stream in order.
    ///
    /// # Errors
    /// As [`Writer::flush`].
    pub async fn close(mut self) -> Result<WriteReport, Error> {
        let report = self.flush().await?;
        if self.commands.send(Command::Close).await.is_ok() {
            self.commands.closed().await;
        }
        Ok(report)
    }

    /// What became of the batches so far. Answers count here as soon as they arrive.
    #[must_use]
    pub fn report(&self) -> WriteReport {
        self.progress.borrow().report.clone()
    }

    /// Why nothing moves at the moment, such as a stopped domain or a lost connection; `None` while the stream is up.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.progress.borrow().trouble.clone()
    }

    /// A view of this writer that another task may hold, to show how far it is.
    #[must_use]
    pub fn monitor(&self) -> WriteMonitor {
        WriteMonitor::new(self.progress.clone())
    }

    /// Waits for `admission`, or for the end of the writer, which would leave it waiting for ever.
    async fn or_failed<T>(&mut self, admission: impl Future<Output = T>) -> Result<T, Error> {
        tokio::select! {
            biased;
            admitted = admission => Ok(admitted),
            ended = self.progress.wait_for(|now| now.failure.is_some()) => {
                Err(ended.ok().and_then(|now| now.failure.clone()).unwrap_or(Error::Closed))
            }
        }
    }

    fn failure(&self) -> Result<(), Error> {
        match &self.progress.borrow().failure {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    fn ended(&self) -> Error {
        self.failure().err().unwrap_or(Error::Closed)
    }
}
