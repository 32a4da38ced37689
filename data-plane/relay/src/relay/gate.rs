//! What holds publishers back while a consumer is replaced.

use std::fmt;
use std::sync::Arc;

use super::Relay;

/// Publishing waits while this lives. See [`Relay::gate`].
#[must_use = "the gate opens when this is dropped"]
pub struct Gate {
    relay: Arc<Relay>,
}

impl Gate {
    pub(super) fn new(relay: Arc<Relay>) -> Self {
        Self { relay }
    }

    /// Opens it.
    pub fn release(self) {}
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.relay.change(|state| state.gates -= 1);
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gate").field(&self.relay.name()).finish()
    }
}
