//! What waits for an ingestor that goes before it could take it: writers are told, and nothing is held any more.

use std::sync::Arc;

use nervix_proto::client::v1::answer::Status;
use nspl_model::{Attachment, BatchLimits, Field, IngestMode, IngestorDef, Schema, SourceKind};
use tonic::Code;

use super::{
    model::{self, DOMAIN, emitter, ingestor, relay},
    node::{TestNode, emits, ingests},
    peers::{Writer, order_schema, orders},
};
use crate::assignments::{ChangeSet, EntityName};

/// Batches that wait in the ingestor's queue at least.
const QUEUED: usize = 8;

/// Applies a change beside a writer whose batches wait for an ingestor that is stuck at its relay. Gives how the writer's
/// stream ended, and how long it is asked to wait before it sends again; every batch that the worker has read is answered
/// UNRESOLVED, and neither bytes nor the inlet, nor the queue that it owns, outlive the streams.
async fn writer_beside(change: ChangeSet, goes_on: bool) -> (Code, u64) {
    let node = TestNode::start().await;
    node.run(vec![ingests(1, ingestor(IngestMode::Ack))]).await;
    let (_, run) = node.surroundings.directory.runs().remove(0);
    // Reads nothing, so that the relay fills.
    let relay = run.find("orders").unwrap();
    let stuck = relay.attach("stuck", Attachment::Attached);
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let inlet = node.surroundings.directory.inlet(DOMAIN, "in").unwrap();
    // As many as it takes: the relay takes some, and the ingestor joins those that come together.
    let mut ids = 0..;
    while inlet.queued() < QUEUED || relay.waiting() == 0 {
        let id = ids.next().unwrap();
        node.within(writer.write(&orders(id..id + 1, 1))).await;
    }
    let gone = Arc::downgrade(&inlet);
    drop(inlet);
    node.apply(change).await;
    relay.detach("stuck");
    drop((stuck, relay, run));
    let (answers, end) = node.within(writer.ended()).await;
    assert!(answers.len() > QUEUED, "{} answers", answers.len());
    assert!(answers.keys().copied().eq(0..answers.len() as u64));
    for answer in answers.values() {
        assert_eq!(answer.status(), Status::Unresolved, "{answer:?}");
    }
    let budget = &node.surroundings.budget;
    node.until("nothing is held", || budget.used() == 0).await;
    if !goes_on {
        node.until("the inlet is gone", || gone.strong_count() == 0).await;
    }
    let waits = answers.values().map(|answer| answer.retry_after_ms).min();
    (end.unwrap_err().code(), waits.unwrap())
}

fn removed() -> ChangeSet {
    ChangeSet {
        removed: vec![EntityName::ingestor(DOMAIN, "in")],
        ..ChangeSet::default()
    }
}

fn adds(entities: Vec<crate::assignments::EntitySpec>) -> ChangeSet {
    ChangeSet {
        entities,
        ..ChangeSet::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_wait_for_an_ingestor_that_is_dropped_are_unresolved_and_hold_nothing() {
    let (code, _) = writer_beside(removed(), false).await;
    assert_eq!(code, Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_wait_for_an_ingestor_that_moves_are_unresolved_and_hold_nothing() {
    let change = ChangeSet {
        moved_to: Some("127.0.0.1:9".into()),
        ..removed()
    };
    let (code, _) = writer_beside(change, false).await;
    assert_eq!(code, Code::Unavailable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_wait_for_an_ingestor_of_another_schema_are_unresolved_and_hold_nothing() {
    let mut schema: Schema = (*model::orders()).clone();
    schema.fields.push(Field {
        name: "note".into(),
        ..schema.fields[2].clone()
    });
    let mut wider: IngestorDef = ingestor(IngestMode::Ack);
    wider.source = SourceKind::Client {
        schema: Arc::new(schema),
    };
    let (code, _) = writer_beside(adds(vec![ingests(2, wider)]), false).await;
    assert_eq!(code, Code::FailedPrecondition);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_wait_for_an_ingestor_that_fails_are_unresolved_and_asked_for_later() {
    let mut broken = emitter("wide", relay("orders", model::orders(), None));
    broken.batch = Some(BatchLimits {
        max_messages: 10,
        max_bytes: 1 << 40,
    });
    // The inlet stays: it opens again when the emitter is healed.
    let (code, wait_ms) = writer_beside(adds(vec![emits(1, broken)]), true).await;
    assert_eq!(code, Code::Unavailable);
    assert!(wait_ms > 0, "the writer may come back at once");
}
