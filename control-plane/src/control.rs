//! Starting and stopping a control plane.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use nervix_clock::PhysicalClock;
use nervix_listener::{Connections, Dialled, Protocol, Terms};
use nervix_store::{Store, StoreError};
use tokio::{net::TcpListener, sync::Semaphore};
use uuid::Uuid;

use crate::{
    api::{self, OtherControlPlanes},
    catalog::{Catalog, Identity, LoadError},
    change::{Changes, Turns, UPLOADS_MAX},
    cluster::Cluster,
    events::Events,
    metrics::Metrics,
    rollout::Workers,
    schedule,
    tasks::Tasks,
};

/// How long a drain may take unless it is configured.
pub const DRAIN_BOUND: Duration = Duration::from_secs(60);

/// How long a worker counts as alive without a sign of life.
pub const LEASE: Duration = Duration::from_secs(10);

/// Connections of the control API at a time where nothing else is said (`--control-max-connections`).
pub const CONNECTIONS_DEFAULT: usize = 256;

/// What a control plane is started with.
pub struct ControlOptions {
    /// Where the control API is served.
    pub listener: TcpListener,
    /// The workers of this process, which attach and read files of resources here, when there are no others. Otherwise
    /// workers are served at [`Self::listener`]: whoever reaches it gets the secrets of the catalog.
    pub own_workers: Option<Dialled>,
    /// Where the catalog is kept.
    pub store: Arc<dyn Store>,
    /// Leases, bounds and START AT NOW are measured on it.
    pub clock: PhysicalClock,
    /// How long a change waits for what it touches to drain; past it, it is refused.
    pub drain_bound: Duration,
    /// How long a worker counts as alive without a sign of life.
    pub lease: Duration,
    /// Connections of the control API at a time; past them the newest is closed.
    pub max_connections: usize,
    /// Where other control planes on the same store reach this one, as host:port; `None`: the listener's own address. On
    /// a shared store it has to be one that can be dialled.
    pub advertised_addr: Option<String>,
    /// Whether a file that a CLIENT names has to be one of its mount, since workers are on other machines than whoever
    /// writes scripts.
    pub mounts_only: bool,
}

impl ControlOptions {
    /// The system's clock, [`DRAIN_BOUND`], [`LEASE`] and [`CONNECTIONS_DEFAULT`].
    #[must_use]
    pub fn new(listener: TcpListener, store: Arc<dyn Store>) -> Self {
        Self {
            listener,
            own_workers: None,
            store,
            clock: PhysicalClock::system(),
            drain_bound: DRAIN_BOUND,
            lease: LEASE,
            max_connections: CONNECTIONS_DEFAULT,
            advertised_addr: None,
            mounts_only: false,
        }
    }
}

/// Why a control plane did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store holds what this release does not understand.
    #[error(transparent)]
    Catalog(#[from] LoadError),
    /// The listener cannot be used.
    #[error("the control API's listener cannot be used: {0}")]
    Listener(#[from] std::io::Error),
    /// Others on the store could not dial this one.
    #[error(
        "other control planes on this store do not reach this one at {0}: say where they do with --advertise HOST:PORT, \
         each with an address of its own"
    )]
    Advertised(String),
    /// The description of the API that reflection serves cannot be read.
    #[error("the API's description cannot be read: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// The control plane of one installation, or one of several on one store.
pub struct ControlPlane;

