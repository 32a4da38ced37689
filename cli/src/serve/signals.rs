//! SIGINT and SIGTERM, as one wish to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The wish to stop. Each wait gives one signal: a second one, during a drain, means at once.
#[derive(Debug)]
pub(crate) struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Stop {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn requested(&mut self) {
        tokio::select! {
            _signal = self.interrupt.recv() => {}
            _signal = self.terminate.recv() => {}
        }
    }
}
