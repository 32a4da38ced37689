//! How far a sending is: a bar on a terminal, elsewhere a line now and then while answers are missing; and on any
//! standard error a line when nothing moves and why.
//!
//! Invariant: rows and batches are counted, and no value of them is ever shown.

use std::{
    convert::Infallible,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use arrow::array::RecordBatch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nervix_client::{WriteMonitor, WriteReport};

use crate::{output, patience};

/// Trouble that lasts this long is told.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Looks until the first line where there is no bar; each further one takes twice as many, up to the most.
const LOOKS_FIRST: u32 = 5;
const LOOKS_MAX: u32 = 60;

/// What to say of a sending that is given up before its writer is there.
pub(super) const NOTHING_SENT: &str = "ended by a signal before anything was sent";

/// What was given to the writer and what became of it, and the bar where somebody would see it.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    has_bar: bool,
    rows_written: AtomicU64,
    batches_written: AtomicU64,
    monitor: OnceLock<WriteMonitor>,
}

impl Progress {
    pub(super) fn start(size_bytes: Option<u64>) -> Self {
        let has_bar = output::notes_are_on_a_terminal();
        Progress {
            bar: if has_bar {
                drawn(size_bytes)
            } else {
                ProgressBar::hidden()
            },
            has_bar,
            rows_written: AtomicU64::new(0),
            batches_written: AtomicU64::new(0),
            monitor: OnceLock::new(),
        }
    }

    /// So many more bytes of the input were read.
    pub(super) fn read(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// A batch was given to the writer.
    pub(super) fn write(&self, batch: &RecordBatch) {
        let rows = u64::try_from(batch.num_rows()).unwrap_or(u64::MAX);
        self.rows_written.fetch_add(rows, Ordering::Relaxed);
        self.batches_written.fetch_add(1, Ordering::Relaxed);
    }

    /// Shows the answers of a writer as they arrive, for as long as it is polled.
    pub(super) async fn watch(&self, monitor: WriteMonitor) -> Infallible {
        let mut monitor = self.monitor.get_or_init(|| monitor).clone();
        let mut looks = patience::looks(LOOK_EVERY);
        let mut lines = Lines::default();
        let mut told = None;
        let mut moved = true;
        loop {
            tokio::select! {
                is_there = monitor.changed() => {
                    if !is_there {
                        return std::future::pending().await;
                    }
                    moved = true;
                    self.bar.set_message(format!("{} rows answered", monitor.report().rows_done));
                }
                _look = looks.tick() => {
                    let trouble = monitor.trouble().filter(|_| !moved);
                    let is_new = trouble.is_some() && trouble != told;
                    let is_due = !self.has_bar && lines.is_due();
                    if is_new || is_due {
                        self.tell(trouble.as_deref(), &monitor.report());
                    }
                    if !moved {
                        told = trouble;
                    }
                    moved = false;
                }
            }
        }
    }

    /// Why nothing moves, and how far it is; nothing where no answer is missing.
    fn tell(&self, trouble: Option<&str>, report: &WriteReport) {
        let line = match (trouble, self.missing(report)) {
            (Some(trouble), Missing { batches: 0, .. }) => format!("waiting: {trouble}"),
            (Some(trouble), missing) => format!("waiting: {trouble}; {missing} await their answer"),
            (None, Missing { batches: 0, .. }) => return,
            (None, missing) => format!(
                "waiting: {missing} await their answer; {} rows are answered; `nervix describe` of the emitters says what \
                 they wait for",
                report.rows_done.saturating_add(report.rows_refused)
            ),
        };
        self.bar.suspend(|| output::note(&line));
    }

    fn missing(&self, report: &WriteReport) -> Missing {
        let answered = report.rows_done.saturating_add(report.rows_refused);
        Missing {
            rows: self.rows_written.load(Ordering::Relaxed).saturating_sub(answered),
            batches: self
                .batches_written
                .load(Ordering::Relaxed)
                .saturating_sub(report.answered()),
        }
    }

    /// What to say of a sending that is given up.
    pub(super) fn given_up(&self) -> String {
        let Some(report) = self.monitor.get().map(WriteMonitor::report) else {
            return NOTHING_SENT.to_owned();
        };
        let mut text = format!(
            "ended by a signal: {} rows in {} batches are done",
            report.rows_done, report.batches_done
        );
        if report.batches_refused > 0 {
            text += &format!(
                ", {} rows in {} batches were refused",
                report.rows_refused, report.batches_refused
            );
        }
        match self.missing(&report) {
            Missing { batches: 0, .. } => text += "; nothing else was sent",
            missing => {
                text += &format!(
                    "; {missing} were not answered, which may or may not have had effects; nothing behind them was sent"
                );
            }
        }
        text
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn drawn(size_bytes: Option<u64>) -> ProgressBar {
    let (bar, template) = match size_bytes {
        Some(size) => (ProgressBar::new(size), "{bar:30} {bytes}/{total_bytes}  {msg}"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes}  {msg}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// What was given to the writer and has no answer yet.
#[derive(Debug, PartialEq, Eq)]
struct Missing {
    rows: u64,
    batches: u64,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} rows in {} batches", self.rows, self.batches)
    }
}

/// When the next line is due, in looks.
#[derive(Debug)]
struct Lines {
    looks: u32,
    pause: u32,
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            looks: 0,
            pause: LOOKS_FIRST,
        }
    }
}

impl Lines {
    /// Counts one look.
    fn is_due(&mut self) -> bool {
        self.looks += 1;
        let due = self.looks > self.pause;
        if due {
            self.looks = 0;
            self.pause = (self.pause * 2).min(LOOKS_MAX);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_become_rare_and_never_stop() {
        let mut lines = Lines::default();
        let due: Vec<u32> = (1..=400).filter(|_| lines.is_due()).collect();
        assert_eq!(due, [6, 17, 38, 79, 140, 201, 262, 323, 384]);
    }
}