impl ControlPlane {
    /// Loads the catalog and serves the control API until it is shut down.
    ///
    /// # Errors
    /// When the store or the listener cannot be used.
    pub async fn start(options: ControlOptions) -> Result<ControlHandle, StartError> {
        let control_addr = options.listener.local_addr()?;
        let address = options
            .advertised_addr
            .unwrap_or_else(|| control_addr.to_string());
        let identity = identity(&*options.store, address)?;
        let tasks = Tasks::default();
        let events = Events::default();
        let metrics = Arc::new(Metrics::default());
        let catalog = Catalog::load(Arc::clone(&options.store), options.clock.clone()).await?;
        let workers = Workers::new(
            catalog.clone(),
            options.clock.clone(),
            events.clone(),
            options.lease,
            identity,
        );
        let others = Arc::new(OtherControlPlanes::new(options.clock.clone()));
        let cluster = Cluster::new(workers.clone(), Arc::<OtherControlPlanes>::clone(&others));
        let changes = Changes {
            catalog: catalog.clone(),
            workers,
            cluster: cluster.clone(),
            events: events.clone(),
            metrics: Arc::clone(&metrics),
            turns: Turns::new(options.clock.clone()),
            clock: options.clock,
            drain_bound: options.drain_bound,
            files: Arc::default(),
            uploads: Arc::new(Semaphore::new(UPLOADS_MAX)),
            mounts_only: options.mounts_only,
            only_own_worker: options.own_workers.is_some(),
        };
        tasks.spawn("catalog watch", catalog.clone().follow(tasks.stopping()));
        tasks.spawn("store probe", catalog.clone().keep_writable(tasks.stopping()));
        let placed = schedule::keep_placed(cluster, tasks.stopping());
        tasks.spawn("placement", placed);
        let terms = Terms {
            title: "control API",
            connections_max: options.max_connections,
            protocol: Protocol::Http2,
        };
        let connections = Connections::new(options.listener, terms, changes.clock.clone());
        let listeners = (connections, options.own_workers);
        let served = api::serve(listeners, (changes.clone(), others), tasks.clone())?;
        tasks.spawn("control API", served);
        Ok(ControlHandle {
            control_addr,
            changes,
            tasks,
        })
    }
}

/// What a control plane is to the others on its store.
fn identity(store: &dyn Store, address: String) -> Result<Identity, StartError> {
    if !store.is_shared() {
        let id = String::new();
        return Ok(Identity { id, address });
    }
    if !can_be_dialled(&address) {
        return Err(StartError::Advertised(address));
    }
    let id = Uuid::new_v4().to_string();
    Ok(Identity { id, address })
}

/// Whether it is host:port, with a host and a port that others can dial.
fn can_be_dialled(address: &str) -> bool {
    if let Ok(address) = address.parse::<SocketAddr>() {
        return !address.ip().is_unspecified() && address.port() != 0;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    address.split_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && host.chars().all(is_name) && port.parse().is_ok_and(|port: u16| port != 0)
    })
}

/// A running control plane; a clone is another handle of the same.
#[derive(Clone)]
pub struct ControlHandle {
    control_addr: SocketAddr,
    changes: Changes,
    tasks: Tasks,
}

impl ControlHandle {
    /// Where the control API is served.
    #[must_use]
    pub fn control_addr(&self) -> SocketAddr {
        self.control_addr
    }

    /// The catalog as it is now, with its secrets.
    #[must_use]
    pub fn catalog(&self) -> nspl::Catalog {
        self.changes.catalog.state().catalog.clone()
    }

    /// The revision of [`Self::catalog`].
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.changes.catalog.state().revision().0
    }

    /// Whether a domain was ever started; false also for one that does not exist.
    #[must_use]
    pub fn was_started(&self, domain: &str) -> bool {
        self.changes.catalog.state().run(domain).generation > 0
    }

    /// True while there is no reason in [`Self::unready`].
    #[must_use]
    pub fn ready(&self) -> bool {
        self.unready().is_none()
    }

    /// Why it is not ready, on one line; nothing while it serves, its view of the store is live and the store takes
    /// commits.
    #[must_use]
    pub fn unready(&self) -> Option<String> {
        if self.tasks.is_stopping() {
            return Some("the control plane stops".to_owned());
        }
        let store = self.changes.catalog.store();
        if let Some(failure) = store.failure() {
            return Some(format!(
                "the store at {} cannot be written: {failure}",
                store.place()
            ));
        }
        let dead = !self.changes.catalog.is_live();
        dead.then(|| format!("the store at {} does not answer", store.place()))
    }

    /// The families of this control plane in Prometheus' text form.
    #[must_use]
    pub fn metrics(&self) -> String {
        self.changes
            .metrics
            .text(&self.changes.catalog.state(), self.changes.workers.connected())
    }

    /// Stops serving; streams end, workers go on with what they have.
    pub async fn shutdown(&self) {
        self.tasks.stop().await;
    }

    /// Resolves when it has stopped, by [`Self::shutdown`] or because serving failed.
    pub async fn stopped(&self) {
        self.tasks.stopped().await;
    }
}
