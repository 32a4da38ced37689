//! The worker of one node, from start to drain.
//!
//! Wires the parts together and nothing else: every decision is made in the part that owns it.

use std::{fmt, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use nervix_budget::Budget;
use nervix_clock::PhysicalClock;
use nervix_codec::Jobs;
use nervix_listener::{Connections, Protocol, Terms};
use nervix_relay::{STATE_SHARE, StateBudget};
use nervix_sink::World;
use nervix_state::{StateError, StateStore};
use nspl::MATERIALIZED_STATE;
use nspl_model::SinkKind;
use parking_lot::Mutex;
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot, watch},
};
use tokio_util::sync::CancellationToken;

use crate::{
    assignments::Surroundings,
    control::{ControlPlaneAt, ControlPlaneFiles, Link, Way},
    destinations::{BUILT, Destinations, NoJobs, built_kinds},
    directory::Directory,
    events::Events,
    flight::{Admission, FlightEdge, MessageLimit, serve},
    metrics::Metrics,
    node::{Finish, Node, ORDERS_MAX, Readiness},
    resources::{Resources, Scratch, folder_beside, private_folder},
    supervisor::{Supervisor, Task},
};

/// Bound of a graceful drain where nothing else is said (`--drain-bound`).
pub const DRAIN_BOUND_DEFAULT: Duration = Duration::from_secs(60);
/// Bytes that everything on this node may hold before ways in wait (`--memory-budget`).
pub const BUDGET_BYTES_DEFAULT: u64 = 512 * 1024 * 1024;
/// Bound of one whole gRPC message, both ways (`--flight-max-message`, flight.md "Ends and limits").
pub const MESSAGE_BYTES_DEFAULT: usize = nspl_model::FLIGHT_MESSAGE_BYTES_DEFAULT as usize;
/// The least bound of one gRPC message that leaves room for a batch beside what surrounds it, 64 KiB at most.
pub const MESSAGE_BYTES_MIN: usize = 128 * 1024;
/// Bound of assigned, unanswered bytes per consumer (`--flight-consumer-bytes`, flight.md "Consuming").
pub const CONSUMER_BYTES_DEFAULT: u64 = 64 * 1024 * 1024;
/// Connections of Arrow Flight at a time (`--flight-max-connections`).
pub const CONNECTIONS_DEFAULT: usize = 512;
/// How long streams may take to send their last answers at the end of a drain.
const LAST_WORDS_BOUND: Duration = Duration::from_secs(2);
/// How much longer than its bound a drain may take, where an order, a client or the disk does not end: first what it waits
/// for, then what is left.
const OVERTIME: Duration = Duration::from_secs(5);

/// What a worker is started with.
pub struct WorkerOptions {
    /// Where the control plane listens for workers.
    pub control_plane: ControlPlaneAt,
    /// The bound listener of Arrow Flight.
    pub flight: TcpListener,
    /// The `host:port` that applications are told; the listener's own address when `None`.
    pub advertised: Option<String>,
    /// Stable name of this node.
    pub node: String,
    /// Bytes that batches, buffers and retained payloads may hold before ways in wait.
    pub budget_bytes: u64,
    /// Bound of one gRPC message, both ways, in bytes; at least [`MESSAGE_BYTES_MIN`], at most [`message_bytes_within`]
    /// the budget.
    pub max_message_bytes: usize,
    /// Bound of assigned, unanswered bytes per consumer.
    pub consumer_bytes: u64,
    /// Connections of Arrow Flight at a time; past them the newest is closed.
    pub max_connections: usize,
    /// How long a drain may take before what is open is answered UNRESOLVED.
    pub drain_bound: Duration,
    /// Where the materialized states of this node are kept.
    pub states: StatePlace,
    /// Where the programs of codecs run.
    pub jobs: Arc<dyn Jobs>,
    /// The only source of time.
    pub clock: PhysicalClock,
}

/// Where the materialized states of a node are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatePlace {
    /// In memory: they are gone with the process.
    Memory,
    /// In a file of mode 0600 that is made when it is not there; one worker at a time.
    File(PathBuf),
}

/// The largest bound of one gRPC message, in bytes, that has room in a budget beside what materialized states may hold.
pub fn message_bytes_within(budget_bytes: u64) -> usize {
    let left = budget_bytes - budget_bytes / STATE_SHARE;
    usize::try_from(left).unwrap_or(usize::MAX)
}

