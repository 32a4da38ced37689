//! How far a sending is: a bar on a terminal, and on any standard error a line when nothing moves and why.

use std::{convert::Infallible, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nervix_client::WriteMonitor;

use crate::{output, patience};

/// Trouble that lasts this long is told.
const TELL_AFTER: Duration = Duration::from_secs(1);

/// The bar, or nothing where nobody would see it.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(super) fn start(size_bytes: Option<u64>) -> Self {
        if !output::notes_are_on_a_terminal() {
            return Progress {
                bar: ProgressBar::hidden(),
            };
        }
        let (bar, template) = match size_bytes {
            Some(size) => (ProgressBar::new(size), "{bar:30} {bytes}/{total_bytes}  {msg}"),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes}  {msg}"),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// So many more bytes of the input were read.
    pub(super) fn read(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Shows answers as they arrive, for as long as it is polled.
    pub(super) async fn watch(&self, mut monitor: WriteMonitor) -> Infallible {
        let mut told = None;
        loop {
            match patience::within(TELL_AFTER, monitor.changed()).await {
                Some(false) => return std::future::pending().await,
                Some(true) => self
                    .bar
                    .set_message(format!("{} rows answered", monitor.report().rows_done)),
                None => {
                    let trouble = monitor.trouble();
                    if let Some(trouble) = trouble.as_ref().filter(|_| trouble != told) {
                        self.bar.suspend(|| output::note(&format!("waiting: {trouble}")));
                    }
                    told = trouble;
                }
            }
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
