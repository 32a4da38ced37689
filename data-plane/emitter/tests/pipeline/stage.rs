//! An emitter on a stage: relays before it, an exchange behind it, a clock beside it.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use arrow::buffer::Buffer;
use arrow::datatypes::Int64Type;
use nervix_ack::{Verdict, root};
use nervix_budget::Budget;
use nervix_clock::{DomainClock, DomainTime, ManualClock, Snapshot, TimeRate};
use nervix_columns::arrow_schema;
use nervix_emitter::{
    Emitter, EmitterCounters, EmitterEvent, EmitterEventKind, EmitterEvents, EmitterHandle, EmitterParts,
    RunEnd, Supply,
};
use nervix_relay::{
    Branches, Consumer, FingerprintKey, MaterializedState, Relay, RelayBatch, StateBudget, Timestamps,
};
use nervix_sink_client::{
    ConnectOptions, ConsumerSession, Delivery, Exchange, ExchangeOptions, RevokedReason, SessionEvent,
    SessionOptions,
};
use nervix_sink_testkit::{Broker, Endpoint, Lake, Table};
use nervix_state::{DomainId, StateStore};
use nspl_model::{Attachment, EmitterDef, MessagePolicy, RelayDef, Schema, SinkKind};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::model::{ACK_TIMEOUT, branch_def, emitter_def, failure_schema, order_schema, relay_def};
use crate::outside::{
    Desk, Outside, OutsideRequests, OutsideRows, OutsideStaged, ROW_BYTES, STAGED_ROW_BYTES,
};

/// How long a test waits, in real time, for something that is bound to come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Stage {
    pub(crate) clock: ManualClock,
    /// The clock of the domain, driven by `clock`.
    pub(crate) domain: DomainClock,
    pub(crate) sources: Vec<Arc<Relay>>,
    /// The relays of its dependencies, in written order.
    pub(crate) states: Vec<Arc<Relay>>,
    /// Writes them; once it is gone no state is taken.
    _store: StateStore,
    pub(crate) failures: Arc<Relay>,
    pub(crate) branches: Branches,
    pub(crate) exchange: Exchange,
    /// The destination of emitters that have no consumers.
    pub(crate) broker: Broker,
    /// Where its codec's jobs wait.
    pub(crate) desk: Desk,
    /// The destination of emitters that send requests.
    pub(crate) endpoint: Endpoint,
    /// The destination of emitters that write rows.
    pub(crate) table: Table,
    /// The destination of emitters that stage.
    pub(crate) lake: Lake,
    pub(crate) counters: Arc<EmitterCounters>,
    events: Arc<Events>,
    pub(crate) budget: Budget,
    pub(crate) def: Arc<EmitterDef>,
    pub(crate) handle: EmitterHandle,
    pub(crate) task: JoinHandle<RunEnd>,
}

/// The sorts of events that were reported.
#[derive(Default)]
struct Events(Mutex<Vec<EmitterEventKind>>);

impl EmitterEvents for Events {
    fn report(&self, event: EmitterEvent) {
        self.0.lock().push(event.kind);
    }
}

/// A written batch and what its writer hears.
pub(crate) struct Written(mpsc::Receiver<Verdict>);

impl Written {
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.0.try_recv().ok()
    }

    /// Whether its one row is done.
    pub(crate) fn is_done(&self) -> bool {
        self.verdict().is_some_and(|verdict| verdict.done == 1)
    }
}

/// One source called `orders`.
pub(crate) fn stage(change: impl FnOnce(&mut EmitterDef)) -> Stage {
    stage_of(
        &[relay_def("orders", order_schema(), None, 64)],
        64 * 1024 * 1024,
        change,
    )
}

/// One source called `orders`, branched by name.
pub(crate) fn branched_stage(change: impl FnOnce(&mut EmitterDef)) -> Stage {
    stage_of(
        &[relay_def("orders", order_schema(), Some(branch_def()), 64)],
        64 * 1024 * 1024,
        change,
    )
}

pub(crate) fn failures_def(capacity: u32) -> Arc<RelayDef> {
    relay_def("failures", failure_schema(), None, capacity)
}

