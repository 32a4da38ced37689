//! The consumer: credit, answers, revocations, reconnects, ends.

use futures::StreamExt;
use nervix_client::{Consumer, Delivery, Error, Outcome, Revocation};
use nervix_proto::client::v1::{
    Outcome as OutcomeMessage, Revoked, client_message::Body, outcome, revoked, server_message,
};
use tonic::Status;

use crate::peer::{Exchange, Peer, soon};

async fn open(peer: &mut Peer, window: u32) -> (Consumer, Exchange) {
    let opening = peer.client().await.consumer("d", "numbers").window(window).open();
    let consumer = soon(opening).await.unwrap();
    let mut exchange = peer.exchange().await;
    assert_eq!(exchange.credit().await, window);
    (consumer, exchange)
}

async fn next(consumer: &mut Consumer) -> Delivery {
    soon(consumer.next()).await.unwrap().unwrap()
}

fn result(name: &str, result: outcome::Result) -> server_message::Body {
    server_message::Body::Outcome(OutcomeMessage {
        r#ref: name.to_owned(),
        result: result.into(),
    })
}

#[tokio::test]
async fn an_ack_is_sent_with_new_credit_and_its_outcome_is_heard() {
    let mut peer = Peer::start().await;
    let (mut consumer, mut exchange) = open(&mut peer, 2).await;
    exchange.deliver("a", vec![1, 2, 3]).await;
    let delivery = next(&mut consumer).await;
    assert_eq!(delivery.batch().num_rows(), 3);
    assert_eq!(
        (delivery.reference(), delivery.batch_id(), delivery.attempt()),
        ("a", "batch-of-a", 1)
    );
    let receipt = delivery.ack();
    assert!(matches!(exchange.heard().await, Some(Body::Ack(ack)) if ack.refs == ["a"]));
    assert_eq!(exchange.credit().await, 1);
    exchange.say(result("a", outcome::Result::Confirmed)).await;
    assert_eq!(soon(receipt).await, Ok(Outcome::Confirmed));
}

#[tokio::test]
async fn dropping_a_delivery_is_a_retry_and_rejecting_carries_the_reason() {
    let mut peer = Peer::start().await;
    let (mut consumer, mut exchange) = open(&mut peer, 4).await;
    exchange.deliver("a", vec![1]).await;
    drop(next(&mut consumer).await);
    assert!(matches!(exchange.heard().await, Some(Body::Retry(retry)) if retry.refs == ["a"]));
    assert_eq!(exchange.credit().await, 1);
    exchange.deliver("b", vec![2]).await;
    let receipt = next(&mut consumer).await.reject("bad-customer").unwrap();
    let heard = exchange.heard().await;
    assert!(matches!(heard, Some(Body::Reject(no)) if no.refs == ["b"] && no.reason == "bad-customer"));
    exchange.say(result("b", outcome::Result::Rejected)).await;
    assert_eq!(soon(receipt).await, Ok(Outcome::Rejected));
    exchange.deliver("c", vec![3]).await;
    assert_eq!(
        next(&mut consumer).await.reject("two words").err(),
        Some(Error::Reason)
    );
}

#[tokio::test]
async fn a_revoked_delivery_is_marked_and_its_answer_is_stale_without_being_sent() {
    let mut peer = Peer::start().await;
    let (mut consumer, mut exchange) = open(&mut peer, 1).await;
    exchange.deliver("a", vec![1]).await;
    let delivery = next(&mut consumer).await;
    exchange
        .say(server_message::Body::Revoked(Revoked {
            r#ref: "a".to_owned(),
            reason: revoked::Reason::Timeout.into(),
        }))
        .await;
    assert_eq!(soon(delivery.revoked()).await, Revocation::Timeout);
    assert_eq!(delivery.revocation(), Some(Revocation::Timeout));
    assert_eq!(soon(delivery.ack()).await, Ok(Outcome::Stale));
    assert_eq!(exchange.credit().await, 1);
}

#[tokio::test]
async fn an_answer_without_an_outcome_is_given_again_on_the_next_stream() {
    let mut peer = Peer::start().await;
    let (mut consumer, mut first) = open(&mut peer, 2).await;
    first.deliver("a", vec![1]).await;
    first.deliver("b", vec![2]).await;
    let receipt = next(&mut consumer).await.ack();
    let held = next(&mut consumer).await;
    assert!(matches!(first.heard().await, Some(Body::Ack(_))));
    first.end(Status::unavailable("going away")).await;
    assert_eq!(soon(held.revoked()).await, Revocation::StreamLost);
    let mut second = peer.exchange().await;
    assert!(matches!(second.heard().await, Some(Body::Ack(ack)) if ack.refs == ["a"]));
    second.say(result("a", outcome::Result::Confirmed)).await;
    assert_eq!(soon(receipt).await, Ok(Outcome::Confirmed));
    assert_eq!(second.credit().await, 1);
    drop(held);
    assert_eq!(second.credit().await, 1);
}

#[tokio::test]
async fn deliveries_that_were_revoked_in_the_buffer_are_not_given_out() {
    let mut peer = Peer::start().await;
    let (mut consumer, first) = open(&mut peer, 2).await;
    first.deliver("a", vec![1]).await;
    first.end(Status::unavailable("going away")).await;
    let mut second = peer.exchange().await;
    assert!(second.credit().await >= 1);
    second.deliver("b", vec![2]).await;
    assert_eq!(next(&mut consumer).await.reference(), "b");
}

#[tokio::test]
async fn closing_sends_what_was_answered_gives_the_rest_back_and_half_closes() {
    let mut peer = Peer::start().await;
    let (mut consumer, mut exchange) = open(&mut peer, 2).await;
    exchange.deliver("a", vec![1]).await;
    exchange.deliver("b", vec![2]).await;
    let receipt = next(&mut consumer).await.ack();
    let playing = async {
        assert!(matches!(exchange.heard().await, Some(Body::Ack(ack)) if ack.refs == ["a"]));
        exchange.say(result("a", outcome::Result::Confirmed)).await;
        let mut given_back = false;
        while let Some(heard) = exchange.heard().await {
            if let Body::Retry(retry) = heard {
                given_back = retry.refs == ["b"];
                exchange.say(result("b", outcome::Result::Retrying)).await;
            }
        }
        drop(exchange);
        given_back
    };
    let closing = async {
        let outcome = soon(receipt).await;
        (outcome, soon(consumer.close()).await)
    };
    let ((outcome, closed), given_back) = tokio::join!(closing, playing);
    assert_eq!((outcome, closed), (Ok(Outcome::Confirmed), Ok(())));
    assert!(given_back, "what was not answered is asked for again");
}

#[tokio::test]
async fn a_changed_schema_ends_the_consumer_with_an_error_and_the_stream_after_it() {
    let mut peer = Peer::start().await;
    let (mut consumer, exchange) = open(&mut peer, 2).await;
    exchange
        .end(Status::failed_precondition("the schema differs now"))
        .await;
    let error = soon(consumer.next()).await.unwrap().unwrap_err();
    assert!(error.to_string().contains("schema"));
    assert!(soon(consumer.next()).await.is_none());
}
