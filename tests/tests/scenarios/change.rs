//! Changes beside traffic: CREATE, DROP, replacement, STOP and START while records flow.

use std::collections::{BTreeMap, BTreeSet};

use nervix_proto::client::v1::answer::Status;
use nervix_proto::client::v1::outcome::Result;
use nervix_proto::client::v1::revoked;
use nervix_tests::flight::{Event, Exchange, Put};
use nervix_tests::rows::read_ids;
use nervix_tests::wait::must;
use tokio::sync::watch;
use tonic::Code;

use crate::graph::{Graph, batch, consumer, consumer_of, expand, writer};
use crate::load::Load;

/// Acknowledges deliveries until `rows` rows have come.
async fn drink(consumer: &mut Exchange, rows: usize) -> BTreeSet<i64> {
    let mut seen = BTreeSet::new();
    while seen.len() < rows {
        let (delivery, rows) = consumer.delivery().await;
        seen.extend(read_ids(&rows));
        consumer.ack(&delivery.r#ref).await;
    }
    seen
}

/// The last record that is written.
const LAST: i64 = -1;

/// Acknowledges whatever comes until the last record is confirmed, and says what came. Nothing may be revoked meanwhile.
async fn read_steadily(mut consumer: Exchange) -> Vec<i64> {
    consumer.credit(u32::MAX).await;
    let mut seen = Vec::new();
    loop {
        match must("the stream goes on", consumer.next().await) {
            Some(Event::Delivery(delivery, rows)) => {
                seen.extend(read_ids(&rows));
                consumer.ack(&delivery.r#ref).await;
                if seen.last() == Some(&LAST) {
                    consumer.outcome(&delivery.r#ref).await;
                    return seen;
                }
            }
            Some(Event::Outcome(_)) => {}
            other => panic!("another emitter's CREATE or DROP reached this one: {other:?}"),
        }
    }
}

/// Acknowledges whatever comes until the stream ends, which it does with a status; each record comes once, in order, from
/// where the emitter began. Tells that something came.
async fn read_to_the_end(mut consumer: Exchange, came: watch::Sender<bool>) -> Code {
    consumer.credit(u32::MAX).await;
    let mut next = None;
    loop {
        match consumer.next().await {
            Ok(Some(Event::Delivery(delivery, rows))) => {
                for id in read_ids(&rows) {
                    assert_eq!(id, next.unwrap_or(id), "no record is left out or comes twice");
                    next = Some(id + 1);
                }
                consumer.ack(&delivery.r#ref).await;
                came.send_replace(true);
            }
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream of a dropped emitter ended without saying why"),
            Err(status) => return status.code(),
        }
    }
}

/// Writes ten records at a time until it is told to stop, then the last; how many batches that was.
async fn write_steadily(put: Put, stop: watch::Receiver<bool>) -> (Put, i64) {
    let mut batches = 0;
    while !*stop.borrow() {
        must("write", put.write(batch(batches * 10, 10)).await);
        batches += 1;
    }
    must("write", put.write(batch(LAST, 1)).await);
    (put, batches)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn create_and_drop_beside_traffic_touch_no_other_emitter() {
    let graph = Graph::default();
    let server = graph.serve().await;
    let (stop, stopped) = watch::channel(false);
    let reading = tokio::task::spawn(read_steadily(consumer(&server).await));
    let writing = tokio::task::spawn(write_steadily(writer(&server).await, stopped));
    // Of what is written, an ATTACHED one takes a share, which has to be settled before it goes.
    for attachment in ["DETACHED", "ATTACHED"].repeat(4) {
        let graph = Graph {
            attachment,
            ..graph.clone()
        };
        server.exec(&format!("USE d; {}", graph.emitter("passing")));
        let (came, mut comes) = watch::channel(false);
        let passing = tokio::task::spawn(read_to_the_end(consumer_of(&server, "passing").await, came));
        must("records flow", comes.wait_for(|came| *came).await);
        server.exec("USE d; DROP EMITTER passing;");
        assert_eq!(must("the reader ends", passing.await), Code::NotFound);
    }
    stop.send_replace(true);
    let (put, batches) = must("the writer ends", writing.await);
    let answers = expand(must("finish", put.finish().await));
    assert!(answers.iter().all(|(_, status)| *status == Status::Done));
    let wanted: Vec<i64> = (0..batches * 10).chain([LAST]).collect();
    assert!(
        must("the reader ends", reading.await) == wanted,
        "each record once, in order"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drop_that_cannot_drain_changes_nothing() {
    let server = nervix_tests::server::Nervix::start(&["dev", "--ephemeral", "--drain-timeout", "1s"]).await;
    server.exec(&Graph::default().script());
    let put = writer(&server).await;
    must("write", put.write(batch(0, 3)).await);
    let mut holding = consumer(&server).await;
    holding.credit(1).await;
    let (held, _) = holding.delivery().await;
    let refused = server.command(&["exec", "USE d; DROP EMITTER outbox;"]);
    assert_eq!(
        refused.status.code(),
        Some(1),
        "a drop that cannot drain is refused"
    );
    holding.ack(&held.r#ref).await;
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
    server.exec("USE d; DROP EMITTER outbox;");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replacement_in_one_transaction_drains_and_goes_on_with_the_new_definition() {
    let graph = Graph::default();
    let server = graph.serve().await;
    let put = writer(&server).await;
    let mut before = consumer(&server).await;
    before.credit(u32::MAX).await;
    must("write", put.write(batch(0, 10)).await);
    drink(&mut before, 10).await;
    let doubled = Graph {
        construction: "INHERIT origin SET id = input.id * 2",
        ..graph
    };
    server.exec(&format!(
        "USE d; BEGIN; DROP EMITTER outbox; {} COMMIT;",
        doubled.emitter("outbox")
    ));
    must("write", put.write(batch(10, 10)).await);
    let seen = drink(&mut before, 10).await;
    assert_eq!(seen, (10..20).map(|id| id * 2).collect::<BTreeSet<i64>>());
    assert!(
        expand(must("finish", put.finish().await))
            .iter()
            .all(|(_, status)| *status == Status::Done)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_answers_writers_unresolved_and_consumers_go_on_after_start() {
    let server = Graph::default().serve().await;
    let mut put = writer(&server).await;
    must("write", put.write(batch(0, 3)).await);
    let mut staying = consumer(&server).await;
    staying.credit(100).await;
    let (held, _) = staying.delivery().await;
    server.exec("USE d; STOP;");
    match must("a revocation", staying.next().await) {
        Some(Event::Revoked(revoked)) => {
            assert_eq!(
                (revoked.r#ref.as_str(), revoked.reason()),
                (held.r#ref.as_str(), revoked::Reason::Stopped)
            );
        }
        other => panic!("expected a revocation, got {other:?}"),
    }
    let answer = must("an answer", put.answer().await).expect("open positions are answered first");
    assert_eq!((answer.first, answer.status()), (0, Status::Unresolved));
    let ended = put
        .answer()
        .await
        .expect_err("a DoPut into a stopped domain ends");
    assert_eq!(ended.code(), Code::Unavailable);
    server.exec("USE d; START;");
    let again = writer(&server).await;
    must("write", again.write(batch(0, 3)).await);
    drink(&mut staying, 3).await;
    assert_eq!(expand(must("finish", again.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_in_the_middle_of_a_load_answers_what_is_left_unresolved_and_the_rest_comes_after_start() {
    let server = Graph::default().serve().await;
    let load = Load::begin(&server).await;
    server.exec("USE d; STOP;");
    let (mut staying, rest) = load.until_cut_off().await;
    server.exec("USE d; START;");
    let again = writer(&server).await;
    let writing = async {
        for first in &rest {
            must("write", again.write(batch(*first, 10)).await);
        }
        expand(must("finish", again.finish().await))
    };
    let (answers, confirmed) = tokio::join!(writing, confirm(&mut staying, rest.len() * 10));
    assert!(answers.iter().all(|(_, status)| *status == Status::Done));
    let wanted: BTreeSet<i64> = rest.iter().flat_map(|first| *first..*first + 10).collect();
    assert!(confirmed == wanted, "what was not acknowledged before comes now");
}

/// Acknowledges whatever comes until so many rows are confirmed, and says which; what STOP took back is stale.
async fn confirm(consumer: &mut Exchange, rows: usize) -> BTreeSet<i64> {
    let (mut said, mut confirmed) = (BTreeMap::new(), BTreeSet::new());
    while confirmed.len() < rows {
        match must("the stream stays", consumer.next().await) {
            Some(Event::Delivery(delivery, rows)) => {
                consumer.ack(&delivery.r#ref).await;
                said.insert(delivery.r#ref, read_ids(&rows));
            }
            Some(Event::Outcome(outcome)) if outcome.result() == Result::Confirmed => {
                confirmed.extend(said.remove(&outcome.r#ref).expect("it was acknowledged"));
            }
            Some(Event::Outcome(outcome)) => assert_eq!(outcome.result(), Result::Stale),
            Some(Event::Revoked(revoked)) => assert_eq!(revoked.reason(), revoked::Reason::Stopped),
            None => panic!("STOP ended the stream of a consumer"),
        }
    }
    confirmed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_transaction_leaves_nothing_changed() {
    let server = Graph::default().serve().await;
    let script = "USE d; BEGIN;
        CREATE SCHEMA extra (n I64);
        CREATE RELAY broken SCHEMA absent UNBRANCHED;
        COMMIT;";
    let refused = server.command(&["exec", script]);
    assert_eq!(refused.status.code(), Some(1));
    let printed = nervix_tests::server::text(&refused.stderr) + &nervix_tests::server::text(&refused.stdout);
    assert!(printed.contains("absent"), "{printed}");
    let schemas = server.exec("USE d; SHOW SCHEMAS;");
    assert!(!schemas.contains("extra"), "{schemas}");
}
