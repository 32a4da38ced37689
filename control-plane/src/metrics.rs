//! The metric families of a control plane.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::catalog::State;

/// Counters since the start of the process.
#[derive(Default)]
pub(crate) struct Metrics {
    commits: AtomicU64,
    refused: AtomicU64,
}

impl Metrics {
    pub(crate) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn script_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// All families in Prometheus' text form.
    pub(crate) fn text(&self, state: &State, workers: usize) -> String {
        let families = [
            (
                "nervix_control_revision",
                "gauge",
                "Revision of the catalog.",
                state.revision().0,
            ),
            (
                "nervix_control_entities",
                "gauge",
                "Entities of the catalog.",
                state.catalog.len() as u64,
            ),
            (
                "nervix_control_workers",
                "gauge",
                "Workers attached to this control plane.",
                workers as u64,
            ),
            (
                "nervix_control_commits_total",
                "counter",
                "Commits made by this control plane.",
                self.commits.load(Ordering::Relaxed),
            ),
            (
                "nervix_control_scripts_refused_total",
                "counter",
                "Scripts that were refused as a whole.",
                self.refused.load(Ordering::Relaxed),
            ),
        ];
        let lines = families.map(|(name, kind, help, value)| {
            format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n")
        });
        lines.concat()
    }
}
