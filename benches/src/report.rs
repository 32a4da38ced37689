//! The table that a run prints: what was measured, what it is compared with, the ratio and the bound it should keep.

use std::io::Write;
use std::process::Command;

/// The core that servers are pinned to.
pub(crate) const SERVER_CORE: usize = 0;
/// The core that the clients (this process) are pinned to.
pub(crate) const CLIENT_CORE: usize = 1;

/// Pins a process, with all its threads, to a core; on a machine without `taskset` both stay unpinned.
pub(crate) fn pin(process: u32, core: usize) {
    let pinned = Command::new("taskset")
        .args(["-acp", &core.to_string(), &process.to_string()])
        .output();
    if pinned.is_err() {
        say("taskset is missing: nothing is pinned");
    }
}

/// A line of progress on standard error.
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap_or_default();
}

/// Collected rows of the table.
#[derive(Debug)]
pub(crate) struct Report {
    rows: Vec<[String; 5]>,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// A figure with its baseline; `bound` says what the ratio (or the figure) shall keep.
    pub(crate) fn row(&mut self, what: &str, [nervix, baseline, ratio]: [String; 3], bound: &str) {
        say(&format!("{what}: {nervix} | {baseline} | {ratio} | {bound}"));
        self.rows
            .push([what.to_owned(), nervix, baseline, ratio, bound.to_owned()]);
    }

    /// Prints the table as Markdown on standard output, headed by the machine's shape and the date.
    pub(crate) fn print(&self) {
        let mut out = std::io::stdout().lock();
        let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
        line(format!("{}\n", machine()));
        line("| measured | Nervix | beside it | ratio | bound |".to_owned());
        line("|---|---|---|---|---|".to_owned());
        for row in &self.rows {
            line(format!("| {} |", row.join(" | ")));
        }
    }
}

fn machine() -> String {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .output()
            .map(|output| output.stdout);
        String::from_utf8_lossy(&output.unwrap_or_default())
            .trim()
            .to_owned()
    };
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model
        .lines()
        .find(|line| line.starts_with("model name"))
        .unwrap_or("model name: unknown")
        .to_owned();
    let model = model.split(':').nth(1).unwrap_or_default().trim().to_owned();
    format!(
        "{} cores of {model}, {}, {}",
        output("nproc", &[]),
        output("uname", &["-sr"]),
        output("date", &["+%Y-%m-%d"])
    )
}
