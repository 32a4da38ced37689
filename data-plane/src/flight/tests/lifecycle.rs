//! Changes under open streams: panics, generations, drains, drops, the end of the node.

use std::{sync::Arc, time::Duration};

use nervix_ack::root;
use nervix_ingestor::Arrival;
use nervix_proto::client::v1::{answer::Status, revoked};
use nervix_source_client::InletState;
use nspl_model::{Field, Flush, IngestMode, Schema, SourceKind};
use tokio::sync::oneshot;
use tonic::Code;

use super::{
    model::{self, DOMAIN, emitter, ingestor, relay},
    node::{TestNode, domain, emits, ingests},
    peers::{Consumer, Heard, Writer, order_schema, orders},
};
use crate::assignments::{ChangeSet, EntityName};

pub(super) async fn set_running(node: &TestNode, running: bool, run_generation: u64) {
    let change = ChangeSet {
        domains: vec![domain(running, run_generation)],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(change).await, Vec::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_leaves_its_rows_unresolved_and_the_ingestor_goes_on() {
    let node = TestNode::with_orders().await;
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    let (told, heard) = oneshot::channel();
    // Two rows for three records: the relay asserts that they match.
    let batch = arrow::array::RecordBatch::try_new(
        nervix_columns::arrow_schema(&model::orders()),
        orders(0..3, 1).columns().to_vec(),
    )
    .unwrap();
    inlet
        .enter(Arrival {
            batch,
            rejected: None,
            share: root(2, move |verdict| told.send(verdict).unwrap()),
            held: Arc::new(nervix_budget::Held::nothing()),
            room: nervix_budget::Held::nothing(),
        })
        .await
        .unwrap();
    assert_eq!(node.within(heard).await.unwrap().unresolved, 2);
    let event = node.within(node.surroundings.events.next()).await;
    assert_eq!(
        (event.kind, event.entity),
        ("panicked", EntityName::ingestor(DOMAIN, "in"))
    );
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(10..12, 1)).await;
    assert_eq!(node.within(consumer.ack_rows(2)).await, [10, 11]);
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_generation_is_untouched() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    let source = relay("orders", model::orders(), None);
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source)),
    ])
    .await;
    consumer.ack(&delivery.r#ref).await;
    let (answers, end) = node.within(writer.rest()).await;
    assert!(end.is_ok());
    assert_eq!(answers[&0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_generation_with_the_same_output_revokes_and_goes_on() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    let mut def = emitter("out", relay("orders", model::orders(), None));
    def.batch.as_mut().unwrap().max_messages = 100;
    let change = ChangeSet {
        entities: vec![emits(2, def)],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(change).await, Vec::new());
    let Some(Ok(Heard::Revoked(revoked))) = node.within(consumer.hear()).await else {
        panic!("not revoked")
    };
    assert_eq!(
        (&revoked.r#ref, revoked.reason()),
        (&delivery.r#ref, revoked::Reason::Changed)
    );
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!(answer.status(), Status::Unresolved);
    assert!(answer.retry_after_ms > 0, "{answer:?}");
    writer.write(&orders(5..8, 2)).await;
    assert_eq!(node.within(consumer.ack_rows(3)).await, [5, 6, 7]);
    let answer = node.within(writer.answer()).await.unwrap();
    assert_eq!((answer.first, answer.status()), (1, Status::Done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_schema_ends_streams_with_failed_precondition_and_keeps_counters() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..2, 1)).await;
    assert_eq!(node.within(consumer.ack_rows(2)).await, [0, 1]);
    assert_eq!(node.within(writer.answer()).await.unwrap().status(), Status::Done);
    let wider = |schema: &Schema| {
        let mut schema = schema.clone();
        schema.fields.push(Field {
            name: "note".into(),
            ..schema.fields[2].clone()
        });
        Arc::new(schema)
    };
    let mut ingests_wider = ingestor(IngestMode::Ack);
    ingests_wider.source = SourceKind::Client {
        schema: wider(&model::orders()),
    };
    let emits_wider = emitter("out", relay("orders", wider(&model::orders()), None));
    let change = ChangeSet {
        removed: Vec::new(),
        entities: vec![ingests(2, ingests_wider), emits(2, emits_wider)],
        ..ChangeSet::default()
    };
    node.apply(change).await;
    assert_eq!(
        node.within(consumer.end()).await.unwrap_err().code(),
        Code::FailedPrecondition
    );
    assert_eq!(
        node.within(writer.ended()).await.1.unwrap_err().code(),
        Code::FailedPrecondition
    );
    let outlet = node.surroundings.directory.outlet(DOMAIN, "out").unwrap();
    assert!(outlet.exchange.unwrap().status().acks > 0, "counters stay");
    Consumer::with_credit(&node, "out", 10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_dropped_ends_its_streams_with_not_found() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let removed = vec![
        EntityName::ingestor(DOMAIN, "in"),
        EntityName::emitter(DOMAIN, "out"),
    ];
    node.apply(ChangeSet {
        removed,
        ..ChangeSet::default()
    })
    .await;
    assert_eq!(
        node.within(consumer.end()).await.unwrap_err().code(),
        Code::NotFound
    );
    assert_eq!(
        node.within(writer.ended()).await.1.unwrap_err().code(),
        Code::NotFound
    );
    let refused = Writer::open(&node, &order_schema())
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_gates_finishes_and_a_resume_lets_in_again() {
    let node = TestNode::start().await;
    let source = relay("orders", model::orders(), None);
    let mut def = ingestor(IngestMode::Ack);
    def.routes[0].flush = Flush::Each {
        every: Duration::from_secs(3600),
        max_bytes: 1 << 30,
    };
    node.run(vec![ingests(1, def), emits(1, emitter("out", source))])
        .await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    node.until("the batch is admitted", || inlet.traffic().written.batches() == 1)
        .await;
    let entities = [
        EntityName::ingestor(DOMAIN, "in"),
        EntityName::emitter(DOMAIN, "out"),
    ];
    let drained = node
        .assignments
        .lock()
        .await
        .drain(1, &entities, Duration::from_secs(10));
    let (drained, ids) = node
        .within(futures::future::join(drained, consumer.ack_rows(5)))
        .await;
    assert_eq!((drained, ids.len()), (Ok(()), 5));
    assert_eq!(node.within(writer.answer()).await.unwrap().status(), Status::Done);
    assert_eq!(inlet.state(), InletState::Gated);
    writer.write(&orders(5..6, 1)).await;
    node.assignments.lock().await.resume(1);
    node.until("the next batch is admitted", || {
        inlet.traffic().written.batches() == 2
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_that_outlasts_its_bound_says_so_and_everything_goes_on() {
    let node = TestNode::with_orders().await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    let entities = [EntityName::emitter(DOMAIN, "out")];
    let drained = node
        .assignments
        .lock()
        .await
        .drain(9, &entities, Duration::from_millis(30));
    assert!(node.within(drained).await.unwrap_err().contains("EMITTER out"));
    node.assignments.lock().await.resume(9);
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(node.within(writer.answer()).await.unwrap().status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_in_time_answers_everything_and_a_late_one_answers_unresolved() {
    for acked in [true, false] {
        let node = TestNode::with_orders().await;
        let mut consumer = Consumer::with_credit(&node, "out", 10).await;
        let writer = Writer::open(&node, &order_schema()).await.unwrap();
        writer.write(&orders(0..5, 2)).await;
        let (delivery, _) = node.within(consumer.delivery()).await;
        if acked {
            consumer.ack(&delivery.r#ref).await;
        }
        let patience = Duration::from_millis(if acked { 10_000 } else { 50 });
        let deadline = node.surroundings.clock.now().after(patience);
        node.surroundings.directory.begin_drain();
        let mut assignments = node.assignments.lock().await;
        let leftovers = node.within(assignments.finish(deadline)).await;
        assert_eq!(leftovers.is_empty(), acked, "{leftovers:?}");
        node.within(assignments.end(node.surroundings.clock.now())).await;
        let (answers, end) = node.within(writer.ended()).await;
        let expected = if acked { Status::Done } else { Status::Unresolved };
        assert_eq!(answers[&0].status(), expected);
        assert_eq!(end.unwrap_err().code(), Code::Unavailable);
        assert_eq!(
            node.within(consumer.end()).await.unwrap_err().code(),
            Code::Unavailable
        );
        let refused = Writer::open(&node, &order_schema())
            .await
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refused.code(), Code::Unavailable);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_names_every_family_and_counts_what_passed() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    node.within(consumer.ack_rows(5)).await;
    assert!(node.within(writer.rest()).await.1.is_ok());
    let metrics = crate::metrics::Metrics::new("n1", &node.surroundings);
    let text = metrics.text();
    for family in crate::metrics::Family::ALL {
        assert!(
            text.contains(&format!("# HELP {} ", family.name())),
            "{} is missing",
            family.name()
        );
    }
    let written = "nervix_messages_total{domain=\"shop\",target_kind=\"ingestor\",target=\"in\",node=\"n1\",direction=\"in\",stream=\"client\"} 5";
    let sent = "nervix_messages_total{domain=\"shop\",target_kind=\"emitter\",target=\"out\",node=\"n1\",direction=\"out\",stream=\"client\"} 5";
    assert!(text.contains(written) && text.contains(sent), "{text}");
    assert!(text.contains(
        "nervix_client_consumers{domain=\"shop\",target_kind=\"emitter\",target=\"out\",node=\"n1\"} 1"
    ));
}
