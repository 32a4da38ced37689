//! A child process that is ended by its id when the test is done with it, with what it printed kept for failures.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::wait::{must, until};

/// What Linux counts processor time in, on every machine of ours: USER_HZ is 100.
const TICK_MILLIS: u64 = 10;

/// A running child.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command` with both outputs going to `log` (appended, so that a restart keeps the history).
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn start(name: &str, mut command: Command, log: &Path) -> Self {
        let out = must(
            "open the log",
            File::options().create(true).append(true).open(log),
        );
        let err = must("share the log", out.try_clone());
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => panic!("start {name} ({:?}): {error}", command.get_program()),
        };
        Self {
            name: name.to_owned(),
            child,
            log: log.to_owned(),
        }
    }

    /// Operating-system id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// All it has printed so far.
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// `Some` once it has ended.
    ///
    /// # Panics
    /// When the operating system refuses to say.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        must("ask for the child's state", self.child.try_wait())
    }

    /// Ends it at once, as a crash would (SIGKILL).
    pub fn kill(&mut self) {
        if self.child.kill().is_ok() {
            must("wait for the killed child", self.child.wait());
        }
    }

    /// Asks it to end (SIGTERM) and waits.
    ///
    /// # Panics
    /// When it does not end within the harness's patience.
    pub async fn terminate(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.exit().await
    }

    /// Sends a signal by name, such as `TERM`, `STOP`, `CONT`.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let sent = must("run kill", Command::new("kill").args(["-s", name, &id]).status());
        assert!(sent.success(), "kill -s {name} {} failed", self.name);
    }

    /// Bounds the size that files may grow to under its hands, in bytes, as a full disk does; nothing lifts the bound.
    ///
    /// # Panics
    /// When the bound cannot be set.
    pub fn limit_files(&self, bytes: Option<u64>) {
        let bound = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
        let arguments = [
            format!("--pid={}", self.id()),
            format!("--fsize={bound}:unlimited"),
        ];
        let set = must("run prlimit", Command::new("prlimit").args(arguments).status());
        assert!(set.success(), "prlimit of {} failed", self.name);
    }

    /// Waits until it has ended by itself.
    ///
    /// # Panics
    /// When it does not within the harness's patience.
    pub async fn exit(&mut self) -> ExitStatus {
        let what = format!("{} ends", self.name);
        until(&what, || {
            let ended = self.ended();
            async move { ended }
        })
        .await
    }

    /// Resident memory in bytes.
    ///
    /// # Panics
    /// When the process has ended.
    pub fn resident_bytes(&self) -> u64 {
        let status = must(
            "read /proc",
            std::fs::read_to_string(format!("/proc/{}/status", self.id())),
        );
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap_or_default();
        let kib: u64 = line
            .split_whitespace()
            .nth(1)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0);
        kib * 1024
    }

    /// Processor time that all its threads have used so far, in user and kernel mode.
    ///
    /// # Panics
    /// When the process has ended.
    pub fn cpu_time(&self) -> Duration {
        let stat = must(
            "read /proc",
            std::fs::read_to_string(format!("/proc/{}/stat", self.id())),
        );
        // The second field, the name in brackets, may hold spaces; the 14th and 15th are ticks.
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: u64 = ticks.map(|word| must("read ticks", word.parse::<u64>())).sum();
        Duration::from_millis(ticks * TICK_MILLIS)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let printed = self.printed();
            let lines: Vec<&str> = printed.lines().rev().take(40).collect();
            let tail: Vec<&str> = lines.into_iter().rev().collect();
            // Captured by the test runner, and shown with the failure.
            std::mem::drop(std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("--- last lines of {}\n{}\n---\n", self.name, tail.join("\n")).as_bytes(),
            ));
        }
    }
}
