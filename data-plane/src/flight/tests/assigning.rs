//! What an assignment may not do: pass an emitter that does not run, open what a drain holds, go back in time.

use std::{sync::Arc, time::Duration};

use nervix_proto::client::v1::answer::Status;
use nervix_source_client::InletState;
use nspl_model::{
    Attachment, BatchLimits, ClientDef, ClientKind, CodecDef, CodecForm, EmitterDef, Flush, IngestMode,
    IngestorDef, RelayDef, SourceKind,
};
use tonic::Code;

use super::{
    model::{self, DOMAIN, branched_ingestor, by_key, emitter, ingestor, relay},
    node::{TestNode, domain, emits, ingests},
    peers::{Consumer, Writer, order_schema, orders, passes_rows},
};
use crate::assignments::{ChangeSet, EntityName, EntitySpec, StartFailure};

fn source() -> Arc<RelayDef> {
    relay("orders", model::orders(), None)
}

/// An emitter whose BATCH does not fit a Flight message.
fn too_large(name: &str) -> EmitterDef {
    let mut def = emitter(name, source());
    def.batch = Some(BatchLimits {
        max_messages: 10,
        max_bytes: 1 << 40,
    });
    def
}

fn full(entities: Vec<EntitySpec>) -> ChangeSet {
    ChangeSet {
        full: true,
        domains: vec![domain(true, 1)],
        entities,
        ..ChangeSet::default()
    }
}

fn adds(entities: Vec<EntitySpec>) -> ChangeSet {
    ChangeSet {
        entities,
        ..ChangeSet::default()
    }
}

fn named(failures: &[StartFailure]) -> Vec<&str> {
    failures.iter().map(|failure| &*failure.entity.name).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_enters_past_an_attached_emitter_that_cannot_start_until_it_is_healed() {
    let node = TestNode::start().await;
    let graph = vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source())),
        emits(1, too_large("wide")),
    ];
    let failures = node.apply(full(graph)).await;
    assert_eq!(named(&failures), ["wide", "in"]);
    assert!(
        failures[1].message.contains("EMITTER wide"),
        "{}",
        failures[1].message
    );
    assert!(!node.assignments.lock().await.runs_all());
    let refused = Writer::open(&node, &order_schema())
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    let removed = ChangeSet {
        removed: vec![EntityName::emitter(DOMAIN, "wide")],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(removed).await, Vec::new());
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emitter_that_breaks_gives_up_its_seat_and_its_writers_are_answered_unresolved() {
    let node = TestNode::with_orders().await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    let consumer = Consumer::with_credit(&node, "out", 10).await;
    let failures = node.apply(adds(vec![emits(2, too_large("out"))])).await;
    assert_eq!(named(&failures), ["out", "in"]);
    let (answers, end) = node.within(writer.ended()).await;
    assert!(
        answers
            .values()
            .all(|answer| answer.status() == Status::Unresolved)
    );
    assert_eq!(end.unwrap_err().code(), Code::Unavailable);
    let (_, run) = node.surroundings.directory.runs().remove(0);
    assert_eq!(run.find("orders").unwrap().seats(), Vec::new());
    drop(consumer);
    assert_eq!(
        node.apply(adds(vec![emits(3, emitter("out", source()))])).await,
        Vec::new()
    );
    passes_rows(&node).await;
}

