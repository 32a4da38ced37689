//! What is asked of a running ingestor.

use std::sync::Arc;

use nspl_model::Flush;
use tokio::sync::{Mutex, mpsc, oneshot, watch};

/// Drains that may wait for one ingestor.
const DRAINS_MAX: usize = 4;

/// Asks of a running ingestor; cheap to clone.
#[derive(Clone, Debug)]
pub struct IngestorHandle {
    drains: mpsc::Sender<oneshot::Sender<()>>,
    flush: Arc<watch::Sender<Vec<Flush>>>,
}

/// The requests of the handle; outlives incarnations, which take turns with it.
#[derive(Clone, Debug)]
pub struct IngestorRequests {
    pub(crate) drains: Arc<Mutex<mpsc::Receiver<oneshot::Sender<()>>>>,
    /// The FLUSH of each route; empty until one was installed.
    pub(crate) flush: watch::Receiver<Vec<Flush>>,
}

impl IngestorHandle {
    /// A handle and what the ingestor listens to.
    pub fn new() -> (Self, IngestorRequests) {
        let (drains, requests) = mpsc::channel(DRAINS_MAX);
        let (flush, installed) = watch::channel(Vec::new());
        let handle = Self {
            drains,
            flush: Arc::new(flush),
        };
        let requests = IngestorRequests {
            drains: Arc::new(Mutex::new(requests)),
            flush: installed,
        };
        (handle, requests)
    }

    /// Waits until everything that has entered is published; false when the ingestor went before.
    pub async fn drain(&self) -> bool {
        let (done, waits) = oneshot::channel();
        self.drains.send(done).await.is_ok() && waits.await.is_ok()
    }

    /// Installs the FLUSH of each route, in the order of the definition, and has what is buffered leave. Returns at once;
    /// the ingestor does it when it comes to it.
    pub fn set_flush(&self, flush: Vec<Flush>) {
        self.flush.send_replace(flush);
    }
}
