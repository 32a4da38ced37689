//! CLIENTs of this node: one for all emitters that name it.
//!
//! Invariant: emitters of one domain whose CLIENT is the same, its files included, share one; it goes with the last of
//! them. A CLIENT that was changed is another one.

use std::sync::{Arc, Weak};

use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_sink::{OpenError, SinkClient, World};
use nspl_model::ClientDef;
use parking_lot::Mutex;

use super::registry::Destination;

/// The CLIENTs that some emitter holds; clones share everything.
#[derive(Clone, Default)]
pub(super) struct Clients {
    held: Arc<Mutex<Vec<Held>>>,
}

struct Held {
    domain: Arc<str>,
    /// With the paths of its files on this node.
    def: Arc<ClientDef>,
    client: Weak<dyn SinkClient>,
}

impl Clients {
    /// The CLIENT of this definition, connected unless an emitter holds it already.
    pub(super) fn connect(
        &self,
        domain: &Arc<str>,
        def: Arc<ClientDef>,
        (destination, world): (&Destination, World),
    ) -> Result<Arc<dyn SinkClient>, OpenError> {
        let mut held = self.held.lock();
        held.retain(|known| known.client.strong_count() > 0);
        let known = held
            .iter()
            .find(|known| known.domain == *domain && known.def == def);
        if let Some(client) = known.and_then(|known| known.client.upgrade()) {
            return Ok(client);
        }
        let client = (destination.connect)(&def, world)?;
        held.push(Held {
            domain: Arc::clone(domain),
            def,
            client: Arc::downgrade(&client),
        });
        Ok(client)
    }

    /// Closes those that are still held, and gives up at `deadline` on those that do not end.
    pub(super) async fn drain(&self, deadline: PhysicalInstant, clock: &PhysicalClock) {
        let held: Vec<_> = self
            .held
            .lock()
            .iter()
            .filter_map(|known| known.client.upgrade())
            .collect();
        let closing = futures::future::join_all(held.iter().map(|client| client.drain(deadline)));
        if clock.timeout_at(deadline, closing).await.is_err() {
            tracing::info!("connections to destinations were cut off at the end of the drain");
        }
    }
}
