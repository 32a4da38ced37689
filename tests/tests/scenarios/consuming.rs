//! Reading out: credit, answers to refs, revocation, competition, lost consumers.

use std::collections::BTreeSet;

use nervix_proto::client::v1::answer::Status;
use nervix_proto::client::v1::outcome::Result as Outcome;
use nervix_proto::client::v1::{Ack, Delivery, client_message, revoked};
use nervix_tests::flight::{Event, Exchange};
use nervix_tests::proxy::Proxy;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::wait::{must, until};

use crate::graph::{Graph, batch, consumer, expand, write_all, writer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_goes_in_and_comes_out_and_the_writer_learns_of_the_acknowledgement() {
    let server = Graph::default().serve().await;
    let mut put = writer(&server).await;
    must("write", put.write(batch(0, 10)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(1).await;
    let (delivery, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), (0..10).collect::<Vec<i64>>());
    assert_eq!(
        (delivery.attempt, delivery.rows, delivery.source.as_str()),
        (1, 10, "events")
    );
    assert_eq!((delivery.branch.as_str(), delivery.ack_timeout_ms), ("", 30_000));
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(
        consumer.outcome(&delivery.r#ref).await.result(),
        Outcome::Confirmed
    );
    let answer = must("an answer", put.answer().await).expect("the stream goes on");
    assert_eq!((answer.first, answer.last, answer.status()), (0, 0, Status::Done));
    put.close();
    assert!(must("the end", put.answer().await).is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_consumer_loses_nothing_and_the_next_gets_the_same_batch_again() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 5)).await);
    let mut first = consumer(&server).await;
    first.credit(1).await;
    let (lost, _) = first.delivery().await;
    drop(first);
    let mut second = consumer(&server).await;
    second.credit(1).await;
    let (again, rows) = second.delivery().await;
    assert_eq!(again.batch, lost.batch);
    assert_ne!(again.r#ref, lost.r#ref);
    assert_eq!(again.attempt, 2);
    assert_eq!(read_ids(&rows), (0..5).collect::<Vec<i64>>());
    second.ack(&again.r#ref).await;
    let answers = must("finish", put.finish().await);
    assert_eq!(answers[0].status(), Status::Done);
}

/// The server pings after 10 s of silence and gives a peer up that has not answered for 20 s (flight.md "Consuming").
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_whose_connection_falls_silent_is_given_up_and_the_next_gets_its_batches() {
    let server = Graph {
        mode: "ACK PARALLEL MAX 8 ACK TIMEOUT 1h RETRY POLICY BACKOFF 10ms MAX 100ms",
        batch: "BATCH MAX MESSAGES 5 MAX SIZE 4MiB",
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 5)).await);
    let proxy = Proxy::before(&server.ports().flight).await;
    let mut silent = must(
        "open a consumer",
        Exchange::open(proxy.address(), "d", "outbox").await,
    );
    silent.credit(8).await;
    let (taken, _) = silent.delivery().await;
    proxy.fall_silent();
    // More than the sockets between hold: what is pending for it is to be no reason to keep it.
    let wide = "a payload of a thousand bytes ".repeat(20_000);
    for n in 1..8 {
        must("write", put.write(ids(n * 5..n * 5 + 5, &wide)).await);
    }
    until("all are assigned to it", || {
        let pending = server.metric("nervix_emitter_pending_payloads");
        async move { (pending.await == 8.0).then_some(()) }
    })
    .await;
    let mut next = consumer(&server).await;
    next.credit(8).await;
    let mut seen = Vec::new();
    for _ in 0..8 {
        let (delivery, rows) = next.delivery().await;
        assert_eq!(delivery.attempt, 2);
        assert_eq!(delivery.batch == taken.batch, read_ids(&rows) == [0, 1, 2, 3, 4]);
        seen.extend(read_ids(&rows));
        next.ack(&delivery.r#ref).await;
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..40).collect::<Vec<i64>>());
    next.ack(&taken.r#ref).await;
    assert_eq!(next.outcome(&taken.r#ref).await.result(), Outcome::Stale);
    let answers = expand(must("finish", put.finish().await));
    assert_eq!(
        answers,
        (0..8).map(|batch| (batch, Status::Done)).collect::<Vec<_>>()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ack_after_the_timeout_is_stale_and_the_batch_comes_again() {
    let mode = "ACK SEQUENTIAL ACK TIMEOUT 200ms RETRY POLICY BACKOFF 10ms MAX 100ms";
    let server = Graph {
        mode,
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(2).await;
    let (late, _) = consumer.delivery().await;
    match must("a revocation", consumer.next().await) {
        Some(Event::Revoked(revoked)) => {
            assert_eq!(revoked.r#ref, late.r#ref);
            assert_eq!(revoked.reason(), revoked::Reason::Timeout);
        }
        other => panic!("expected a revocation, got {other:?}"),
    }
    consumer.ack(&late.r#ref).await;
    assert_eq!(consumer.outcome(&late.r#ref).await.result(), Outcome::Stale);
    let (again, _) = consumer.delivery().await;
    assert_eq!((again.batch.as_str(), again.attempt), (late.batch.as_str(), 2));
    consumer.ack(&again.r#ref).await;
    assert_eq!(consumer.outcome(&again.r#ref).await.result(), Outcome::Confirmed);
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_answer_to_a_ref_wins_and_others_are_stale() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(1).await;
    let (delivery, _) = consumer.delivery().await;
    let name = delivery.r#ref.as_str();
    consumer.ack(name).await;
    consumer.retry(name).await;
    consumer.reject(name, "no").await;
    consumer.ack(name).await;
    let mut results = Vec::new();
    for _ in 0..4 {
        results.push(consumer.outcome(name).await.result());
    }
    assert_eq!(
        results,
        [
            Outcome::Confirmed,
            Outcome::Stale,
            Outcome::Stale,
            Outcome::Confirmed
        ]
    );
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_answers_that_race_on_several_streams_one_wins_and_the_others_are_stale() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    let [mut one, mut two, mut three] = [
        consumer(&server).await,
        consumer(&server).await,
        consumer(&server).await,
    ];
    one.credit(1).await;
    let (mut delivery, _) = one.delivery().await;
    for _ in 0..20 {
        let name = delivery.r#ref.as_str();
        tokio::join!(one.retry(name), two.ack(name), three.reject(name, "no"));
        let (retried, acked, rejected) =
            tokio::join!(one.outcome(name), two.outcome(name), three.outcome(name));
        let results = [retried.result(), acked.result(), rejected.result()];
        let again = results == [Outcome::Retrying, Outcome::Stale, Outcome::Stale];
        let settled = results == [Outcome::Stale, Outcome::Confirmed, Outcome::Stale]
            || results == [Outcome::Stale, Outcome::Stale, Outcome::Rejected];
        assert!(again || settled, "one answer has an effect: {results:?}");
        if settled {
            must("write", put.write(batch(0, 1)).await);
        }
        one.credit(1).await;
        let next = one.delivery().await.0;
        assert_eq!(next.batch == delivery.batch, again);
        delivery = next;
    }
    one.ack(&delivery.r#ref).await;
    let answers = must("finish", put.finish().await);
    assert!(answers.iter().all(|answer| answer.status() == Status::Done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmed_ack_repeated_on_another_stream_is_confirmed_again() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    let mut first = consumer(&server).await;
    first.credit(1).await;
    let (delivery, _) = first.delivery().await;
    first.ack(&delivery.r#ref).await;
    first.outcome(&delivery.r#ref).await;
    drop(first);
    let mut second = consumer(&server).await;
    second.ack(&delivery.r#ref).await;
    assert_eq!(second.outcome(&delivery.r#ref).await.result(), Outcome::Confirmed);
    second.ack("never-was").await;
    assert_eq!(second.outcome("never-was").await.result(), Outcome::Stale);
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_brings_the_same_bytes_under_a_new_ref() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 7)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(3).await;
    let (first, rows) = consumer.delivery().await;
    consumer.retry(&first.r#ref).await;
    assert_eq!(consumer.outcome(&first.r#ref).await.result(), Outcome::Retrying);
    let (second, again) = consumer.delivery().await;
    assert_eq!(rows, again);
    assert_eq!((second.batch.as_str(), second.attempt), (first.batch.as_str(), 2));
    consumer.ack(&second.r#ref).await;
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reject_follows_the_message_error_policy_and_the_writer_is_done() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 3)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(1).await;
    let (delivery, _) = consumer.delivery().await;
    consumer.reject(&delivery.r#ref, "bad-customer").await;
    assert_eq!(
        consumer.outcome(&delivery.r#ref).await.result(),
        Outcome::Rejected
    );
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
    let rejected = server.metric("nervix_emitter_rejected_total").await;
    assert!(
        rejected >= 3.0,
        "three rows were rejected, the metric says {rejected}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn competing_consumers_share_the_batches_and_none_is_lost() {
    let server = Graph {
        batch: "BATCH MAX MESSAGES 10 MAX SIZE 1MiB",
        ..Graph::default()
    }
    .serve()
    .await;
    let mut left = consumer(&server).await;
    let mut right = consumer(&server).await;
    left.credit(5).await;
    right.credit(5).await;
    let writing = write_all(&server, vec![batch(0, 100)]);
    let reading = async {
        let (one, two) = tokio::join!(take(&mut left, 5), take(&mut right, 5));
        assert_eq!((one.len(), two.len()), (50, 50));
        one.into_iter().chain(two).collect::<BTreeSet<i64>>()
    };
    let (answers, seen) = tokio::join!(writing, reading);
    assert_eq!(seen, (0..100).collect::<BTreeSet<i64>>());
    assert_eq!(answers, [(0, Status::Done)]);
}

async fn take(consumer: &mut Exchange, deliveries: usize) -> Vec<i64> {
    let mut seen = Vec::new();
    for _ in 0..deliveries {
        let (delivery, rows) = consumer.delivery().await;
        seen.extend(read_ids(&rows));
        consumer.ack(&delivery.r#ref).await;
        consumer.outcome(&delivery.r#ref).await;
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_credit_nothing_is_sent_and_each_delivery_uses_one() {
    let mode = "ACK PARALLEL MAX 100 ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms";
    let graph = Graph {
        mode,
        batch: "BATCH MAX MESSAGES 1 MAX SIZE 1MiB",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 6)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(0).await;
    consumer.credit(2).await;
    let (one, _) = consumer.delivery().await;
    let (two, _) = consumer.delivery().await;
    // Both uses of credit are spent: what comes next can only be outcomes.
    consumer.ack(&one.r#ref).await;
    consumer.ack(&two.r#ref).await;
    for delivery in [&one, &two] {
        match must("an outcome", consumer.next().await) {
            Some(Event::Outcome(outcome)) => assert_eq!(outcome.r#ref, delivery.r#ref),
            other => panic!("a delivery without credit: {other:?}"),
        }
    }
    consumer.credit(4).await;
    for _ in 0..4 {
        let (delivery, _) = consumer.delivery().await;
        consumer.ack(&delivery.r#ref).await;
    }
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_consumer_gets_nothing_until_it_speaks() {
    let mode = "ACK SEQUENTIAL ACK TIMEOUT 200ms RETRY POLICY BACKOFF 10ms MAX 50ms";
    let server = Graph {
        mode,
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    let mut silent = consumer(&server).await;
    silent.credit(10).await;
    let (first, _) = silent.delivery().await;
    assert!(matches!(
        must("a revocation", silent.next().await),
        Some(Event::Revoked(_))
    ));
    // While it is suspended, another consumer gets the batch although it came later.
    let mut lively = consumer(&server).await;
    lively.credit(1).await;
    let (second, _): (Delivery, _) = lively.delivery().await;
    assert_eq!((second.batch.as_str(), second.attempt), (first.batch.as_str(), 2));
    lively.ack(&second.r#ref).await;
    lively.outcome(&second.r#ref).await;
    silent
        .say(client_message::Body::Ack(Ack {
            refs: vec![first.r#ref.clone()],
        }))
        .await;
    assert_eq!(silent.outcome(&first.r#ref).await.result(), Outcome::Stale);
    must("write", put.write(batch(1, 1)).await);
    let (third, _) = silent.delivery().await;
    silent.ack(&third.r#ref).await;
    assert!(
        must("finish", put.finish().await)
            .iter()
            .all(|answer| answer.status() == Status::Done)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_half_closed_consumer_gets_its_outcomes_and_the_rest_is_revoked() {
    let graph = Graph {
        batch: "BATCH MAX MESSAGES 1 MAX SIZE 1MiB",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 2)).await);
    let mut leaving = consumer(&server).await;
    leaving.credit(2).await;
    let (one, _) = leaving.delivery().await;
    let (two, _) = leaving.delivery().await;
    leaving.ack(&one.r#ref).await;
    leaving.close();
    assert_eq!(leaving.outcome(&one.r#ref).await.result(), Outcome::Confirmed);
    while must("the stream ends OK", leaving.next().await).is_some() {}
    let mut staying = consumer(&server).await;
    staying.credit(1).await;
    let (again, _) = staying.delivery().await;
    assert_eq!(again.batch, two.batch);
    staying.ack(&again.r#ref).await;
    assert_eq!(must("finish", put.finish().await)[0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_detached_emitter_does_not_keep_the_writer_waiting() {
    let server = Graph {
        attachment: "DETACHED",
        ..Graph::default()
    }
    .serve()
    .await;
    assert_eq!(write_all(&server, vec![batch(0, 3)]).await, [(0, Status::Done)]);
    let mut consumer = consumer(&server).await;
    consumer.credit(1).await;
    let (delivery, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), [0, 1, 2]);
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(
        consumer.outcome(&delivery.r#ref).await.result(),
        Outcome::Confirmed
    );
}
