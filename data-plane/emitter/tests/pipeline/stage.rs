//! An emitter on a stage: relays before it, an exchange behind it, a clock beside it.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use arrow::buffer::Buffer;
use arrow::datatypes::Int64Type;
use nervix_ack::{Verdict, root};
use nervix_budget::Budget;
use nervix_clock::{ManualClock, Snapshot};
use nervix_columns::arrow_schema;
use nervix_emitter::{Emitter, EmitterCounters, EmitterHandle, EmitterParts, NoEvents, RunEnd};
use nervix_relay::{Branches, Consumer, FingerprintKey, Relay, RelayBatch, Timestamps};
use nervix_sink_client::{
    ConnectOptions, ConsumerSession, Delivery, Exchange, ExchangeOptions, SessionEvent, SessionOptions,
};
use nspl_model::{Attachment, EmitterDef, MessagePolicy, RelayDef, Schema};
use tokio::task::JoinHandle;

use crate::model::{ACK_TIMEOUT, branch_def, emitter_def, failure_schema, order_schema, relay_def};

/// How long a test waits, in real time, for something that is bound to come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Stage {
    pub(crate) clock: ManualClock,
    pub(crate) sources: Vec<Arc<Relay>>,
    pub(crate) failures: Arc<Relay>,
    pub(crate) branches: Branches,
    pub(crate) exchange: Exchange,
    pub(crate) counters: Arc<EmitterCounters>,
    pub(crate) budget: Budget,
    pub(crate) def: Arc<EmitterDef>,
    pub(crate) handle: EmitterHandle,
    pub(crate) task: JoinHandle<RunEnd>,
}

/// A written batch and what its writer hears.
pub(crate) struct Written(mpsc::Receiver<Verdict>);

impl Written {
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.0.try_recv().ok()
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
    let mut def = emitter_def(sources.to_vec());
    change(&mut def);
    let failures = match &def.on_message_error {
        MessagePolicy::SendTo(route) => Relay::new(route.relay.clone()),
        MessagePolicy::Ignore | MessagePolicy::Log => Relay::new(failures_def(64)),
    };
    let sources: Vec<Arc<Relay>> = sources.iter().map(|def| Relay::new(def.clone())).collect();
    let exchange = Exchange::new(ExchangeOptions {
        clock: clock.physical(),
        consumer_bytes,
    });
    let branches = Branches::new(branch_def(), FingerprintKey::new("shop", [3; 32]), clock.domain());
    let (counters, budget) = (Arc::new(EmitterCounters::default()), Budget::new(u64::MAX));
    let def = Arc::new(def);
    let (handle, task) = start(&def, &sources, &failures, &exchange, (&clock, &counters, &budget));
    Stage {
        clock,
        sources,
        failures,
        branches,
        exchange,
        counters,
        budget,
        def,
        handle,
        task,
    }
}

fn start(
    def: &Arc<EmitterDef>,
    sources: &[Arc<Relay>],
    failures: &Arc<Relay>,
    exchange: &Exchange,
    (clock, counters, budget): (&ManualClock, &Arc<EmitterCounters>, &Budget),
) -> (EmitterHandle, JoinHandle<RunEnd>) {
    let parts = EmitterParts {
        def: def.clone(),
        consumers: sources
            .iter()
            .map(|relay| relay.attach("notify", def.attachment))
            .collect(),
        sink: exchange.open(SessionOptions {
            ack_timeout: ACK_TIMEOUT,
        }),
        error_relay: Some(failures.clone()),
        clock: clock.domain(),
        budget: budget.clone(),
        counters: counters.clone(),
        events: Arc::new(NoEvents),
    };
    let (handle, emitter) = Emitter::new(parts).expect("the definition compiles");
    (handle, tokio::spawn(emitter.run()))
}

impl Stage {
    /// Runs the emitter again, as a supervisor does after its task ended.
    pub(crate) fn restart(&mut self) {
        let beside = (&self.clock, &self.counters, &self.budget);
        (self.handle, self.task) = start(&self.def, &self.sources, &self.failures, &self.exchange, beside);
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

    pub(crate) async fn batch(&self, source: usize, ids: &[i64], name: &str) -> (RelayBatch, Written) {
        let (told, verdict) = mpsc::channel();
        let share = root(u32::try_from(ids.len()).unwrap(), move |verdict| {
            told.send(verdict).unwrap_or(())
        });
        let branched = self.sources[source].def().branch.is_some();
        let branch = if branched {
            Some(self.branch(name).await)
        } else {
            None
        };
        let snapshot = self.clock.domain().snapshot();
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

    async fn branch(&self, name: &str) -> nervix_relay::BranchRef {
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
