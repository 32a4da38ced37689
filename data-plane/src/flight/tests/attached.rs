//! A whole worker under a control plane of the test's own.

use std::time::Duration;

use nervix_clock::PhysicalClock;
use nervix_proto::{
    client::v1::answer::Status,
    worker::v1::{
        Assign, Describe, Drain, Resume, control_message::Body as Say, worker_message::Body as Hear,
    },
};
use tokio::net::TcpListener;
use tonic::Code;

use super::{
    control_plane::{Attached, ControlPlane, EMITTER, assignment, entity, graph},
    node::PATIENCE,
    peers::{Consumer, Writer, order_schema, orders},
};
use crate::{Worker, WorkerHandle, WorkerOptions, supervisor::Supervisor};

/// Drains that a worker waits for at once.
const DRAINS_UNDER_WAY: u64 = 64;

struct Stage {
    clock: PhysicalClock,
    plane: ControlPlane,
    worker: WorkerHandle,
}

impl Stage {
    async fn set() -> Self {
        let clock = PhysicalClock::system();
        let plane = ControlPlane::start(&Supervisor::new(clock.clone())).await;
        let flight = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut options = WorkerOptions::new(plane.addr.to_string(), flight, "n1");
        options.drain_bound = Duration::from_secs(5);
        let worker = Worker::start(options).await.unwrap();
        Self { clock, plane, worker }
    }

    async fn within<F: Future>(&self, work: F) -> F::Output {
        self.clock
            .timeout(PATIENCE, Box::pin(work))
            .await
            .expect("it took too long")
    }

    /// A worker that runs the graph.
    async fn running() -> (Self, Attached) {
        let stage = Self::set().await;
        assert!(!stage.worker.ready());
        let (mut attached, register) = stage.within(stage.plane.next()).await;
        let kinds = ["CLIENT", "MATERIALIZED STATE"]
            .into_iter()
            .chain(cfg!(feature = "http").then_some("HTTP"))
            .chain(cfg!(feature = "kafka").then_some("KAFKA"))
            .chain(cfg!(feature = "postgres").then_some("POSTGRES"));
        assert_eq!(
            (register.node.as_str(), register.kinds),
            ("n1", kinds.map(str::to_owned).collect::<Vec<_>>())
        );
        assert_eq!(register.flight_address, stage.worker.flight_addr().to_string());
        assert!(register.holdings.is_empty());
        assert_eq!(
            stage.within(attached.assign(graph(1))).await,
            Vec::<String>::new()
        );
        stage.within(stage.worker.wait_ready()).await;
        assert!(stage.worker.ready());
        (stage, attached)
    }

