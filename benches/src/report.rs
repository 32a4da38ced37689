//! The table that a run prints: what was measured, what it is compared with, the ratio and the bound it should keep.

use std::io::Write;
use std::process::Command;

use crate::bound::Bound;
use crate::runs::Runs;

/// The core that servers are pinned to.
pub(crate) const SERVER_CORE: usize = 0;
/// The core that the clients (this process) are pinned to.
pub(crate) const CLIENT_CORE: usize = 1;

/// Pins a process, with all its threads, to a core; on a machine without `taskset` both stay unpinned.
pub(crate) fn pin(process: u32, core: usize) {
    let pinned = Command::new("taskset")
        .args(["-acp", &core.to_string(), &process.to_string()])
        .output();
    if !pinned.is_ok_and(|output| output.status.success()) {
        say("taskset is missing or refused: nothing is pinned");
    }
}

/// A line of progress on standard error.
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap_or_default();
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    /// What was measured.
    pub(crate) what: &'a str,
    /// The figure of Nervix, with its unit.
    pub(crate) nervix: String,
    /// What it is held against, with its unit; empty where the ratio says it all.
    pub(crate) beside: String,
    /// What is bounded.
    pub(crate) ratio: Option<Runs>,
    /// Its bound.
    pub(crate) bound: Bound,
}

/// Collected rows of the table.
#[derive(Debug)]
pub(crate) struct Report {
    machine: String,
    rows: Vec<String>,
    missed: Vec<String>,
}

impl Report {
    /// An empty table. Made before this process is pinned, which hides the other cores from it.
    pub(crate) fn new() -> Self {
        Self {
            machine: machine(),
            rows: Vec::new(),
            missed: Vec::new(),
        }
    }

    /// Adds a figure; the median of its ratio is what has to keep the bound.
    pub(crate) fn row(&mut self, row: Row<'_>) {
        let Row {
            what,
            nervix,
            beside,
            ratio,
            bound,
        } = row;
        let kept = ratio.as_ref().is_none_or(|ratio| bound.keeps(ratio.median()));
        let ratio = ratio.map(|ratio| ratio.text(|ratio| format!("{ratio:.2}")));
        let ratio = ratio.unwrap_or_default();
        let mark = if kept { "" } else { " MISSED" };
        let line = format!("| {what} | {nervix} | {beside} | {ratio} | {bound}{mark} |");
        say(&line);
        if !kept {
            self.missed.push(what.to_owned());
        }
        self.rows.push(line);
    }

    /// Prints the table as Markdown on standard output, headed by the machine's shape, the date and the commit. Says
    /// which rows missed their bound.
    pub(crate) fn print(self) -> Vec<String> {
        let mut out = std::io::stdout().lock();
        let mut line = |text: &str| writeln!(out, "{text}").unwrap_or_default();
        line(&self.machine);
        line("");
        line("| measured | Nervix | beside it | ratio | bound |");
        line("|---|---|---|---|---|");
        self.rows.iter().for_each(|row| line(row));
        self.missed
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
        .and_then(|line| line.split(':').nth(1))
        .unwrap_or("an unknown processor")
        .trim()
        .to_owned();
    format!(
        "{} cores of {model}, {}, {}, commit {}",
        output("nproc", &[]),
        output("uname", &["-sr"]),
        output("date", &["+%Y-%m-%d"]),
        output("git", &["describe", "--always", "--dirty", "--abbrev=10"])
    )
}
