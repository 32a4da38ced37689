//! How a writer or consumer comes back after its stream has ended: where it connects, how long it waits, when it stops.
//!
//! Invariant: delays double up to their bound and start anew once the server has done something for the stream. It
//! decides nothing about what is sent again.

use std::time::Duration;

use arrow_flight::{FlightData, flight_service_client::FlightServiceClient};
use tokio::sync::mpsc;
use tonic::transport::Channel;

use crate::{backoff::Backoff, error::Error, pause, places::Places, refusal::Remedy};

/// How often in a row an unknown entity is looked for again after the stream had been up: its worker may be new.
const LOOKS_MAX: u32 = 12;

/// See the module.
#[derive(Debug)]
pub(crate) struct Comeback {
    places: Places,
    backoff: Backoff,
    looks: u32,
}

impl Comeback {
    pub(crate) fn new(places: Places) -> Self {
        Comeback {
            places,
            backoff: Backoff::default(),
            looks: 0,
        }
    }

    /// Connects to the next place.
    pub(crate) async fn connect(&mut self) -> Result<FlightServiceClient<Channel>, Error> {
        self.places.connect().await
    }

    /// The server has done something for the stream: what went wrong before is forgotten.
    pub(crate) fn succeeded(&mut self) {
        self.backoff.reset();
        self.looks = 0;
    }

    /// Whether coming back cannot help. A place that the server named is remembered for the next connection.
    pub(crate) fn is_final(&mut self, error: &Error) -> bool {
        match error {
            Error::Refused(refusal) => {
                self.places.named(refusal.location.as_deref());
                match refusal.remedy() {
                    Remedy::GiveUp => true,
                    Remedy::ComeBack => false,
                    Remedy::LookAgain => {
                        self.looks += 1;
                        self.looks > LOOKS_MAX
                    }
                }
            }
            Error::Unreachable { .. } | Error::Unanswered { .. } => false,
            _ => true,
        }
    }

    /// Waits before the next attempt.
    pub(crate) async fn pause(&mut self) {
        let delay = self.backoff.next(Duration::ZERO);
        pause::until(Some(pause::now() + delay)).await;
    }
}

/// A place for the next message of a stream; for ever without one where this side is closed, nothing where the transport
/// has stopped taking messages: the status of the stream comes next.
pub(crate) async fn reserve(
    messages: Option<&mpsc::Sender<FlightData>>,
) -> Option<mpsc::Permit<'_, FlightData>> {
    match messages {
        Some(messages) => messages.reserve().await.ok(),
        None => std::future::pending().await,
    }
}