    /// Writes, consumes and acks some rows.
    async fn passes_rows(&self) {
        let addr = self.worker.flight_addr();
        let mut consumer = Consumer::with_credit(&addr, "out", 10).await;
        let writer = Writer::open(&addr, &order_schema()).await.unwrap();
        writer.write(&orders(0..4, 2)).await;
        assert_eq!(self.within(consumer.ack_rows(4)).await, [0, 1, 2, 3]);
        let (answers, _) = self.within(writer.rest()).await;
        assert_eq!(answers[&0].status(), Status::Done);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_assigned_in_nspl_runs_and_is_described() {
    let (stage, mut attached) = Stage::running().await;
    stage.passes_rows().await;
    attached
        .say(Say::Describe(Describe {
            id: 5,
            entity: Some(entity("EMITTER", "out")),
        }))
        .await;
    let Hear::DescribeResult(result) = stage.within(attached.hear()).await else {
        panic!("no description")
    };
    assert!(result.found && result.id == 5);
    assert_eq!(
        (result.lines[0].key.as_str(), result.lines[0].value.as_str()),
        ("state", "running")
    );
    let consumers = result.lines.iter().find(|line| line.key == "consumers").unwrap();
    assert!(consumers.value.contains("acks 1"), "{}", consumers.value);
    attached
        .say(Say::Describe(Describe {
            id: 6,
            entity: Some(entity("EMITTER", "nobody")),
        }))
        .await;
    let Hear::DescribeResult(result) = stage.within(attached.hear()).await else {
        panic!("no description")
    };
    assert!(!result.found);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_graph_goes_on_while_the_control_plane_is_away_and_is_registered_again() {
    let (stage, attached) = Stage::running().await;
    let addr = stage.worker.flight_addr();
    let mut consumer = Consumer::with_credit(&addr, "out", 10).await;
    let writer = Writer::open(&addr, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    let (delivery, _) = stage.within(consumer.delivery()).await;
    drop(attached);
    let (mut attached, register) = stage.within(stage.plane.next()).await;
    let held: Vec<u64> = register
        .holdings
        .iter()
        .map(|holding| holding.generation)
        .collect();
    assert_eq!(held, [1, 1]);
    assert_eq!(
        stage.within(attached.assign(graph(1))).await,
        Vec::<String>::new()
    );
    consumer.ack(&delivery.r#ref).await;
    let (answers, end) = stage.within(writer.rest()).await;
    assert!(end.is_ok());
    assert_eq!(
        answers[&0].status(),
        Status::Done,
        "the delivery has kept its identity"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_is_told_and_what_it_paused_is_released_when_the_control_plane_goes() {
    let (stage, mut attached) = Stage::running().await;
    let entities = vec![entity("INGESTOR", "in"), entity("EMITTER", "out")];
    let drain = Drain {
        id: 1,
        entities: entities.clone(),
        deadline_ms: 5_000,
    };
    attached.say(Say::Drain(drain)).await;
    let Hear::DrainResult(result) = stage.within(attached.hear()).await else {
        panic!("no result")
    };
    assert!(result.drained, "{}", result.message);
    attached.say(Say::Resume(Resume { id: 1 })).await;
    stage.passes_rows().await;
    attached
        .say(Say::Drain(Drain {
            id: 2,
            entities,
            deadline_ms: 5_000,
        }))
        .await;
    let Hear::DrainResult(_) = stage.within(attached.hear()).await else {
        panic!("no result")
    };
    drop(attached);
    stage.passes_rows().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_beyond_those_that_may_be_under_way_is_refused_with_an_answer() {
    let (stage, mut attached) = Stage::running().await;
    let (addr, out) = (stage.worker.flight_addr(), "out");
    let mut consumer = stage.within(Consumer::with_credit(&addr, out, 1)).await;
    let writer = stage.within(Writer::open(&addr, &order_schema())).await.unwrap();
    writer.write(&orders(0..1, 1)).await;
    // It is never acknowledged, so that no drain of its emitter ends.
    stage.within(consumer.delivery()).await;
    let drain = |id| Drain {
        id,
        entities: vec![entity("EMITTER", out)],
        deadline_ms: 600_000,
    };
    for id in 1..=DRAINS_UNDER_WAY + 1 {
        attached.say(Say::Drain(drain(id))).await;
    }
    let Hear::DrainResult(result) = stage.within(attached.hear()).await else {
        panic!("no result")
    };
    assert_eq!((result.id, result.drained), (DRAINS_UNDER_WAY + 1, false));
    assert!(result.message.contains("under way already"), "{}", result.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_assignment_in_parts_is_one_step_and_what_cannot_be_read_is_named() {
    let (stage, mut attached) = Stage::running().await;
    let mut first = graph(2);
    first.more = true;
    first.assignments.truncate(1);
    attached.say(Say::Assign(first)).await;
    let assignments = vec![
        assignment(1, "EMITTER", "out", EMITTER),
        assignment(2, "EMITTER", "broken", "CREATE EMITTER broken FROM nowhere;"),
    ];
    let last = Assign {
        revision: 2,
        full: true,
        assignments,
        ..Assign::default()
    };
    let failures = stage.within(attached.assign(last)).await;
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(
        failures.iter().any(|failure| failure.contains("EMITTER broken")),
        "{failures:?}"
    );
    assert!(!stage.worker.ready(), "not the whole graph runs");
    let refused = Writer::open(&stage.worker.flight_addr(), &order_schema()).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), Code::Unavailable);
    assert_eq!(
        stage.within(attached.assign(graph(3))).await,
        Vec::<String>::new()
    );
    stage.passes_rows().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_domain_that_cannot_be_read_goes_on_and_its_entities_are_named() {
    let (stage, mut attached) = Stage::running().await;
    let addr = stage.worker.flight_addr();
    let mut consumer = Consumer::with_credit(&addr, "out", 10).await;
    let mut broken = graph(2);
    broken.domains[0].statement = "CREATE SOMETHING shop;".into();
    let failures = stage.within(attached.assign(broken)).await;
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(
        failures
            .iter()
            .all(|failure| failure.contains("domain cannot be read")),
        "{failures:?}"
    );
    assert!(!stage.worker.ready(), "it is not what is assigned");
    let writer = Writer::open(&addr, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    assert_eq!(stage.within(consumer.ack_rows(4)).await, [0, 1, 2, 3]);
    assert!(stage.within(writer.rest()).await.1.is_ok());
    drop(consumer);
    assert_eq!(
        stage.within(attached.assign(graph(3))).await,
        Vec::<String>::new()
    );
    assert!(stage.worker.ready());
    stage.passes_rows().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drained_worker_says_what_it_left_and_takes_nothing_more() {
    let (stage, _attached) = Stage::running().await;
    stage.passes_rows().await;
    let outcome = stage.within(stage.worker.drain()).await;
    assert!(outcome.drained, "{:?}", outcome.leftovers);
    assert!(!stage.worker.ready());
    assert!(
        stage.within(stage.worker.drain()).await.drained,
        "a second drain has nothing to do"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_a_worker_that_drains_are_answered_first() {
    let (stage, _attached) = Stage::running().await;
    let addr = stage.worker.flight_addr();
    let mut consumer = Consumer::with_credit(&addr, "out", 10).await;
    let writer = Writer::open(&addr, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    let (delivery, _) = stage.within(consumer.delivery()).await;
    let ack = async {
        let mut told = writer;
        consumer.ack(&delivery.r#ref).await;
        let answer = told.answer().await.unwrap();
        assert_eq!(answer.status(), Status::Done);
        (told.rest().await.1, consumer.end().await)
    };
    let (outcome, (written, consumed)) = stage
        .within(futures::future::join(stage.worker.drain(), ack))
        .await;
    assert!(outcome.drained, "{:?}", outcome.leftovers);
    assert_eq!(written.unwrap_err().code(), Code::Unavailable);
    assert_eq!(consumed.unwrap_err().code(), Code::Unavailable);
}