impl WorkerOptions {
    /// Options with the documented defaults.
    pub fn new(control: impl Into<ControlPlaneAt>, flight: TcpListener, node: impl Into<String>) -> Self {
        Self {
            control_plane: control.into(),
            flight,
            advertised: None,
            node: node.into(),
            budget_bytes: BUDGET_BYTES_DEFAULT,
            max_message_bytes: MESSAGE_BYTES_DEFAULT,
            consumer_bytes: CONSUMER_BYTES_DEFAULT,
            max_connections: CONNECTIONS_DEFAULT,
            drain_bound: DRAIN_BOUND_DEFAULT,
            states: StatePlace::Memory,
            jobs: Arc::new(NoJobs),
            clock: PhysicalClock::system(),
        }
    }
}

impl fmt::Debug for WorkerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerOptions")
            .field("control_plane", &self.control_plane)
            .field("node", &self.node)
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}

/// Why a worker did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The Flight listener has no usable address.
    #[error("the Flight listener has no local address: {0}")]
    Listener(#[from] std::io::Error),
    /// There is no place for files that go with the process.
    #[error("no folder for files of resources can be made ({0}): name another in TMPDIR or --data-dir")]
    Scratch(std::io::Error),
    /// The materialized states of this node cannot be read or written.
    #[error(transparent)]
    States(#[from] StateError),
    /// The bound of one gRPC message has no room for a batch.
    #[error(
        "one gRPC message of at most {bytes} bytes has no room for a batch beside what surrounds it; allow at least \
         {MESSAGE_BYTES_MIN} bytes"
    )]
    MessageBytes {
        /// What was given.
        bytes: usize,
    },
    /// Materialized states may leave no room for a message, which would then wait for ever.
    #[error(
        "a memory budget of {budget_bytes} bytes has no room for one gRPC message of {bytes} bytes beside materialized \
         states, which may hold one part in {STATE_SHARE} of it; allow more memory, or messages of at most {most} bytes"
    )]
    BudgetBytes {
        /// The budget that was given.
        budget_bytes: u64,
        /// The bound of one message that was given.
        bytes: usize,
        /// The largest bound of one message that fits that budget.
        most: usize,
    },
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
pub struct WorkerHandle {
    flight_addr: SocketAddr,
    surroundings: Surroundings,
    metrics: Metrics,
    ready: watch::Receiver<Readiness>,
    finish: mpsc::Sender<Finish>,
    close: CancellationToken,
    running: Mutex<Option<Running>>,
    /// Goes with the worker.
    _scratch: Scratch,
}

/// The tasks of a worker.
struct Running {
    link: Task,
    serving: Task,
    _node: Task,
}

impl WorkerHandle {
    /// Where Arrow Flight listens.
    pub fn flight_addr(&self) -> SocketAddr {
        self.flight_addr
    }

    /// True while there is no reason in [`Self::unready`].
    pub fn ready(&self) -> bool {
        self.unready().is_none()
    }

    /// Why it is not ready, on one line. Nothing while the whole assigned graph runs, from the first assignment that was
    /// applied without a failure until one has a failure or a drain begins, and its states can be made durable.
    pub fn unready(&self) -> Option<String> {
        if self.surroundings.directory.is_draining() {
            return Some("the worker drains".to_owned());
        }
        if let Some(failure) = self.surroundings.states.status().failure {
            return Some(failure.to_string());
        }
        let stands = !self.ready.borrow().runs;
        stands.then(|| "not everything that was assigned to the worker runs".to_owned())
    }

    /// Waits until the first assignment has been applied, whatever of it could not be started; returns at once when it
    /// has.
    pub async fn wait_ready(&self) {
        // Refused only when the worker has ended, which nobody needs to wait for.
        drop(self.ready.clone().wait_for(|ready| ready.assigned).await);
    }

    /// The families of companion.md section 16 in Prometheus' text form.
    pub fn metrics(&self) -> String {
        self.metrics.text()
    }

