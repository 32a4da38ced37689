//! What a client still holds when a run ends (`emitters.txt`, Publishing modes: acceptance is the completion point of modes
//! without confirmations).
//!
//! Invariant: a writer was told DONE of what the client took, so the client is let go only when it has sent that, or
//! [`LEFTOVER_MAX`] has passed. What it did not take is not awaited: it was given back unresolved before.

use std::time::Duration;

use nervix_clock::PhysicalClock;
use nervix_sink::{Failure, FailureKind, PayloadSink, Unsent};

use super::Done;
use crate::publish::connection::Connection;

/// How long the end of a run lets a client send what it took, at most.
pub const LEFTOVER_MAX: Duration = Duration::from_secs(5);
/// The pause before a client that still holds something is asked again.
const PAUSE: Duration = Duration::from_millis(100);

/// The client of a run that has ended.
pub(crate) struct Leftover(Connection<dyn PayloadSink, Done>);

impl Leftover {
    pub(super) fn new(connection: Connection<dyn PayloadSink, Done>) -> Self {
        Self(connection)
    }

    /// Waits until the client holds nothing.
    ///
    /// # Errors
    /// What is still there when [`LEFTOVER_MAX`] has passed. It is lost with the client.
    pub(crate) async fn sent(self, clock: &PhysicalClock) -> Result<(), Unsent> {
        let mut left = Unsent {
            payloads: 0,
            failure: Failure::new(
                FailureKind::TimedOut,
                "the client did not say in time whether everything that it took is sent",
            ),
        };
        let sent = async {
            let Some(mut sink) = self.0.into_sink().await else {
                return;
            };
            while let Err(unsent) = sink.drain().await {
                left = unsent;
                clock.sleep(PAUSE).await;
            }
        };
        clock.timeout(LEFTOVER_MAX, sent).await.map_err(|_| left)
    }
}
