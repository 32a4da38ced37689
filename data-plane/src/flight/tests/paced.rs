//! A whole worker whose clock only the test moves, in a paced domain (companion section 10): COLLECT and FLUSH EACH run at
//! TIME RATE; ACK TIMEOUT, retry delays and the window of FLUSH IMMEDIATE are physical.

use std::{sync::Arc, time::Duration};

use arrow::array::AsArray;
use nervix_clock::{DomainTime, ManualClock, TimeRate};
use nervix_proto::client::v1::{Credit, client_message::Body as ClientBody};
use nspl_model::{
    Assignment, CastError, Collect, DataType, EmitterDef, Expr, ExprKind, Flush, Function, IngestMode, Step,
};

use super::{
    model::{self, emitter, ingestor, relay},
    node::{TestNode, domain, emits, ingests},
    peers::{Consumer, Heard, Writer, order_schema, orders},
};
use crate::assignments::{ChangeSet, EntitySpec, Pace};

/// 2020-01-01T00:00:00Z.
const START: DomainTime = DomainTime(1_577_836_800_000_000_000);
const RATE: f64 = 60.0;
/// A minute of the domain is a second of the clock.
const MINUTE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// A node, and the hand of its clock.
struct Paced {
    clock: ManualClock,
    node: Arc<TestNode>,
}

impl Paced {
    async fn start(entities: Vec<EntitySpec>) -> Self {
        let clock = ManualClock::new();
        let node = TestNode::on(clock.physical(), 64 * 1024 * 1024, 4 * 1024 * 1024).await;
        let mut domain = domain(true, 1);
        domain.pace = Some(Pace {
            started_at: clock.physical().utc(),
            start: START,
            rate: TimeRate::new(RATE).unwrap(),
        });
        let change = ChangeSet {
            full: true,
            domains: vec![domain],
            entities,
            ..ChangeSet::default()
        };
        assert_eq!(node.apply(change).await, Vec::new());
        Self { clock, node }
    }

    /// Waits until the next thing that anybody waits for is due so much later; what leads there goes over the network.
    async fn is_due_in(&self, what: &str, later: Duration) {
        let due = self.clock.physical().now().after(later);
        let reached = || self.clock.next_deadline() == Some(due);
        self.node.until(what, reached).await;
    }

    /// Lets a duration pass, of which nothing is due before the last millisecond.
    async fn pass(&self, what: &str, duration: Duration) {
        self.is_due_in(what, duration).await;
        self.clock.advance(duration - MILLISECOND).await;
        self.is_due_in(what, MILLISECOND).await;
        self.clock.advance(MILLISECOND).await;
    }
}

/// `SET key = now() AS STRING`, the rest inherited.
fn stamped(mut def: EmitterDef) -> EmitterDef {
    let expr = |data_type, kind| Expr {
        data_type,
        nullable: false,
        sensitive: false,
        kind,
    };
    let now = ExprKind::Call {
        function: Function::Now,
        args: Vec::new(),
        site: 1,
    };
    let text = ExprKind::Cast {
        operand: Box::new(expr(DataType::DateTime, now)),
        on_error: CastError::Fail,
    };
    def.construction.steps.push(Step::Set(Assignment {
        index: 1,
        expr: expr(DataType::String, text),
    }));
    def
}

fn each_minute() -> Flush {
    Flush::Each {
        every: MINUTE,
        max_bytes: 1_000_000,
    }
}

#[tokio::test]
async fn collect_and_flush_run_at_time_rate_from_the_writer_to_the_application() {
    let mut input = ingestor(IngestMode::Ack);
    input.routes[0].flush = each_minute();
    let mut output = stamped(emitter("out", relay("orders", model::orders(), None)));
    output.collect = Some(Collect {
        each: MINUTE * 2,
        max_bytes: None,
    });
    output.flush = each_minute();
    let paced = Paced::start(vec![ingests(1, input), emits(1, output)]).await;
    let mut consumer = Consumer::with_credit(&paced.node, "out", 8).await;
    let mut writer = Writer::open(&paced.node, &order_schema()).await.unwrap();
    paced.clock.advance(SECOND * 5).await;
    writer.write(&orders(0..10, 3)).await;
    paced.pass("FLUSH EACH of the ingestor", SECOND).await;
    paced.pass("COLLECT FOR of the emitter", SECOND * 2).await;
    paced.pass("FLUSH EACH of the emitter", SECOND).await;
    let (delivery, batch) = paced.node.within(consumer.delivery()).await;
    let stamps = batch.column(1).as_string::<i32>();
    assert_eq!(delivery.rows, 10);
    assert!(
        stamps.iter().all(|stamp| stamp == Some("2020-01-01T00:06:00Z")),
        "the minute of the flush into the relay, five after the first: {stamps:?}"
    );
    consumer.ack(&delivery.r#ref).await;
    let answer = paced.node.within(writer.answer()).await.unwrap();
    assert_eq!((answer.first, answer.last), (0, 0));
}

#[tokio::test]
async fn ack_timeout_retry_and_the_window_of_flush_immediate_are_physical() {
    let mut input = ingestor(IngestMode::Ack);
    input.routes[0].flush = each_minute();
    let output = stamped(emitter("out", relay("orders", model::orders(), None)));
    let paced = Paced::start(vec![ingests(1, input), emits(1, output)]).await;
    let mut consumer = Consumer::with_credit(&paced.node, "out", 8).await;
    let mut writer = Writer::open(&paced.node, &order_schema()).await.unwrap();
    writer.write(&orders(0..10, 3)).await;
    paced.pass("FLUSH EACH of the ingestor", SECOND).await;
    let window = Duration::from_micros(100);
    paced.is_due_in("the window of FLUSH IMMEDIATE", window).await;
    paced.clock.advance(window).await;
    let (first, batch) = paced.node.within(consumer.delivery()).await;
    paced.pass("ACK TIMEOUT", SECOND * 30).await;
    let revoked = paced.node.within(consumer.hear()).await;
    assert!(matches!(revoked, Some(Ok(Heard::Revoked(_)))), "it is taken back");
    // Whoever let the time pass is offered nothing until it speaks.
    consumer.say(ClientBody::Credit(Credit { batches: 1 })).await;
    paced.pass("BACKOFF", MILLISECOND * 5).await;
    let (second, again) = paced.node.within(consumer.delivery()).await;
    assert_eq!((first.attempt, second.attempt), (1, 2));
    assert_eq!(
        batch, again,
        "half an hour of the domain later, now() is what it was"
    );
    consumer.ack(&second.r#ref).await;
    paced.node.within(writer.answer()).await.unwrap();
}
