//! The bounds of a worker, as arguments.

use std::time::Duration;

use clap::Args;
use nervix_data_plane::WorkerOptions;

use crate::{exit::Failure, quantity};

/// Bounds of memory, messages and time.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Bounds")]
pub(super) struct Limits {
    /// Bytes that batches, buffers and retained payloads may hold before ways in wait
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = quantity::bytes)]
    memory_budget: u64,
    /// Bound of one gRPC message of Arrow Flight, both ways
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = quantity::bytes)]
    flight_max_message: u64,
    /// Bound of assigned, unanswered bytes of one consumer
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = quantity::bytes)]
    flight_consumer_bytes: u64,
    /// How long a drain may take at SIGTERM before what is open is answered UNRESOLVED
    #[arg(
        long,
        alias = "drain-timeout",
        value_name = "DURATION",
        default_value = "60s",
        value_parser = quantity::duration
    )]
    drain_bound: Duration,
}

impl Limits {
    pub(super) fn drain_bound(&self) -> Duration {
        self.drain_bound
    }

    pub(super) fn set(&self, options: &mut WorkerOptions) -> Result<(), Failure> {
        options.budget_bytes = self.memory_budget;
        options.max_message_bytes = usize::try_from(self.flight_max_message).map_err(|_| {
            Failure::Usage("--flight-max-message is larger than this machine can address".to_owned())
        })?;
        options.consumer_bytes = self.flight_consumer_bytes;
        options.drain_bound = self.drain_bound;
        Ok(())
    }
}
