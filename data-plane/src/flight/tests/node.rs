//! A node with a Flight listener and directly applied assignments.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use nervix_budget::Budget;
use nervix_clock::PhysicalClock;
use nervix_listener::{Connections, Protocol, Terms};
use nervix_relay::StateBudget;
use nervix_sink::World;
use nervix_sink_testkit::Place;
use nervix_state::StateStore;
use nspl_model::{EmitterDef, IngestMode, IngestorDef, SinkKind};
use tokio::{net::TcpListener, sync::Mutex};

use super::model::{DOMAIN, emitter, ingestor, orders, relay};
use crate::{
    assignments::{
        Assignments, ChangeSet, DomainSpec, EntityName, EntitySpec, Executed, StartFailure, Surroundings,
    },
    destinations::{Destination, Destinations, NoJobs},
    directory::Directory,
    events::Events,
    flight::{Admission, FlightEdge, MessageLimit, serve},
    resources::{Contents, Manifest, Origin, ResourceError, Resources, VersionId},
    supervisor::{Supervisor, Task},
};

/// How long a test waits for anything.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// More connections than any test opens.
const CONNECTIONS_MAX: usize = 1000;

pub(super) struct TestNode {
    pub(super) addr: String,
    pub(super) surroundings: Surroundings,
    pub(super) assignments: Mutex<Assignments>,
    _serving: Task,
}

impl TestNode {
    /// A node with the default limits.
    pub(super) async fn start() -> Arc<Self> {
        Self::with(64 * 1024 * 1024, 4 * 1024 * 1024).await
    }

    /// A node that runs ingestor `in` over relay `orders` to emitter `out`.
    pub(super) async fn with_orders() -> Arc<Self> {
        let node = Self::start().await;
        let source = relay("orders", orders(), None);
        node.run(vec![
            ingests(1, ingestor(IngestMode::Ack)),
            emits(1, emitter("out", source)),
        ])
        .await;
        node
    }

    pub(super) async fn with(budget_bytes: u64, message_bytes: usize) -> Arc<Self> {
        Self::on(PhysicalClock::system(), budget_bytes, message_bytes).await
    }

    /// A node whose time is that of `clock`; patience is real time all the same.
    pub(super) async fn on(clock: PhysicalClock, budget_bytes: u64, message_bytes: usize) -> Arc<Self> {
        let budget = Budget::new(budget_bytes);
        let surroundings = Surroundings {
            states: StateStore::in_memory().unwrap(),
            state_budget: StateBudget::of(budget.clone()),
            supervisor: Supervisor::new(clock.clone()),
            budget: budget.clone(),
            clock: clock.clone(),
            directory: Directory::default(),
            destinations: destinations(&clock, &budget),
            events: Events::new(clock.clone()),
            consumer_bytes: 64 * 1024 * 1024,
            limit: MessageLimit::new(message_bytes),
            drain_bound: Duration::from_secs(5),
            incarnations: Arc::default(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap().to_string();
        let edge = FlightEdge {
            directory: surroundings.directory.clone(),
            supervisor: surroundings.supervisor.clone(),
            admission: Admission::new(surroundings.budget.clone(), clock.clone(), surroundings.limit),
            advertised: addr.clone(),
        };
        let terms = Terms {
            title: "Arrow Flight",
            connections_max: CONNECTIONS_MAX,
            protocol: Protocol::Http2,
        };
        let connections = Connections::new(listener, terms, clock);
        let serving = async move { serve(edge, connections, std::future::pending()).await.unwrap() };
        let serving = surroundings
            .supervisor
            .once(serving, || panic!("the Flight server panicked"));
        let assignments = Mutex::new(Assignments::new(surroundings.clone()));
        Arc::new(Self {
            addr,
            surroundings,
            assignments,
            _serving: serving,
        })
    }

    /// Waits for `work`, but not for ever.
    pub(super) async fn within<F: Future>(&self, work: F) -> F::Output {
        PhysicalClock::system()
            .timeout(PATIENCE, Box::pin(work))
            .await
            .expect("it took too long")
    }

    pub(super) async fn apply(&self, change: ChangeSet) -> Vec<StartFailure> {
        self.assignments.lock().await.apply(change).await
    }

    /// Runs the domain with these entities and no others.
    pub(super) async fn run(&self, entities: Vec<EntitySpec>) {
        let change = ChangeSet {
            full: true,
            domains: vec![domain(true, 1)],
            entities,
            ..ChangeSet::default()
        };
        assert_eq!(self.apply(change).await, Vec::new());
    }

    /// Waits until `holds`, looking again after each short while.
    pub(super) async fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let clock = PhysicalClock::system();
        let waits = async {
            while !holds() {
                clock.sleep(Duration::from_millis(2)).await;
            }
        };
        assert!(clock.timeout(PATIENCE, waits).await.is_ok(), "never came: {what}");
    }
}

/// Every kind that a test needs, standing where [`Place`] was put.
const IN_MEMORY: &[Destination] = &[
    Destination {
        kind: SinkKind::Kafka,
        connect: Place::connect,
    },
    Destination {
        kind: SinkKind::Http,
        connect: Place::connect,
    },
    Destination {
        kind: SinkKind::Postgres,
        connect: Place::connect,
    },
];

fn destinations(clock: &PhysicalClock, budget: &Budget) -> Destinations {
    let world = World {
        clock: clock.clone(),
        budget: budget.clone(),
        scratch: std::env::temp_dir(),
        node: "n1".into(),
    };
    let resources = Resources::new(Arc::new(NoFiles), world.scratch.clone());
    Destinations::new(IN_MEMORY, world, resources, Arc::new(NoJobs))
}

/// No version of any resource.
struct NoFiles;

impl Origin for NoFiles {
    fn read(&self, version: &VersionId) -> BoxFuture<'static, Result<(Manifest, Contents), ResourceError>> {
        let none = ResourceError::Origin {
            version: version.clone(),
            cause: "there is none".to_owned(),
        };
        Box::pin(std::future::ready(Err(none)))
    }
}

pub(super) fn domain(running: bool, run_generation: u64) -> DomainSpec {
    DomainSpec {
        name: DOMAIN.into(),
        running,
        run_generation,
        fingerprint_key: [7; 32],
        pace: None,
    }
}

pub(super) fn ingests(generation: u64, def: IngestorDef) -> EntitySpec {
    let entity = EntityName::ingestor(&def.domain, &def.name);
    EntitySpec {
        entity,
        generation,
        definition: Executed::Ingestor(Arc::new(def)),
    }
}

pub(super) fn emits(generation: u64, def: EmitterDef) -> EntitySpec {
    let entity = EntityName::emitter(&def.domain, &def.name);
    EntitySpec {
        entity,
        generation,
        definition: Executed::Emitter(Arc::new(def)),
    }
}
