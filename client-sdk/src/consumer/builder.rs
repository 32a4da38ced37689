//! The settings of a consumer, each with its bound.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

use super::{
    Consumer,
    ledger::Desk,
    session::{Session, Target},
};
use crate::{
    client::Client,
    comeback::Comeback,
    error::Error,
    flights::{self, FlightKind},
    pause,
    places::Places,
};

/// Deliveries with the application at a time, by default.
const WINDOW: u32 = 8;
/// The most deliveries with the application that can be asked for.
const WINDOW_MAX: u32 = 100_000;

/// Prepares a [`Consumer`]; made by [`Client::consumer`].
#[derive(Clone, Debug)]
pub struct ConsumerBuilder {
    client: Client,
    domain: String,
    emitter: String,
    window: u32,
    patience: Duration,
}

impl ConsumerBuilder {
    pub(crate) fn new(client: Client, domain: String, emitter: String) -> Self {
        ConsumerBuilder {
            client,
            domain,
            emitter,
            window: WINDOW,
            patience: Duration::ZERO,
        }
    }

    /// How many deliveries may be with the application at a time, from 1 to 100,000. This is the credit of the protocol:
    /// memory is bounded by it times BATCH MAX SIZE, and by the server's `--flight-consumer-bytes`.
    #[must_use]
    pub fn window(mut self, deliveries: u32) -> Self {
        self.window = deliveries.clamp(1, WINDOW_MAX);
        self
    }

    /// How long [`ConsumerBuilder::open`] keeps trying while the server cannot be reached. Not at all by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Finds the emitter and opens the stream.
    ///
    /// # Errors
    /// [`Error::Unreachable`], or [`Error::Refused`] for an unknown emitter.
    pub async fn open(self) -> Result<Consumer, Error> {
        let mut places = Places::new(self.client.clone());
        let deadline = pause::now() + self.patience;
        let flight = flights::locate(
            &mut places,
            (&self.domain, FlightKind::Emitter, &self.emitter),
            deadline,
        )
        .await?;
        let target = Target {
            descriptor: flights::descriptor(&self.domain, FlightKind::Emitter, &self.emitter),
            comeback: Comeback::new(places),
            schema: Arc::clone(&flight.schema),
        };
        // Room for every delivery that credit was granted for, and for the error that ends the stream.
        let (sender, deliveries) = mpsc::channel(
            usize::try_from(self.window)
                .unwrap_or(usize::MAX)
                .saturating_add(1),
        );
        let (trouble, watched) = watch::channel(None);
        let desk = Arc::new(Desk::new(self.window));
        let mut task = JoinSet::new();
        task.spawn(Session::new(target, Arc::clone(&desk), sender, trouble).run());
        Ok(Consumer {
            deliveries,
            schema: flight.schema,
            desk,
            trouble: watched,
            task,
        })
    }
}
