//! One process of a pool.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::note::NoteFile;

/// The executable that runs, whatever became of its file.
const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// The subcommand under which an executable serves as an extension worker.
pub(crate) const SUBCOMMAND: &str = "extension-worker";

/// How much address space the allocator of the executable takes ahead. It would take a gibibyte before any job, and the limit
/// of memory, which is held against address space, would begin above that.
const ARENA: &str = "MIMALLOC_ARENA_RESERVE";
const ARENA_BYTES: &str = "16M";

/// How a process is started.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// An executable that knows the subcommand; this one when it is none.
    pub(crate) executable: Option<PathBuf>,
    pub(crate) memory_bytes: u64,
}

/// A process; dropping it ends it.
pub(crate) struct Process {
    child: Child,
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
    pub(crate) notes: NoteFile,
    /// How many jobs it was given.
    pub(crate) jobs: u64,
}

/// How a process ended by itself, or by somebody's hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It could not go on: it ran out of memory or stack.
    Exhausted,
    /// Somebody else ended it.
    Killed,
}

impl Start {
    pub(crate) fn process(&self) -> io::Result<Process> {
        let (notes, given) = NoteFile::create()?;
        let own = || PathBuf::from(OWN_EXECUTABLE);
        let mut command = Command::new(self.executable.clone().unwrap_or_else(own));
        command
            .arg0("nervix")
            .arg(SUBCOMMAND)
            .arg("--memory")
            .arg(self.memory_bytes.to_string())
            // Nothing of the node's settings and secrets is there to be read.
            .env_clear()
            .env(ARENA, ARENA_BYTES)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(given))
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        Ok(Process {
            input: child.stdin.take().ok_or_else(gone)?,
            output: child.stdout.take().ok_or_else(gone)?,
            child,
            notes,
            jobs: 0,
        })
    }
}

impl Process {
    /// Whether nobody has ended it since its last job.
    pub(crate) fn lives(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it, and waits until it is gone.
    pub(crate) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            tracing::warn!(%error, "an extension worker could not be ended");
        }
    }

    /// How it ended, after its pipes broke. One that goes on is ended: it said what is no answer.
    pub(crate) async fn ending(mut self) -> Ending {
        // One that has closed its pipes is ending already, for a cause that this changes nothing of.
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(%error, "an extension worker had ended by itself");
        }
        match self.child.wait().await {
            Ok(status) => ending(status),
            Err(_) => Ending::Killed,
        }
    }
}

/// A process that cannot have memory or stack is aborted by its own runtime, or by the kernel at the place where it is.
fn ending(status: ExitStatus) -> Ending {
    const ILLEGAL: i32 = 4;
    const ABORT: i32 = 6;
    const BUS: i32 = 7;
    const SEGMENT: i32 = 11;
    match status.signal() {
        Some(ILLEGAL | ABORT | BUS | SEGMENT) => Ending::Exhausted,
        _ => Ending::Killed,
    }
}
