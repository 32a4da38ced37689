//! The metrics of a worker (companion.md section 16).
//!
//! Counters live beside what they count; a scrape reads them. Invariant: no label carries a value of a record or a
//! branch key; names are those of [`Family`] and no others.

mod family;
mod scrape;

use prometheus_client::{encoding::text::encode, registry::Registry};

use crate::assignments::Surroundings;
pub(crate) use family::Family;
use scrape::Scrape;

/// Everything that a scrape reads.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
}

impl Metrics {
    pub(crate) fn new(node: &str, surroundings: &Surroundings) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Scrape::new(
            node,
            surroundings.directory.clone(),
            (surroundings.budget.clone(), surroundings.states.clone()),
        )));
        Self { registry }
    }

    /// The text form of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if encode(&mut text, &self.registry).is_err() {
            tracing::error!("the metrics could not be written");
        }
        text
    }
}
