use futures::FutureExt;
use nervix_budget::Budget;
use nervix_sink::{FailureKind, Outcome, PayloadId};
use rdkafka::error::RDKafkaErrorCode as Code;

use super::{Known, Reports};

const A: PayloadId = PayloadId(1);
const B: PayloadId = PayloadId(2);
const C: PayloadId = PayloadId(3);

fn enter(reports: &Reports, id: PayloadId) -> super::Answer {
    reports.enter_awaited(id, 100, Budget::new(1_000).charge(100))
}

fn failed(outcome: Outcome) -> (FailureKind, String) {
    match outcome {
        Outcome::Unresolved(failure) => (failure.kind, failure.message.as_str().to_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_that_nobody_waits_for_is_kept_until_it_is_asked_for() {
    let reports = Reports::default();
    drop(enter(&reports, A));
    reports.report(A, Ok(()));
    assert!(matches!(
        reports.resume(A),
        Known::Settled(Outcome::Delivered(None))
    ));
    assert!(matches!(reports.resume(A), Known::Nothing));
    drop(enter(&reports, A));
    reports.report(A, Err(Code::MessageTimedOut));
    assert!(
        matches!(reports.resume(A), Known::Nothing),
        "it has to be sent again"
    );
}

#[test]
fn an_answer_that_came_and_was_not_looked_at_is_kept_until_it_is_asked_for() {
    let reports = Reports::default();
    let unread = enter(&reports, A);
    reports.report(A, Ok(()));
    assert!(matches!(
        reports.resume(A),
        Known::Settled(Outcome::Delivered(None))
    ));
    drop(unread);
    let mut read = enter(&reports, A);
    reports.report(A, Ok(()));
    assert_eq!(read.try_recv(), Ok(Outcome::DELIVERED));
    reports.heard(A);
    assert!(matches!(reports.resume(A), Known::Nothing));
}

#[test]
fn a_record_that_is_sent_again_takes_over_the_answer_of_the_copy_that_is_out() {
    let reports = Reports::default();
    let mut first = enter(&reports, A);
    let Known::InProducer(mut second) = reports.resume(A) else {
        panic!("it is in the producer");
    };
    reports.report(A, Ok(()));
    assert!(first.try_recv().is_err());
    assert_eq!(second.try_recv(), Ok(Outcome::DELIVERED));
    assert_eq!(reports.in_producer(), 0);
}

#[test]
fn a_refusal_is_a_records_own_only_when_it_was_alone_all_the_time() {
    let reports = Reports::default();
    let mut alone = enter(&reports, A);
    reports.report(A, Err(Code::MessageSizeTooLarge));
    assert!(matches!(alone.try_recv(), Ok(Outcome::Rejected(_))));
    let (mut one, mut other) = (enter(&reports, A), enter(&reports, B));
    reports.report(A, Ok(()));
    assert_eq!(one.try_recv(), Ok(Outcome::DELIVERED));
    reports.report(B, Err(Code::InvalidRecord));
    failed(other.try_recv().expect("an answer"));
    assert!(reports.is_bounded());
    assert_eq!(reports.next_bound(), Some(100 / 16));
    let mut again = enter(&reports, B);
    reports.report(B, Err(Code::InvalidRecord));
    assert!(matches!(again.try_recv(), Ok(Outcome::Rejected(_))));
    assert!(!reports.is_bounded(), "it was the cause");
}

#[test]
fn a_neighbour_of_what_was_refused_is_blamed_for_nothing_and_sent_again_in_smaller_requests() {
    let reports = Reports::default();
    let (mut bad, mut good) = (enter(&reports, A), enter(&reports, B));
    reports.report(A, Err(Code::InvalidRecord));
    reports.report(B, Err(Code::InvalidDifferentRecord));
    for answer in [&mut bad, &mut good] {
        let (kind, _) = failed(answer.try_recv().expect("an answer"));
        assert_eq!(kind, FailureKind::RefusedTogether);
    }
    assert_eq!(reports.next_bound(), Some(200 / 16));
    // Without a neighbour this says nothing that could be acted on.
    let mut again = enter(&reports, B);
    reports.report(B, Err(Code::InvalidDifferentRecord));
    let (kind, _) = failed(again.try_recv().expect("an answer"));
    assert_eq!(kind, FailureKind::Unavailable);
}

#[test]
fn trouble_with_the_way_is_told_to_all_by_its_cause_until_something_is_delivered() {
    let reports = Reports::default();
    let (mut one, mut other) = (enter(&reports, A), enter(&reports, B));
    reports.error(Code::BrokerTransportFailure, "h:1: Connection refused");
    assert!(one.try_recv().is_err(), "one broker is not all of them");
    reports.error(Code::AllBrokersDown, "1/1 brokers are down");
    let expected = "Kafka cannot be used: h:1: Connection refused".to_owned();
    for answer in [&mut one, &mut other] {
        assert_eq!(
            failed(answer.try_recv().expect("an answer")),
            (FailureKind::Unavailable, expected.clone())
        );
    }
    assert!(reports.trouble().is_some());
    let Known::InProducer(mut again) = reports.resume(A) else {
        panic!("it is still in the producer");
    };
    assert_eq!(failed(reports.tell(A).expect("trouble")).1, expected);
    assert!(again.try_recv().is_err(), "that attempt is over");
    reports.report(A, Ok(()));
    assert!(reports.trouble().is_none() && reports.tell(B).is_none());
    assert!(matches!(
        reports.resume(A),
        Known::Settled(Outcome::Delivered(None))
    ));
}

#[test]
fn a_cause_is_not_hidden_by_the_summary_that_follows_it() {
    let reports = Reports::default();
    reports.error(Code::Authentication, "h:1: SASL authentication error");
    reports.error(Code::AllBrokersDown, "1/1 brokers are down");
    let trouble = reports.trouble().expect("trouble");
    assert_eq!(trouble.kind, FailureKind::Unauthorized);
    assert_eq!(
        trouble.message.as_str(),
        "Kafka cannot be used: h:1: SASL authentication error"
    );
}

#[test]
fn what_is_known_for_good_outlives_a_producer_and_the_rest_does_not() {
    let old = Reports::default();
    drop((enter(&old, A), enter(&old, C)));
    old.report(A, Ok(()));
    old.report(C, Err(Code::MessageSizeTooLarge));
    let mut lost = enter(&old, B);
    let new = Reports::default();
    new.succeed(&old);
    assert!(lost.try_recv().is_err());
    assert!(matches!(new.resume(A), Known::Settled(_)));
    assert!(matches!(new.resume(B), Known::Nothing));
    assert_eq!((new.in_producer(), new.is_bounded()), (0, true));
    assert!(new.emptied().now_or_never().is_some());
}

#[test]
fn a_record_that_was_not_taken_leaves_the_producer_empty() {
    let reports = Reports::default();
    drop(enter(&reports, A));
    let mut emptied = std::pin::pin!(reports.emptied());
    assert!(emptied.as_mut().now_or_never().is_none());
    reports.withdraw(A);
    assert!(emptied.now_or_never().is_some());
    assert!(matches!(reports.resume(A), Known::Nothing));
}

#[test]
fn one_broker_that_cannot_be_used_bars_no_way_while_another_delivers() {
    let reports = Reports::default();
    reports.error(Code::Resolve, "c:3: no such name");
    assert!(reports.trouble().is_some(), "nothing has been delivered yet");
    drop(enter(&reports, A));
    reports.report(A, Ok(()));
    let mut waits = enter(&reports, B);
    reports.error(Code::Resolve, "c:3: no such name");
    assert!(reports.trouble().is_none() && waits.try_recv().is_err());
    assert_eq!(reports.hint(), ": c:3: no such name");
    reports.error(Code::AllBrokersDown, "3/3 brokers are down");
    let (_, message) = failed(waits.try_recv().expect("an answer"));
    assert_eq!(message, "Kafka cannot be used: c:3: no such name");
    reports.error(Code::Authentication, "a:1: SASL authentication error");
    let trouble = reports.trouble().expect("trouble");
    assert_eq!(trouble.kind, FailureKind::Unauthorized);
}
