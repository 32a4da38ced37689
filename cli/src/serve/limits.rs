//! The bounds of a worker, as arguments.

use std::time::Duration;

use clap::Args;
use nervix_data_plane::{
    CONNECTIONS_DEFAULT, MESSAGE_BYTES_DEFAULT, MESSAGE_BYTES_MIN, WorkerOptions, message_bytes_within,
};

use super::memory;
use crate::quantity;

/// Bounds of memory, messages and time.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Bounds")]
pub(super) struct Limits {
    /// Bytes that batches, buffers, states and retained payloads may hold before ways in wait; a quarter of what the
    /// machine, or its control group, has when left out
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    memory_budget: Option<u64>,
    /// Bound of one gRPC message of Arrow Flight, both ways, at most half of --memory-budget; 64MiB, or what fits, when
    /// left out
    #[arg(long, value_name = "SIZE", value_parser = message_bytes)]
    flight_max_message: Option<usize>,
    /// Bound of assigned, unanswered bytes of one consumer
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = quantity::bytes)]
    flight_consumer_bytes: u64,
    /// Connections of Arrow Flight at a time; past them the newest is closed
    #[arg(long, value_name = "CONNECTIONS", default_value_t = CONNECTIONS_DEFAULT, value_parser = quantity::count)]
    flight_max_connections: usize,
    /// How long a drain may take at SIGTERM before what is open is answered UNRESOLVED
    #[arg(
        long,
        alias = "drain-timeout",
        value_name = "DURATION",
        default_value = "60s",
        value_parser = quantity::duration
    )]
    drain_bound: Duration,
    #[cfg(feature = "extension")]
    #[command(flatten)]
    extensions: super::extensions::Extensions,
}

impl Limits {
    pub(super) fn drain_bound(&self) -> Duration {
        self.drain_bound
    }

    pub(super) fn set(&self, options: &mut WorkerOptions) {
        options.budget_bytes = self.memory_budget.unwrap_or_else(memory::budget_bytes);
        options.max_message_bytes = self
            .flight_max_message
            .unwrap_or_else(|| default_message_bytes(options.budget_bytes));
        options.consumer_bytes = self.flight_consumer_bytes;
        options.max_connections = self.flight_max_connections;
        options.drain_bound = self.drain_bound;
        #[cfg(feature = "extension")]
        self.extensions.set(options);
    }
}

/// The bound of messages where none is given. A budget without room for the least of them is refused at the start.
fn default_message_bytes(budget_bytes: u64) -> usize {
    MESSAGE_BYTES_DEFAULT
        .min(message_bytes_within(budget_bytes))
        .max(MESSAGE_BYTES_MIN)
}

/// A bound of messages that leaves room for a batch.
fn message_bytes(text: &str) -> Result<usize, String> {
    let bytes = usize::try_from(quantity::bytes(text)?)
        .map_err(|_| "it is larger than this machine can address".to_owned())?;
    if bytes < MESSAGE_BYTES_MIN {
        let least = MESSAGE_BYTES_MIN / 1024;
        return Err(format!(
            "write at least {least}KiB: a batch needs room beside what surrounds it"
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use nervix_data_plane::{MESSAGE_BYTES_DEFAULT, MESSAGE_BYTES_MIN};

    use super::{default_message_bytes, message_bytes};

    #[test]
    fn the_default_bound_of_messages_follows_a_small_budget() {
        assert_eq!(default_message_bytes(1 << 30), MESSAGE_BYTES_DEFAULT);
        assert_eq!(default_message_bytes(64 << 20), 32 << 20);
        assert_eq!(default_message_bytes(1), MESSAGE_BYTES_MIN);
    }

    #[test]
    fn a_message_has_room_for_a_batch() {
        assert_eq!(message_bytes("128KiB"), Ok(128 << 10));
        for text in ["1B", "64KiB", "131071B"] {
            let refused = message_bytes(text).unwrap_err();
            assert!(refused.contains("128KiB"), "{refused}");
        }
    }
}
