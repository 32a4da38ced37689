//! DoExchange: answers to deliveries, lost consumers, faults, STOP and START.

use nervix_columns::ipc;
use nervix_proto::client::v1::{answer::Status, outcome, revoked};
use tonic::Code;

use super::{
    node::TestNode,
    peers::{Consumer, Heard, Writer, data, order_schema, orders},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retried_batch_comes_again_with_the_same_bytes_and_a_rejected_one_is_dealt_with() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (first, batch) = node.within(consumer.delivery()).await;
    consumer.retry(&first.r#ref).await;
    assert_eq!(
        node.within(consumer.outcome()).await.result(),
        outcome::Result::Retrying
    );
    let (second, again) = node.within(consumer.delivery()).await;
    assert_eq!((&second.batch, second.attempt, &again), (&first.batch, 2, &batch));
    assert_ne!(second.r#ref, first.r#ref);
    consumer.ack(&first.r#ref).await;
    assert_eq!(
        node.within(consumer.outcome()).await.result(),
        outcome::Result::Stale
    );
    consumer.reject(&second.r#ref, "bad-customer").await;
    assert_eq!(
        node.within(consumer.outcome()).await.result(),
        outcome::Result::Rejected
    );
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done, "LOG has dealt with the rows");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_consumers_batch_goes_to_another() {
    let node = TestNode::with_orders().await;
    let mut lost = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (first, _) = node.within(lost.delivery()).await;
    drop(lost);
    let mut other = Consumer::with_credit(&node, "out", 10).await;
    let (second, _) = node.within(other.delivery()).await;
    assert_eq!((second.batch, second.attempt), (first.batch, 2));
    other.ack(&second.r#ref).await;
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_half_closed_consumer_is_answered_and_the_stream_ends_well() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    consumer.ack(&delivery.r#ref).await;
    consumer.half_close();
    assert_eq!(
        node.within(consumer.outcome()).await.result(),
        outcome::Result::Confirmed
    );
    assert!(node.within(consumer.hear()).await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_consumer_may_not_send_ends_its_stream_without_effect() {
    let node = TestNode::with_orders().await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let long = format!(r#"{{"ack":{{"refs":["{}"]}}}}"#, "x".repeat(65));
    for metadata in [
        r#"{"ack":{"refs":[""]}}"#,
        r#"{"reject":{"refs":["a"],"reason":"no good"}}"#,
        &long,
        "{",
    ] {
        let mut consumer = Consumer::open(&node, "out").await.unwrap();
        consumer.send(metadata.to_owned().into()).await;
        assert_eq!(
            node.within(consumer.end()).await.unwrap_err().code(),
            Code::InvalidArgument
        );
    }
    let mut consumer = Consumer::open(&node, "out").await.unwrap();
    consumer
        .send_data(data(ipc::encode(&orders(0..1, 1)).unwrap()))
        .await;
    let status = node.within(consumer.end()).await.unwrap_err();
    assert!(status.message().contains("DoPut"), "{}", status.message());
    let mut polite = Consumer::open(&node, "out").await.unwrap();
    polite.send_data(data(ipc::schema_message(&order_schema()))).await;
    polite.ack("unknown").await;
    assert_eq!(
        node.within(polite.outcome()).await.result(),
        outcome::Result::Stale
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consumers_stay_over_stop_and_start_and_writers_are_told() {
    let node = TestNode::with_orders().await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..5, 2)).await;
    let (delivery, _) = node.within(consumer.delivery()).await;
    super::lifecycle::set_running(&node, false, 2).await;
    let (answers, end) = node.within(writer.ended()).await;
    assert_eq!(
        (answers[&0].status(), answers[&0].code.as_str()),
        (Status::Unresolved, "stopped")
    );
    assert_eq!(end.unwrap_err().code(), Code::Unavailable);
    let Some(Ok(Heard::Revoked(revoked))) = node.within(consumer.hear()).await else {
        panic!("not revoked")
    };
    assert_eq!(
        (revoked.r#ref.as_str(), revoked.reason()),
        (delivery.r#ref.as_str(), revoked::Reason::Stopped)
    );
    let refused = Writer::open(&node, &order_schema())
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    super::lifecycle::set_running(&node, true, 3).await;
    let mut writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(5..8, 2)).await;
    assert_eq!(node.within(consumer.ack_rows(3)).await, [5, 6, 7]);
    assert_eq!(node.within(writer.answer()).await.unwrap().status(), Status::Done);
}