/// An ingestor that no worker without Kafka can run.
fn from_kafka() -> IngestorDef {
    let mut def = ingestor(IngestMode::Ack);
    let client = ClientDef {
        name: "broker".into(),
        kind: ClientKind::Kafka,
        pool: None,
        mount: None,
        config: Vec::new(),
    };
    let codec = CodecDef {
        name: "frames".into(),
        schema: model::orders(),
        form: CodecForm::Syslog,
    };
    def.source = SourceKind::Kafka {
        client: Arc::new(client),
        topic: "orders".into(),
        group: "readers".into(),
        instances: 1,
        codec: Arc::new(codec),
    };
    def
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ingestor_without_writers_is_refused_by_its_source_and_cannot_be_written_to() {
    let node = TestNode::with_orders().await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let failures = node.apply(adds(vec![ingests(2, from_kafka())])).await;
    assert_eq!(named(&failures), ["in"]);
    assert!(failures[0].message.contains("FROM KAFKA"), "{failures:?}");
    assert_eq!(
        node.within(writer.ended()).await.1.unwrap_err().code(),
        Code::NotFound
    );
    let refused = node.within(Writer::open(&node, &order_schema())).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), Code::NotFound);
    let fresh = TestNode::start().await;
    let graph = vec![ingests(1, from_kafka()), emits(1, emitter("out", source()))];
    assert_eq!(named(&fresh.apply(full(graph)).await), ["in"]);
    let refused = fresh.within(Writer::open(&fresh, &order_schema())).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), Code::NotFound);
    let healed = node
        .apply(adds(vec![ingests(3, ingestor(IngestMode::Ack))]))
        .await;
    assert_eq!(healed, Vec::new());
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_at_an_ingestor_that_could_not_be_started() {
    let node = TestNode::with_orders().await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let mut broken = ingestor(IngestMode::Ack);
    broken.filter = Some(model::hundred_by_amount().expr);
    assert_eq!(named(&node.apply(adds(vec![ingests(2, broken)])).await), ["in"]);
    assert_eq!(
        node.within(writer.ended()).await.1.unwrap_err().code(),
        Code::Unavailable
    );
    let refused = node.within(Writer::open(&node, &order_schema())).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), Code::Unavailable);
    let healed = node
        .apply(adds(vec![ingests(3, ingestor(IngestMode::Ack))]))
        .await;
    assert_eq!(healed, Vec::new());
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_detached_emitter_that_cannot_start_holds_nobody_up() {
    let node = TestNode::start().await;
    let mut wide = too_large("wide");
    wide.attachment = Attachment::Detached;
    let graph = vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source())),
        emits(1, wide),
    ];
    assert_eq!(named(&node.apply(full(graph)).await), ["wide"]);
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_capacity_is_installed_without_revoking_anything() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    let mut wider = (*source()).clone();
    wider.capacity = 99;
    let wider = Arc::new(wider);
    let mut way_in: IngestorDef = ingestor(IngestMode::Ack);
    way_in.routes[0].relay = Arc::clone(&wider);
    let change = adds(vec![ingests(2, way_in), emits(2, emitter("out", wider))]);
    assert_eq!(node.apply(change).await, Vec::new());
    let (_, run) = node.surroundings.directory.runs().remove(0);
    assert_eq!(run.find("orders").unwrap().capacity(), 99);
    consumer.ack(&delivery.r#ref).await;
    let (answers, end) = node.within(writer.rest()).await;
    assert!(end.is_ok());
    assert_eq!(answers[&0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_flush_of_an_ingestor_is_installed_live_and_kicks() {
    let node = TestNode::start().await;
    let mut def = ingestor(IngestMode::Ack);
    def.routes[0].flush = Flush::Each {
        every: Duration::from_secs(3600),
        max_bytes: 1 << 30,
    };
    node.run(vec![ingests(1, def.clone()), emits(1, emitter("out", source()))])
        .await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    node.until("the batch is admitted", || inlet.traffic().written.batches() == 1)
        .await;
    // Whoever waits for the queue gets it as soon as the task that has it ends.
    let mut queue = Box::pin(inlet.queue());
    assert!(futures::poll!(&mut queue).is_pending());
    def.routes[0].flush = Flush::Immediate;
    assert_eq!(node.apply(adds(vec![ingests(2, def)])).await, Vec::new());
    assert!(futures::poll!(&mut queue).is_pending(), "the ingestor goes on");
    drop(queue);
    assert_eq!(node.within(consumer.ack_rows(4)).await, [0, 1, 2, 3]);
    writer.write(&orders(4..6, 2)).await;
    assert_eq!(node.within(consumer.ack_rows(2)).await, [4, 5]);
    assert!(node.within(writer.rest()).await.1.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_that_is_resumed_ends_and_gates_nothing_afterwards() {
    let node = TestNode::with_orders().await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    let order = [
        EntityName::emitter(DOMAIN, "out"),
        EntityName::ingestor(DOMAIN, "in"),
    ];
    let mut drained = Box::pin(
        node.assignments
            .lock()
            .await
            .drain(1, &order, Duration::from_secs(3600)),
    );
    assert!(futures::poll!(&mut drained).is_pending());
    node.assignments.lock().await.resume_all();
    assert!(node.within(drained).await.unwrap_err().contains("given up"));
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    assert_eq!(inlet.state(), InletState::Open(IngestMode::Ack));
    consumer.ack(&delivery.r#ref).await;
    assert!(node.within(writer.rest()).await.1.is_ok());
    drop(consumer);
    passes_rows(&node).await;
    let unstarted = node
        .assignments
        .lock()
        .await
        .drain(2, &order, Duration::from_secs(3600));
    node.assignments.lock().await.resume(2);
    assert!(node.within(unstarted).await.is_err());
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_assignment_opens_nothing_that_a_drain_holds() {
    let node = TestNode::with_orders().await;
    let way_in = [EntityName::ingestor(DOMAIN, "in")];
    let drained = node
        .assignments
        .lock()
        .await
        .drain(1, &way_in, Duration::from_secs(10));
    assert_eq!(node.within(drained).await, Ok(()));
    let mut changed = ingestor(IngestMode::Ack);
    changed.routes[0].flush = Flush::Each {
        every: Duration::from_millis(1),
        max_bytes: 1024,
    };
    assert_eq!(node.apply(adds(vec![ingests(2, changed)])).await, Vec::new());
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    assert_eq!(inlet.state(), InletState::Gated);
    node.assignments.lock().await.resume(1);
    assert_eq!(inlet.state(), InletState::Open(IngestMode::Ack));
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_generations_and_runs_are_refused() {
    let node = TestNode::start().await;
    let mut newer = full(vec![
        ingests(5, ingestor(IngestMode::Ack)),
        emits(5, emitter("out", source())),
    ]);
    newer.domains = vec![domain(true, 5)];
    assert_eq!(node.apply(newer).await, Vec::new());
    let failures = node.apply(adds(vec![emits(4, too_large("out"))])).await;
    assert_eq!(named(&failures), ["out"]);
    assert_eq!(failures[0].generation, 4);
    let stopped = ChangeSet {
        domains: vec![domain(false, 4)],
        ..ChangeSet::default()
    };
    assert_eq!(named(&node.apply(stopped).await), ["in", "out"]);
    let held: Vec<u64> = node
        .assignments
        .lock()
        .await
        .holdings()
        .into_iter()
        .map(|(_, generation)| generation)
        .collect();
    assert_eq!(held, [5, 5]);
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_that_share_few_instances_do_not_wait_for_one_another() {
    let node = TestNode::start().await;
    let branch = by_key(Some(1));
    let mut def = branched_ingestor(&branch);
    def.routes[0].flush = Flush::Each {
        every: Duration::from_secs(3600),
        max_bytes: 1 << 30,
    };
    let mut second = def.routes[0].clone();
    let other = relay("others", model::orders(), Some(branch));
    second.relay = Arc::clone(&other);
    let first = Arc::clone(&def.routes[0].relay);
    def.routes.push(second);
    node.run(vec![
        ingests(1, def),
        emits(1, emitter("out", first)),
        emits(1, emitter("out2", other)),
    ])
    .await;
    let mut out = Consumer::with_credit(&node, "out", 10).await;
    let mut out2 = Consumer::with_credit(&node, "out2", 10).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..6, 3)).await;
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    node.until("the batch is admitted", || inlet.traffic().written.batches() == 1)
        .await;
    let way_in = [EntityName::ingestor(DOMAIN, "in")];
    let drained = node
        .assignments
        .lock()
        .await
        .drain(1, &way_in, Duration::from_secs(15));
    let rows = futures::future::join(out.ack_rows(6), out2.ack_rows(6));
    let (drained, (first, second)) = node.within(futures::future::join(drained, rows)).await;
    assert_eq!((drained, first.len(), second.len()), (Ok(()), 6, 6));
    assert_eq!(node.within(writer.answer()).await.unwrap().status(), Status::Done);
}