    /// Ends ways in, lets emitters finish within the drain bound, answers what is left UNRESOLVED, and stops. A second
    /// call finds nothing left to do.
    pub async fn drain(&self) -> DrainOutcome {
        let nothing = DrainOutcome {
            drained: true,
            leftovers: Vec::new(),
        };
        let Some(running) = self.running.lock().take() else {
            return nothing;
        };
        self.surroundings.directory.begin_drain();
        let (told, leftovers) = oneshot::channel();
        let finish = Finish {
            deadline: self.surroundings.clock.now().after(self.surroundings.drain_bound),
            leftovers: told,
        };
        let overtime = finish.deadline.after(OVERTIME);
        let asked = async {
            self.finish.send(finish).await.ok()?;
            leftovers.await.ok()
        };
        let clock = &self.surroundings.clock;
        let mut leftovers = match clock.timeout_at(overtime, asked).await {
            Ok(Some(leftovers)) => leftovers,
            Ok(None) => vec!["the task of this node had ended".to_owned()],
            Err(_) => vec!["the node did not finish in time".to_owned()],
        };
        self.close.cancel();
        let last_words = clock.timeout(LAST_WORDS_BOUND, running.serving.joined());
        if last_words.await.is_err() {
            tracing::info!("streams of applications were cut off at the end of the drain");
        }
        running.link.end().await;
        let states = self.surroundings.states.clone();
        let ended = async {
            self.surroundings
                .supervisor
                .blocking(move || states.close())
                .await;
            self.surroundings.supervisor.end_all().await;
        };
        if clock.timeout(OVERTIME, ended).await.is_err() {
            self.surroundings.supervisor.cancel_all();
            leftovers.push("the disk did not answer in time".to_owned());
        }
        DrainOutcome {
            drained: leftovers.is_empty(),
            leftovers,
        }
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.surroundings.supervisor.cancel_all();
    }
}

impl fmt::Debug for WorkerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerHandle")
            .field("flight_addr", &self.flight_addr)
            .field("ready", &self.ready())
            .finish_non_exhaustive()
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
    #[allow(
        clippy::unused_async,
        reason = "it must be called on a runtime, where it spawns"
    )]
    pub async fn start(options: WorkerOptions) -> Result<WorkerHandle, StartError> {
        check_bytes(options.max_message_bytes, options.budget_bytes)?;
        let flight_addr = options.flight.local_addr()?;
        let way = Way::to(&options.control_plane).map_err(|_| StartError::ControlAddress {
            address: options.control_plane.to_string(),
        })?;
        let advertised = options
            .advertised
            .clone()
            .unwrap_or_else(|| flight_addr.to_string());
        let (surroundings, scratch) = surroundings(&options, &way)?;
        let (holdings_sent, holdings) = watch::channel(Vec::new());
        let (ready_sent, ready) = watch::channel(Readiness::default());
        let (orders_sent, orders) = mpsc::channel(ORDERS_MAX);
        let (finish, finishes) = mpsc::channel(1);
        let close = CancellationToken::new();
        let metrics = Metrics::new(&options.node, &surroundings);
        let supervisor = &surroundings.supervisor;
        let node = Node::new(surroundings.clone(), holdings_sent, Arc::new(ready_sent));
        let link = Link {
            control_plane: options.control_plane,
            node: options.node,
            flight_address: advertised.clone(),
            kinds: kinds(),
            message_bytes_max: u64::try_from(options.max_message_bytes).unwrap_or(u64::MAX),
            holdings,
            orders: orders_sent,
            events: surroundings.events.clone(),
            clock: surroundings.clock.clone(),
        };
        let edge = FlightEdge {
            directory: surroundings.directory.clone(),
            supervisor: supervisor.clone(),
            admission: Admission::new(
                surroundings.budget.clone(),
                surroundings.clock.clone(),
                surroundings.limit,
            ),
            advertised,
        };
        let connections = accepted(options.flight, options.max_connections, &surroundings);
        let closed = close.clone();
        let serving = async move {
            if let Err(error) = serve(edge, connections, closed.cancelled_owned()).await {
                tracing::error!(%error, "Arrow Flight cannot be served any more");
            }
        };
        let running = Running {
            link: supervisor.once(link.run(way), || {
                tracing::error!("the link to the control plane panicked")
            }),
            serving: supervisor.once(serving, || tracing::error!("the Flight server panicked")),
            _node: supervisor.once(node.run(orders, finishes), || {
                tracing::error!("the task of the node panicked")
            }),
        };
        Ok(WorkerHandle {
            flight_addr,
            surroundings,
            metrics,
            ready,
            finish,
            close,
            running: Mutex::new(Some(running)),
            _scratch: scratch,
        })
    }
}

