//! Answers of brokers that are no record's fault, and producers that fail for good.

use std::time::Duration;

use nervix_clock::PhysicalClock;
use nervix_sink::{FailureKind, Outcome};
use nervix_tests::wait::{until, within};
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use crate::stage::Stage;

fn failure(outcome: &Outcome) -> (FailureKind, &str) {
    match outcome {
        Outcome::Unresolved(failure) => (failure.kind, failure.message.as_str()),
        other => panic!("{other:?} is not retried"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_that_is_violated_and_too_few_replicas_are_retried_and_reject_nothing() {
    let mut stage = Stage::confirming(&[("retries", "0")]).await;
    let troubles = [
        (
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_POLICY_VIOLATION,
            FailureKind::Throttled,
            "PolicyViolation",
        ),
        (
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
            FailureKind::Unavailable,
            "NotEnoughReplicas",
        ),
        (
            RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
            FailureKind::Unauthorized,
            "TopicAuthorizationFailed",
        ),
    ];
    for (number, (error, kind, word)) in troubles.into_iter().enumerate() {
        let first = number as u64 * 10;
        let payloads = stage.payloads(first..first + 1);
        stage.brokers.request_errors(RDKafkaApiKey::Produce, &[error]);
        let outcomes = stage.publish(&payloads).await;
        let (found, message) = failure(&outcomes[0]);
        assert_eq!(found, kind);
        assert!(message.contains(word), "{message}");
        // A topic that was refused to it is asked for anew before the producer takes a record again.
        let goes_on = async { while stage.publish(&payloads).await != [Outcome::DELIVERED] {} };
        within("it goes on", goes_on).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_refused_is_sent_again_in_smaller_ones_and_only_what_was_alone_is_rejected() {
    let mut stage = Stage::confirming(&[("linger.ms", "200")]).await;
    let payloads = stage.payloads(0..5);
    let refused = RDKafkaRespErr::RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    stage.brokers.request_errors(RDKafkaApiKey::Produce, &[refused]);
    let outcomes = stage.publish(&payloads).await;
    for outcome in &outcomes {
        let (kind, message) = failure(outcome);
        assert_eq!(kind, FailureKind::RefusedTogether, "no backoff is waited for");
        assert!(message.contains("sent again in smaller ones"), "{message}");
    }
    // Of the requests that follow, the broker refuses the first, which has one record.
    stage.brokers.request_errors(RDKafkaApiKey::Produce, &[refused]);
    let outcomes = stage.publish(&payloads).await;
    let Outcome::Rejected(rejection) = &outcomes[0] else {
        panic!("{outcomes:?}");
    };
    assert!(
        rejection.message.as_str().contains("of 45 bytes"),
        "{rejection:?}"
    );
    assert!(
        outcomes[1..].iter().all(|outcome| *outcome == Outcome::DELIVERED),
        "{outcomes:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_taken_beside_a_write_that_goes_alone_or_behind_it() {
    let mut stage = Stage::confirming(&[("linger.ms", "200")]).await;
    let payloads = stage.payloads(0..5);
    let refused = RDKafkaRespErr::RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    stage.brokers.request_errors(RDKafkaApiKey::Produce, &[refused]);
    stage.publish(&payloads[..2]).await;
    let alone = stage.sink.publish(&payloads[..2]).await;
    assert_eq!(alone.len(), 1);
    assert_eq!(stage.sink.publish(&payloads[2..]).await.len(), 0, "newer ones");
    let outcomes = within("the answer", futures::future::join_all(alone)).await;
    assert_eq!(outcomes, [Outcome::DELIVERED]);
    assert_eq!(stage.publish(&payloads[1..]).await, vec![Outcome::DELIVERED; 4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_sent_again_in_smaller_requests_does_not_linger() {
    let linger = Duration::from_secs(3);
    let mut stage = Stage::confirming(&[("linger.ms", "3000")]).await;
    let payloads = stage.payloads(0..10);
    let refused = RDKafkaRespErr::RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    stage.brokers.request_errors(RDKafkaApiKey::Produce, &[refused]);
    stage.publish(&payloads).await;
    let clock = PhysicalClock::system();
    let begun = clock.now();
    assert_eq!(stage.publish(&payloads).await, vec![Outcome::DELIVERED; 10]);
    let taken = clock.now().since(begun);
    assert!(taken < linger, "ten requests took {taken:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_producer_that_fails_for_good_is_replaced_and_no_record_is_blamed() {
    let mut stage = Stage::confirming(&[("enable.idempotence", "true")]).await;
    let payloads = stage.payloads(0..3);
    let fatal = RDKafkaRespErr::RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
    stage
        .brokers
        .request_errors(RDKafkaApiKey::InitProducerId, &[fatal]);
    let outcomes = stage.publish(&payloads).await;
    for outcome in &outcomes {
        failure(outcome);
    }
    assert_eq!(stage.publish(&payloads).await, vec![Outcome::DELIVERED; 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_whose_attempt_ended_early_is_not_written_again_while_the_producer_has_it() {
    let mut stage = Stage::confirming(&[("reconnect.backoff.max.ms", "100")]).await;
    let payloads = stage.payloads(0..3);
    stage.brokers.broker_down(1).expect("down");
    let outcomes = stage.publish(&payloads).await;
    for outcome in &outcomes {
        let (kind, message) = failure(outcome);
        assert_eq!(kind, FailureKind::Unavailable);
        assert!(message.starts_with("Kafka cannot be used: "), "{message}");
    }
    let used = stage.budget.used();
    assert!(used > 0, "what the producer holds counts");
    stage.brokers.broker_up(1).expect("up");
    until("the copies are delivered", || {
        let used = stage.budget.used();
        async move { (used == 0).then_some(()) }
    })
    .await;
    let confirmations = stage.sink.publish(&payloads).await;
    assert_eq!(stage.budget.used(), 0, "nothing is handed over again");
    let outcomes = futures::future::join_all(confirmations).await;
    assert_eq!(outcomes, vec![Outcome::DELIVERED; 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_takes_nothing_behind_what_it_did_not_take() {
    let more = [("queue.buffering.max.messages", "2"), ("linger.ms", "100")];
    let mut stage = Stage::unconfirmed(&more).await;
    let payloads = stage.payloads(0..5);
    let outcomes = stage.publish_once(&payloads).await;
    assert_eq!(outcomes[..2], vec![Outcome::DELIVERED; 2]);
    let [untaken] = &outcomes[2..] else {
        panic!("{outcomes:?}");
    };
    let (kind, message) = failure(untaken);
    assert_eq!(kind, FailureKind::NodeBusy);
    assert!(message.contains("queue.buffering.max.messages"), "{message}");
    assert!(stage.sink.flush().await.is_ok());
    until("what it took is sent", || {
        let used = stage.budget.used();
        async move { (used == 0).then_some(()) }
    })
    .await;
    assert_eq!(stage.publish(&payloads[2..4]).await, vec![Outcome::DELIVERED; 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_sends_what_lingers_and_says_what_is_left() {
    let mut stage = Stage::unconfirmed(&[("linger.ms", "60000")]).await;
    let payloads = stage.payloads(0..3);
    assert_eq!(stage.publish(&payloads).await, vec![Outcome::DELIVERED; 3]);
    stage.brokers.broker_down(1).expect("down");
    let left = stage.sink.drain().await.expect_err("it is away");
    assert_eq!(left.payloads, 3);
    assert!(
        left.failure
            .message
            .as_str()
            .starts_with("3 records are in the Kafka producer"),
        "{left:?}"
    );
    stage.brokers.broker_up(1).expect("up");
    let bound = Duration::from_secs(20);
    let drained = async { while stage.sink.drain().await.is_err() {} };
    tokio::time::timeout(bound, drained).await.expect("it drains");
    assert_eq!(stage.budget.used(), 0);
}
