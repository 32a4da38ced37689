//! The bounds of extension workers, as arguments.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nervix_data_plane::WorkerOptions;
use nervix_extension::{ExtensionLimits, Pool};

use crate::quantity;

/// Processes that run the programs of codecs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Programs of codecs")]
pub(super) struct Extensions {
    /// Processes that run them; as many as there are cores when left out
    #[arg(long, value_name = "COUNT")]
    extension_workers: Option<NonZeroUsize>,
    /// How long a program may run over one record, batch or payload, which is rejected past it
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = quantity::duration)]
    extension_time: Duration,
    /// Memory that each process may take for its jobs; what needs more is rejected
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = quantity::bytes)]
    extension_memory: u64,
}

impl Extensions {
    pub(super) fn set(&self, options: &mut WorkerOptions) {
        let limits = ExtensionLimits {
            step_time: self.extension_time,
            memory_bytes: self.extension_memory,
            ..self
                .extension_workers
                .map_or_else(ExtensionLimits::default, ExtensionLimits::of_workers)
        };
        options.jobs = Arc::new(Pool::new(limits, options.clock.clone()));
    }
}