pub(crate) fn stage_of(
    sources: &[Arc<RelayDef>],
    consumer_bytes: u64,
    change: impl FnOnce(&mut EmitterDef),
) -> Stage {
    let clock = ManualClock::new();
    stage_on((clock.domain(), clock), sources, consumer_bytes, change)
}

/// One source called `orders`, branched by name, in a paced domain whose time is `start` now and runs at `rate`.
pub(crate) fn paced_stage(start: DomainTime, rate: f64, change: impl FnOnce(&mut EmitterDef)) -> Stage {
    let sources = [relay_def("orders", order_schema(), Some(branch_def()), 64)];
    stage_at(start, rate, &sources, change)
}

/// The same of any sources.
pub(crate) fn stage_at(
    start: DomainTime,
    rate: f64,
    sources: &[Arc<RelayDef>],
    change: impl FnOnce(&mut EmitterDef),
) -> Stage {
    let clock = ManualClock::new();
    let domain = clock.paced(start, TimeRate::new(rate).expect("a rate"));
    stage_on((domain, clock), sources, 64 * 1024 * 1024, change)
}

fn stage_on(
    (domain, clock): (DomainClock, ManualClock),
    sources: &[Arc<RelayDef>],
    consumer_bytes: u64,
    change: impl FnOnce(&mut EmitterDef),
) -> Stage {
    let mut def = emitter_def(sources.to_vec());
    change(&mut def);
    let failures = match &def.on_message_error {
        MessagePolicy::SendTo(route) => Relay::new(route.relay.clone()),
        MessagePolicy::Ignore | MessagePolicy::Log => Relay::new(failures_def(64)),
    };
    let dependencies = def.dependencies.iter().map(|dependency| dependency.relay.clone());
    let dependencies: Vec<Arc<RelayDef>> = dependencies.collect();
    let sources: Vec<Arc<Relay>> = sources.iter().map(|def| Relay::new(def.clone())).collect();
    let exchange = Exchange::new(ExchangeOptions {
        clock: clock.physical(),
        consumer_bytes,
    });
    let branches = Branches::new(branch_def(), FingerprintKey::new("shop", [3; 32]), domain.clone());
    let (counters, budget) = (Arc::new(EmitterCounters::default()), Budget::new(u64::MAX));
    let def = Arc::new(def);
    let store = StateStore::in_memory().expect("there is memory");
    let states: Vec<Arc<Relay>> = dependencies
        .into_iter()
        .map(|def| materialized(&store, def, (&branches, &budget)))
        .collect();
    let relays = (&sources[..], &states[..], &failures);
    let (broker, desk, endpoint) = (Broker::new(), Desk::default(), Endpoint::new());
    let table = Table::new(ROW_BYTES);
    let lake = Lake::new(STAGED_ROW_BYTES);
    let events = Arc::new(Events::default());
    let ways = (&exchange, &broker, &desk, &endpoint, (&table, &lake));
    let (handle, task) = start(&def, relays, ways, (&domain, &counters, &budget, &events));
    Stage {
        clock,
        domain,
        sources,
        states,
        _store: store,
        failures,
        branches,
        exchange,
        broker,
        desk,
        endpoint,
        table,
        lake,
        counters,
        events,
        budget,
        def,
        handle,
        task,
    }
}

fn start(
    def: &Arc<EmitterDef>,
    (sources, states, failures): (&[Arc<Relay>], &[Arc<Relay>], &Arc<Relay>),
    (exchange, broker, desk, endpoint, (table, lake)): (
        &Exchange,
        &Broker,
        &Desk,
        &Endpoint,
        (&Table, &Lake),
    ),
    (domain, counters, budget, events): (&DomainClock, &Arc<EmitterCounters>, &Budget, &Arc<Events>),
) -> (EmitterHandle, JoinHandle<RunEnd>) {
    let parts = EmitterParts {
        def: def.clone(),
        consumers: sources
            .iter()
            .map(|relay| relay.attach(&def.name, def.attachment))
            .collect(),
        sink: match def.sink.kind() {
            SinkKind::Client => Supply::Open(exchange.open(SessionOptions {
                ack_timeout: ACK_TIMEOUT,
            })),
            SinkKind::Http => Supply::Opens(Arc::new(OutsideRequests::new(endpoint, desk, def))),
            SinkKind::Postgres => Supply::Opens(Arc::new(OutsideRows(table.clone()))),
            SinkKind::Iceberg => Supply::Opens(Arc::new(OutsideStaged(lake.clone()))),
            _ => Supply::Opens(Arc::new(Outside::new(broker, desk, def))),
        },
        dependencies: states
            .iter()
            .filter_map(|relay| relay.materialized().cloned())
            .collect(),
        error_relay: Some(failures.clone()),
        clock: domain.clone(),
        budget: budget.clone(),
        counters: counters.clone(),
        events: events.clone(),
    };
    let (handle, emitter) = Emitter::new(parts).expect("the definition compiles");
    (handle, tokio::spawn(emitter.run()))
}