fn check_bytes(bytes: usize, budget_bytes: u64) -> Result<(), StartError> {
    if bytes < MESSAGE_BYTES_MIN {
        return Err(StartError::MessageBytes { bytes });
    }
    let most = message_bytes_within(budget_bytes);
    if bytes > most {
        return Err(StartError::BudgetBytes {
            budget_bytes,
            bytes,
            most,
        });
    }
    Ok(())
}

fn accepted(listener: TcpListener, connections_max: usize, surroundings: &Surroundings) -> Connections {
    let terms = Terms {
        title: "Arrow Flight",
        connections_max,
        protocol: Protocol::Http2,
    };
    Connections::new(listener, terms, surroundings.clock.clone())
}

fn surroundings(options: &WorkerOptions, way: &Way) -> Result<(Surroundings, Scratch), StartError> {
    // The file of states is open once, so what lies beside it is this worker's too.
    let (states, scratch) = match &options.states {
        StatePlace::Memory => (StateStore::in_memory()?, private_folder()),
        StatePlace::File(path) => (StateStore::open(path)?, folder_beside(path)),
    };
    let scratch = scratch.map_err(StartError::Scratch)?;
    let budget = Budget::new(options.budget_bytes);
    let world = World {
        clock: options.clock.clone(),
        budget: budget.clone(),
        scratch: scratch.path().to_owned(),
        node: options.node.as_str().into(),
    };
    let files = ControlPlaneFiles {
        way: way.clone(),
        clock: options.clock.clone(),
    };
    let resources = Resources::new(Arc::new(files), world.scratch.clone());
    let destinations = Destinations::new(BUILT, world, resources, Arc::clone(&options.jobs));
    let surroundings = Surroundings {
        supervisor: Supervisor::new(options.clock.clone()),
        state_budget: StateBudget::of(budget.clone()),
        states,
        budget,
        clock: options.clock.clone(),
        directory: Directory::default(),
        destinations,
        events: Events::new(options.clock.clone()),
        consumer_bytes: options.consumer_bytes,
        limit: MessageLimit::new(options.max_message_bytes),
        drain_bound: options.drain_bound,
        incarnations: Arc::default(),
    };
    Ok((surroundings, scratch))
}

/// What this worker was built with, in NSPL's words.
fn kinds() -> Vec<String> {
    let always = [SinkKind::Client.name(), MATERIALIZED_STATE];
    always
        .into_iter()
        .chain(built_kinds())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::{MESSAGE_BYTES_MIN, StartError, Worker, WorkerOptions};

    #[tokio::test]
    async fn a_bound_of_messages_without_room_for_a_batch_is_refused() {
        for (bytes, refused) in [
            (0, true),
            (MESSAGE_BYTES_MIN - 1, true),
            (MESSAGE_BYTES_MIN, false),
        ] {
            let flight = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let mut options = WorkerOptions::new("127.0.0.1:1", flight, "n1");
            options.max_message_bytes = bytes;
            match Worker::start(options).await {
                Ok(_) => assert!(!refused, "{bytes}"),
                Err(error) => {
                    assert!(refused, "{error}");
                    assert!(matches!(error, StartError::MessageBytes { bytes: given } if given == bytes));
                    assert!(error.to_string().contains("131072"), "{error}");
                }
            }
        }
    }
    #[tokio::test]
    async fn a_budget_without_room_for_a_message_beside_states_is_refused() {
        let least = 2 * MESSAGE_BYTES_MIN as u64;
        for (budget_bytes, refused) in [(0, true), (least - 2, true), (least, false)] {
            let flight = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let mut options = WorkerOptions::new("127.0.0.1:1", flight, "n1");
            options.max_message_bytes = MESSAGE_BYTES_MIN;
            options.budget_bytes = budget_bytes;
            let started = Worker::start(options).await;
            assert_eq!(
                matches!(started, Err(StartError::BudgetBytes { .. })),
                refused,
                "{budget_bytes}"
            );
        }
    }
}
