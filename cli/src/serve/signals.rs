//! SIGINT, SIGTERM and SIGHUP, as one wish to stop; SIGXFSZ, as nothing.

use nix::libc;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The wish to stop. Each wait gives one signal: a second one, during a drain, means at once.
#[derive(Debug)]
pub(crate) struct Stop {
    interrupt: Signal,
    terminate: Signal,
    /// The terminal is closed; nothing where the process was started to outlive that, as by nohup.
    hangup: Option<Signal>,
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
            hangup: match ignores_hangup()? {
                true => None,
                false => Some(signal(SignalKind::hangup())?),
            },
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn requested(&mut self) {
        tokio::select! {
            _signal = self.interrupt.recv() => {}
            _signal = self.terminate.recv() => {}
            () = received(self.hangup.as_mut()) => {}
        }
    }
}

async fn received(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP is ignored, as the system tells it.
fn ignores_hangup() -> std::io::Result<bool> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    Ok(ignored.is_some_and(|mask| mask & (1 << (libc::SIGHUP - 1)) != 0))
}