/// A relay WITH MATERIALIZED STATE, which is written as long as the store is there.
fn materialized(
    store: &StateStore,
    def: Arc<RelayDef>,
    (branches, budget): (&Branches, &Budget),
) -> Arc<Relay> {
    let (journal, _) = store
        .relay(&DomainId::new("shop"), &def)
        .expect("there is memory");
    let branches = def.branch.as_ref().map(|_| branches.clone());
    let state = MaterializedState::new(journal, StateBudget::of(budget.clone()), branches);
    Relay::with_state(def, Some(state))
}

impl Stage {
    /// Runs the emitter again, as a supervisor does after its task ended.
    pub(crate) fn restart(&mut self) {
        let beside = (&self.domain, &self.counters, &self.budget, &self.events);
        let relays = (&self.sources[..], &self.states[..], &self.failures);
        let ways = (
            &self.exchange,
            &self.broker,
            &self.desk,
            &self.endpoint,
            (&self.table, &self.lake),
        );
        (self.handle, self.task) = start(&self.def, relays, ways, beside);
    }

    /// Starts another emitter with the same definition beside it; it ends with its handle.
    pub(crate) fn sibling(&self, name: &str) -> EmitterHandle {
        let mut def = (*self.def).clone();
        def.name = name.to_owned();
        let counters = Arc::new(EmitterCounters::default());
        let beside = (&self.domain, &counters, &self.budget, &self.events);
        let relays = (&self.sources[..], &self.states[..], &self.failures);
        let ways = (
            &self.exchange,
            &self.broker,
            &self.desk,
            &self.endpoint,
            (&self.table, &self.lake),
        );
        start(&Arc::new(def), relays, ways, beside).0
    }

    /// The sorts of events that were reported, in order.
    pub(crate) fn told(&self) -> Vec<EmitterEventKind> {
        self.events.0.lock().clone()
    }

    pub(crate) fn consumer(&self, credit: u32) -> ConsumerSession {
        let session = self
            .exchange
            .connect(ConnectOptions::default())
            .expect("the exchange is open");
        session.grant(credit);
        session
    }

    /// A consumer of the error relay.
    pub(crate) fn failures_consumer(&self) -> Consumer {
        self.failures.attach("watch", Attachment::Attached)
    }

    /// Writes rows into the first source; an unbranched relay.
    pub(crate) async fn write(&self, ids: &[i64]) -> Written {
        self.write_to(0, ids, "x").await
    }

    /// Writes rows of one name into a source; of the branch of that name where the relay is branched.
    pub(crate) async fn write_to(&self, source: usize, ids: &[i64], name: &str) -> Written {
        let (batch, written) = self.batch(source, ids, name).await;
        let published = self.sources[source].publish(batch);
        tokio::time::timeout(PATIENCE, published)
            .await
            .expect("the relay takes it")
            .expect("it is open");
        self.clock.settle().await;
        written
    }

    /// Publishes a row into the relay of a dependency.
    pub(crate) async fn write_state(&self, dependency: usize, id: i64, name: &str) {
        let relay = &self.states[dependency];
        let (batch, _) = self.batch_for(relay, &[id], name).await;
        relay.publish(batch).await.expect("it is open");
        self.clock.settle().await;
    }

    pub(crate) async fn batch(&self, source: usize, ids: &[i64], name: &str) -> (RelayBatch, Written) {
        self.batch_for(&self.sources[source], ids, name).await
    }

