//! What a person could see of a trial: events while they come, and whatever else is looked at.

use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use nervix_client::ConnectOptions;
use tokio::task::JoinSet;

use crate::server::Nervix;
use crate::wait::{must, until};

/// Watches events from its beginning to its end.
#[derive(Debug)]
pub(super) struct Witness {
    seen: Arc<Mutex<Seen>>,
    _watching: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The sorts of events that came.
    events: Vec<String>,
    texts: Vec<String>,
}

impl Witness {
    /// Begins to watch a server.
    pub(super) async fn of(server: &Nervix) -> Self {
        let client = ConnectOptions::new(&server.ports().control).connect().await;
        let events = must("connect", client).events(None).await;
        let mut events = must("watch events", events);
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let (noted, mut watching) = (Arc::clone(&seen), JoinSet::new());
        watching.spawn(async move {
            while let Some(Ok(event)) = events.next().await {
                let mut seen = noted.lock().unwrap_or_else(PoisonError::into_inner);
                seen.texts.push(format!("event: {event:?}"));
                seen.events.push(event.kind);
            }
        });
        Self {
            seen,
            _watching: watching,
        }
    }

    /// Keeps what was looked at.
    pub(super) fn saw(&self, text: impl Into<String>) {
        self.lock().texts.push(text.into());
    }

    /// Waits until an event of this sort has come.
    pub(super) async fn until_told(&self, kind: &str) {
        until(&format!("an event tells that it is {kind}"), || async {
            self.lock().events.iter().any(|told| told == kind).then_some(())
        })
        .await;
    }

    /// Nothing that was seen holds any of these.
    ///
    /// # Panics
    /// When something does, with the line.
    pub(super) fn holds_none_of(&self, planted: &[&str]) {
        for text in &self.lock().texts {
            for planted in planted {
                let at = text.lines().find(|line| line.contains(planted));
                assert!(at.is_none(), "{planted} is shown: {at:?}");
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
