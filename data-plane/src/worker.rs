//! The worker of one node, from start to drain.
//!
//! Wires the parts together and nothing else: every decision is made in the part that owns it.

use std::{net::SocketAddr, time::Duration};

use tokio::net::TcpListener;

/// Bound of a graceful drain where nothing else is said (`--drain-bound`).
pub const DRAIN_BOUND_DEFAULT: Duration = Duration::from_secs(60);
/// Bytes that everything on this node may hold before ways in wait (`--memory-budget`).
pub const BUDGET_BYTES_DEFAULT: u64 = 512 * 1024 * 1024;
/// Bound of one whole gRPC message, both ways (`--flight-max-message`, flight.md "Ends and limits").
pub const MESSAGE_BYTES_DEFAULT: usize = 64 * 1024 * 1024;
/// Bound of assigned, unanswered bytes per consumer (`--flight-consumer-bytes`, flight.md "Consuming").
pub const CONSUMER_BYTES_DEFAULT: u64 = 64 * 1024 * 1024;

/// What a worker is started with.
#[derive(Debug)]
pub struct WorkerOptions {
    /// Where the control plane listens, as `host:port`.
    pub control_addr: String,
    /// The bound listener of Arrow Flight.
    pub flight: TcpListener,
    /// The `host:port` that applications are told; the listener's own address when `None`.
    pub advertised: Option<String>,
    /// Stable name of this node.
    pub node: String,
    /// Bytes that batches, buffers and retained payloads may hold before ways in wait.
    pub budget_bytes: u64,
    /// Bound of one gRPC message, both ways, in bytes.
    pub max_message_bytes: usize,
    /// Bound of assigned, unanswered bytes per consumer.
    pub consumer_bytes: u64,
    /// How long a drain may take before what is open is answered UNRESOLVED.
    pub drain_bound: Duration,
}

impl WorkerOptions {
    /// Options with the documented defaults.
    pub fn new(control_addr: impl Into<String>, flight: TcpListener, node: impl Into<String>) -> Self {
        Self {
            control_addr: control_addr.into(),
            flight,
            advertised: None,
            node: node.into(),
            budget_bytes: BUDGET_BYTES_DEFAULT,
            max_message_bytes: MESSAGE_BYTES_DEFAULT,
            consumer_bytes: CONSUMER_BYTES_DEFAULT,
            drain_bound: DRAIN_BOUND_DEFAULT,
        }
    }
}

/// Why a worker did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The Flight listener has no usable address.
    #[error("the Flight listener has no local address: {0}")]
    Listener(#[from] std::io::Error),
    /// The address of the control plane is not `host:port`.
    #[error("`{address}` is not an address of a control plane; write host:port")]
    ControlAddress {
        /// What was given.
        address: String,
    },
}

/// What a drain achieved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainOutcome {
    /// True when everything that was admitted has been settled within the bound.
    pub drained: bool,
    /// What was left, one sentence each; empty when drained.
    pub leftovers: Vec<String>,
}

/// A running worker. Dropping it stops everything at once, without a drain.
#[derive(Debug)]
pub struct WorkerHandle {
    flight_addr: SocketAddr,
}

impl WorkerHandle {
    /// Where Arrow Flight listens.
    pub fn flight_addr(&self) -> SocketAddr {
        self.flight_addr
    }

    /// True while the assigned graph runs: from the first applied assignment until a drain begins.
    pub fn ready(&self) -> bool {
        false
    }

    /// Waits until [`ready`](Self::ready); returns at once when it already is.
    pub async fn wait_ready(&self) {}

    /// The families of companion.md section 16 in Prometheus' text form.
    pub fn metrics(&self) -> String {
        String::new()
    }

    /// Ends ways in, lets emitters finish within the drain bound, answers what is left UNRESOLVED, and stops.
    pub async fn drain(self) -> DrainOutcome {
        DrainOutcome {
            drained: true,
            leftovers: Vec::new(),
        }
    }
}

/// Starts workers.
#[derive(Debug)]
pub struct Worker;

impl Worker {
    /// Starts serving Flight and attaches to the control plane in the background, however long that takes.
    ///
    /// # Errors
    /// [`StartError`] when the options cannot work at all; an absent control plane is not an error.
    pub async fn start(options: WorkerOptions) -> Result<WorkerHandle, StartError> {
        let flight_addr = options.flight.local_addr()?;
        Ok(WorkerHandle { flight_addr })
    }
}
