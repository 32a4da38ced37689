//! SIGINT and SIGTERM, as one wish to stop; SIGXFSZ, as nothing.

use nix::libc;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The wish to stop. Each wait gives one signal: a second one, during a drain, means at once.
#[derive(Debug)]
pub(crate) struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

/// From here on a write past the limit of a file's size (`ulimit -f`) is an error of that write. By itself the system
/// would end the process at it, whatever else it holds.
pub(crate) fn survive_file_limits() -> std::io::Result<()> {
    // The handler stays when this listener, which nobody asks, is gone.
    signal(SignalKind::from_raw(libc::SIGXFSZ)).map(drop)
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