    async fn batch_for(&self, relay: &Relay, ids: &[i64], name: &str) -> (RelayBatch, Written) {
        let (told, verdict) = mpsc::channel();
        let share = root(u32::try_from(ids.len()).unwrap(), move |verdict| {
            told.send(verdict).unwrap_or(())
        });
        let branched = relay.def().branch.is_some();
        let branch = if branched {
            Some(self.branch(name).await)
        } else {
            None
        };
        let snapshot = self.domain.snapshot();
        let records = orders(ids, name);
        let bytes = nervix_columns::held_bytes(&records);
        let batch = RelayBatch {
            timestamps: Timestamps::uniform(ids.len(), snapshot.domain_time),
            snapshot: Arc::<Snapshot>::new(snapshot),
            held: Arc::new(self.budget.charge(bytes)),
            records,
            share,
            branch,
        };
        (batch, Written(verdict))
    }

    /// Waits until no state waits to be durable, so that its branch instance is free.
    pub(crate) async fn settled_states(&self) {
        self.clock.settle().await;
        let unwritten = || self.states.iter().any(|relay| relay.unwritten() > 0);
        let settled = async {
            while unwritten() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, settled)
            .await
            .expect("states are durable");
    }

    pub(crate) async fn branch(&self, name: &str) -> nervix_relay::BranchRef {
        let groups = self
            .branches
            .group(&[Arc::new(StringArray::from(vec![name]))])
            .expect("a key");
        self.branches.intern(groups.key(0)).await
    }

    /// Lets the window of FLUSH IMMEDIATE pass.
    pub(crate) async fn flow(&self) {
        self.clock.advance(nervix_flush::IMMEDIATE_WINDOW).await;
    }
}

/// Rows of `orders`.
pub(crate) fn orders(ids: &[i64], name: &str) -> RecordBatch {
    let names = StringArray::from(vec![name; ids.len()]);
    let columns: Vec<arrow::array::ArrayRef> =
        vec![Arc::new(Int64Array::from(ids.to_vec())), Arc::new(names)];
    RecordBatch::try_new(arrow_schema(&order_schema()), columns).expect("orders")
}

/// The next event of a consumer, which is bound to come.
pub(crate) async fn event(session: &ConsumerSession) -> SessionEvent {
    let event = tokio::time::timeout(PATIENCE, session.recv()).await;
    event.expect("an event comes").expect("the stream is open")
}

/// The next delivery, which is bound to come; outcomes and revocations before it are passed over.
pub(crate) async fn delivery(session: &ConsumerSession) -> Delivery {
    loop {
        if let SessionEvent::Deliver(delivery) = event(session).await {
            return delivery;
        }
    }
}

/// Why the next event of a consumer takes a delivery back.
pub(crate) async fn revoked(session: &ConsumerSession) -> RevokedReason {
    match event(session).await {
        SessionEvent::Revoked { reason, .. } => reason,
        other => panic!("not revoked: {other:?}"),
    }
}

/// Whether nothing is there for the consumer.
pub(crate) async fn is_quiet(session: &ConsumerSession) -> bool {
    use futures::FutureExt;
    session.recv().now_or_never().is_none()
}

pub(crate) async fn ack(session: &ConsumerSession, delivery: &Delivery) {
    session
        .ack(std::slice::from_ref(&delivery.reference))
        .await
        .expect("a well-formed ref");
}

/// The ids of a delivery, from the bytes that travel.
pub(crate) fn ids(delivery: &Delivery) -> Vec<i64> {
    let records = decode(&order_schema(), delivery);
    records.column(0).as_primitive::<Int64Type>().values().to_vec()
}

pub(crate) fn decode(schema: &Schema, delivery: &Delivery) -> RecordBatch {
    let payload = &delivery.payload;
    let message = arrow_ipc::root_as_message(&payload.head).expect("a message");
    let batch = message.header_as_record_batch().expect("a record batch");
    let body = Buffer::from(payload.body.clone());
    let schema = arrow_schema(schema);
    arrow_ipc::reader::read_record_batch(
        &body,
        batch,
        schema,
        &Default::default(),
        None,
        &message.version(),
    )
    .expect("records")
}
