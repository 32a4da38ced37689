//! What is asked of a running ingestor.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, oneshot};

/// Requests that may wait for one ingestor.
const REQUESTS_MAX: usize = 4;

/// Asks a running ingestor to empty itself; cheap to clone.
#[derive(Clone, Debug)]
pub struct IngestorHandle {
    drains: mpsc::Sender<oneshot::Sender<()>>,
}

/// The requests of the handle; outlives incarnations.
pub type IngestorRequests = Arc<Mutex<mpsc::Receiver<oneshot::Sender<()>>>>;

impl IngestorHandle {
    /// A handle and what the ingestor listens to.
    pub fn new() -> (Self, IngestorRequests) {
        let (drains, requests) = mpsc::channel(REQUESTS_MAX);
        (Self { drains }, Arc::new(Mutex::new(requests)))
    }

    /// Waits until everything that has entered is published; false when the ingestor went before.
    pub async fn drain(&self) -> bool {
        let (done, waits) = oneshot::channel();
        self.drains.send(done).await.is_ok() && waits.await.is_ok()
    }
}
