//! Where destinations are found by name, as a worker finds real ones by the address in the CONFIG of a CLIENT.
//!
//! A registry's line is a plain function, so what it connects to has to stand somewhere: here, for the whole process, under
//! an address that a test makes up.

use std::collections::BTreeMap;
use std::sync::Arc;

use nervix_sink::{Failure, FailureKind, OpenError, SinkClient, World};
use nspl_model::ClientDef;
use parking_lot::Mutex;

/// Keys of CONFIG that may hold the address.
const KEYS: [&str; 3] = ["addr", "endpoint", "bootstrap.servers"];

static PLACES: Mutex<BTreeMap<String, Arc<dyn SinkClient>>> = Mutex::new(BTreeMap::new());

/// A destination that stands at an address until it is dropped.
#[must_use = "the destination is gone when this is dropped"]
pub struct Place(String);

impl Place {
    /// Puts a destination there; another one that stood there is gone.
    pub fn put(address: &str, destination: Arc<dyn SinkClient>) -> Self {
        PLACES.lock().insert(address.to_owned(), destination);
        Self(address.to_owned())
    }

    /// `connect` of a destination's crate: what stands at the address of the CLIENT.
    ///
    /// # Errors
    /// When nothing stands there now.
    pub fn connect(client: &Arc<ClientDef>, _world: World) -> Result<Arc<dyn SinkClient>, OpenError> {
        let address = KEYS.iter().find_map(|key| client.text(key)).unwrap_or_default();
        let found = PLACES.lock().get(address).cloned();
        found.ok_or_else(|| {
            OpenError::Unavailable(Failure::new(
                FailureKind::Unavailable,
                "nothing stands at the address",
            ))
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        PLACES.lock().remove(&self.0);
    }
}
