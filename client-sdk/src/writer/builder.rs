//! The settings of a writer, each with its bound.

use std::{sync::Arc, time::Duration};

use arrow::datatypes::SchemaRef;
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
};

use super::{
    Writer,
    progress::Progress,
    session::{Session, Target},
};
use crate::{
    client::Client,
    comeback::Comeback,
    encode::Encoder,
    error::Error,
    flights::{self, FlightKind},
    pause,
    places::Places,
};

/// Unanswered batches, by default.
const WINDOW_BATCHES: usize = 1024;
/// The most unanswered batches that can be asked for.
const WINDOW_BATCHES_MAX: usize = 1_000_000;
/// Unanswered encoded bytes, by default.
const WINDOW_BYTES: usize = 64 * 1024 * 1024;
/// The most unanswered encoded bytes that can be asked for.
const WINDOW_BYTES_MAX: usize = 1024 * 1024 * 1024;
/// Batches between [`Writer::write`] and its session; they count in the window.
const COMMANDS: usize = 16;

/// Prepares a [`Writer`]; made by [`Client::writer`].
#[derive(Clone, Debug)]
pub struct WriterBuilder {
    client: Client,
    domain: String,
    ingestor: String,
    schema: Option<SchemaRef>,
    window_batches: usize,
    window_bytes: usize,
    patience: Duration,
}

impl WriterBuilder {
    pub(crate) fn new(client: Client, domain: String, ingestor: String) -> Self {
        WriterBuilder {
            client,
            domain,
            ingestor,
            schema: None,
            window_batches: WINDOW_BATCHES,
            window_bytes: WINDOW_BYTES,
            patience: Duration::ZERO,
        }
    }

    /// The schema of the batches, where it is one of the wider forms that the server converts (flight.md "Types on the
    /// wire"). The server's own schema by default.
    #[must_use]
    pub fn schema(mut self, schema: SchemaRef) -> Self {
        self.schema = Some(schema);
        self
    }

    /// How many batches may be unanswered, from 1 to 1,000,000.
    #[must_use]
    pub fn window_batches(mut self, batches: usize) -> Self {
        self.window_batches = batches.clamp(1, WINDOW_BATCHES_MAX);
        self
    }

    /// How many encoded bytes may be unanswered, from 1 to 1 GiB; a larger batch travels alone.
    #[must_use]
    pub fn window_bytes(mut self, bytes: usize) -> Self {
        self.window_bytes = bytes.clamp(1, WINDOW_BYTES_MAX);
        self
    }

    /// How long [`WriterBuilder::open`] keeps trying while the server cannot be reached. Not at all by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Finds the ingestor and opens the stream.
    ///
    /// # Errors
    /// [`Error::Unreachable`], or [`Error::Refused`] for an unknown ingestor.
    pub async fn open(self) -> Result<Writer, Error> {
        let mut places = Places::new(self.client.clone());
        let deadline = pause::now() + self.patience;
        let flight = flights::locate(
            &mut places,
            (&self.domain, FlightKind::Ingestor, &self.ingestor),
            deadline,
        )
        .await?;
        let encoder = Encoder::new(self.schema.unwrap_or_else(|| Arc::clone(&flight.schema)));
        let target = Target {
            descriptor: flights::descriptor(&self.domain, FlightKind::Ingestor, &self.ingestor),
            comeback: Comeback::new(places),
            schema: Encoder::new(Arc::clone(encoder.schema())),
        };
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let (sender, progress) = watch::channel(Progress::default());
        let mut task = JoinSet::new();
        task.spawn(Session::new(target, receiver, sender).run());
        Ok(Writer {
            encoder,
            server_schema: flight.schema,
            message_bytes_max: self.client.message_bytes_max(),
            window_bytes: self.window_bytes,
            batches: Arc::new(Semaphore::new(self.window_batches)),
            bytes: Arc::new(Semaphore::new(self.window_bytes)),
            commands,
            progress,
            written: 0,
            _task: task,
        })
    }
}
