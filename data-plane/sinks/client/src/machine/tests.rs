use std::time::Duration;

use nervix_sink::{FailureKind, Outcome, RevokeReason, SessionAnswer};

use super::testing::offer;
use super::{Answer, Machine};
use crate::consumers::ConsumerId;
use crate::event::{AnswerResult, EndReason, RevokedReason, SessionEvent};

mod passing;

const TIMEOUT: u64 = 30;

fn machine() -> Machine<u64> {
    Machine::new(7, 1_000)
}

/// Instants of these tests are seconds; a part of one counts as one.
fn assign(machine: &mut Machine<u64>, now: u64) {
    let after = |wait: Duration| now + wait.as_millis().div_ceil(1_000) as u64;
    machine.assign(now, after, Duration::from_secs(TIMEOUT));
}

/// The refs and batches delivered to a consumer, in order; other events are left out.
fn delivered(machine: &mut Machine<u64>, consumer: ConsumerId) -> Vec<(String, u64)> {
    let events = std::iter::from_fn(|| machine.take_event(consumer));
    events
        .filter_map(|event| match event {
            SessionEvent::Deliver(delivery) => Some((delivery.reference, delivery.payload.sequence)),
            _ => None,
        })
        .collect()
}

fn result(machine: &mut Machine<u64>, consumer: ConsumerId, reference: &str, answer: Answer) -> AnswerResult {
    machine.answer(consumer, reference.to_owned(), answer);
    let last = std::iter::from_fn(|| machine.take_event(consumer)).last();
    match last {
        Some(SessionEvent::Outcome { result, .. }) => result,
        other => panic!("no outcome: {other:?}"),
    }
}

fn answers(machine: &mut Machine<u64>) -> Vec<SessionAnswer> {
    std::iter::from_fn(|| machine.take_answer()).collect()
}

fn kind(answer: &SessionAnswer) -> Option<FailureKind> {
    match &answer.outcome {
        Outcome::Unresolved(failure) => Some(failure.kind),
        _ => None,
    }
}

#[test]
fn nothing_is_assigned_without_credit_and_each_delivery_uses_one() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    for sequence in 0..3 {
        machine.offer(offer(0, sequence, 1, 1));
    }
    assign(&mut machine, 0);
    assert!(machine.take_event(consumer).is_none());
    machine.grant(consumer, 0);
    machine.grant(consumer, 2);
    assign(&mut machine, 0);
    let batches: Vec<u64> = delivered(&mut machine, consumer)
        .into_iter()
        .map(|(_, batch)| batch)
        .collect();
    assert_eq!(batches, [0, 1]);
}

#[test]
fn sums_of_credit_saturate() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, u32::MAX);
    machine.grant(consumer, u32::MAX);
    assert_eq!(
        machine.status(Duration::from_secs).granted_credit,
        u64::from(u32::MAX)
    );
}

#[test]
fn the_first_answer_wins_the_same_again_gets_the_same_and_a_different_one_is_stale() {
    let mut machine = machine();
    let (one, other) = (machine.connect(false), machine.connect(false));
    machine.grant(one, 1);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 0);
    let (reference, _) = delivered(&mut machine, one).remove(0);
    assert_eq!(
        result(&mut machine, one, &reference, Answer::Ack),
        AnswerResult::Confirmed
    );
    let reject = Answer::Reject {
        reason: "late".into(),
    };
    assert_eq!(result(&mut machine, one, &reference, reject), AnswerResult::Stale);
    assert_eq!(
        result(&mut machine, one, &reference, Answer::Retry),
        AnswerResult::Stale
    );
    assert_eq!(
        result(&mut machine, other, &reference, Answer::Ack),
        AnswerResult::Confirmed,
        "on any stream"
    );
    assert_eq!(
        result(&mut machine, one, "never-given", Answer::Ack),
        AnswerResult::Stale
    );
    assert_eq!(answers(&mut machine).len(), 1, "the emitter hears once");
}

#[test]
fn a_retry_keeps_its_lane_from_going_on_until_the_payload_is_offered_again() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 10);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 0);
    let (reference, _) = delivered(&mut machine, consumer).remove(0);
    assert_eq!(
        result(&mut machine, consumer, &reference, Answer::Retry),
        AnswerResult::Retrying
    );
    assert_eq!(kind(&answers(&mut machine)[0]), Some(FailureKind::PeerAsked));
    machine.offer(offer(0, 1, 1, 1));
    machine.offer(offer(9, 2, 1, 1));
    assign(&mut machine, 1);
    assert_eq!(delivered(&mut machine, consumer)[0].1, 2, "another lane flows");
    machine.offer(offer(0, 0, 1, 2));
    assign(&mut machine, 2);
    let batches: Vec<u64> = delivered(&mut machine, consumer)
        .into_iter()
        .map(|(_, batch)| batch)
        .collect();
    assert_eq!(batches, [0, 1], "the retried one first");
}

#[test]
fn a_timeout_revokes_suspends_and_makes_a_late_ack_stale() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 3);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 5);
    let (reference, _) = delivered(&mut machine, consumer).remove(0);
    machine.expire(34);
    assert!(answers(&mut machine).is_empty());
    assert_eq!(machine.next_deadline(), Some(35));
    machine.expire(35);
    assert_eq!(kind(&answers(&mut machine)[0]), Some(FailureKind::TimedOut));
    let revoked = machine.take_event(consumer);
    assert!(matches!(
        revoked,
        Some(SessionEvent::Revoked {
            reason: RevokedReason::Timeout,
            ..
        })
    ));
    machine.offer(offer(0, 0, 1, 2));
    assign(&mut machine, 36);
    assert!(
        delivered(&mut machine, consumer).is_empty(),
        "suspended until its next message"
    );
    assert_eq!(
        result(&mut machine, consumer, &reference, Answer::Ack),
        AnswerResult::Stale
    );
    assign(&mut machine, 37);
    assert_eq!(
        delivered(&mut machine, consumer).len(),
        1,
        "the remaining credit counts again"
    );
    let status = machine.status(Duration::from_secs);
    assert_eq!((status.timeouts, status.stale, status.granted_credit), (1, 1, 1));
}

#[test]
fn a_lost_consumer_gives_back_what_it_held_and_nothing_else() {
    let mut machine = machine();
    let (lost, stays) = (machine.connect(false), machine.connect(false));
    machine.grant(lost, 1);
    machine.grant(stays, 1);
    machine.offer(offer(0, 0, 1, 1));
    machine.offer(offer(1, 1, 1, 1));
    assign(&mut machine, 0);
    machine.disconnect(lost);
    let answers = answers(&mut machine);
    assert_eq!(answers.len(), 1);
    assert_eq!(kind(&answers[0]), Some(FailureKind::PeerLost));
    assert_eq!(machine.status(Duration::from_secs).assigned_batches, 1);
}

#[test]
fn a_consumer_that_ends_its_stream_has_left_and_is_not_lost() {
    let mut machine = machine();
    let leaves = machine.connect(false);
    machine.grant(leaves, 1);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 0);
    machine.half_close(leaves);
    let answers = answers(&mut machine);
    assert_eq!(kind(&answers[0]), Some(FailureKind::PeerLeft));
}

#[test]
fn consumers_with_credit_take_turns_and_so_do_branches_with_work() {
    let mut machine = machine();
    let (one, two) = (machine.connect(false), machine.connect(false));
    machine.grant(one, 10);
    machine.grant(two, 10);
    for sequence in 0..6 {
        machine.offer(offer(sequence / 3, sequence, 1, 1));
    }
    assign(&mut machine, 0);
    let ones: Vec<u64> = delivered(&mut machine, one)
        .into_iter()
        .map(|(_, batch)| batch)
        .collect();
    let twos: Vec<u64> = delivered(&mut machine, two)
        .into_iter()
        .map(|(_, batch)| batch)
        .collect();
    assert_eq!(
        (ones, twos),
        (vec![0, 1, 2], vec![3, 4, 5]),
        "lanes 0 1 0 1 0 1, consumers one two one two one two"
    );
}

#[test]
fn bytes_bound_what_a_consumer_holds_but_a_single_larger_batch_is_sent() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 100);
    machine.offer(offer(0, 0, 5_000, 1));
    machine.offer(offer(0, 1, 600, 1));
    machine.offer(offer(0, 2, 600, 1));
    assign(&mut machine, 0);
    let sent = delivered(&mut machine, consumer);
    assert_eq!(sent.len(), 1, "larger than the bound, alone");
    assert_eq!(
        result(&mut machine, consumer, &sent[0].0, Answer::Ack),
        AnswerResult::Confirmed
    );
    assign(&mut machine, 0);
    assert_eq!(
        delivered(&mut machine, consumer).len(),
        1,
        "two of 600 pass the bound of 1,000"
    );
}

#[test]
fn a_payload_that_nobody_has_room_for_stops_no_other_lane_and_keeps_its_turn() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 100);
    machine.offer(offer(0, 0, 600, 1));
    assign(&mut machine, 0);
    let first = delivered(&mut machine, consumer).remove(0);
    machine.offer(offer(1, 1, 500, 1));
    machine.offer(offer(1, 2, 1, 1));
    for (lane, sequence) in [(2, 3), (3, 4), (2, 5), (3, 6), (2, 7)] {
        machine.offer(offer(lane, sequence, 100, 1));
    }
    assign(&mut machine, 0);
    let passed: Vec<(String, u64)> = delivered(&mut machine, consumer);
    let batches: Vec<u64> = passed.iter().map(|(_, batch)| *batch).collect();
    assert_eq!(batches, [3, 4, 5, 6], "by turns, up to the bound");
    assert_eq!(
        result(&mut machine, consumer, &passed[0].0, Answer::Ack),
        AnswerResult::Confirmed
    );
    assign(&mut machine, 0);
    assert_eq!(delivered(&mut machine, consumer)[0].1, 7);
    assert_eq!(
        result(&mut machine, consumer, &first.0, Answer::Ack),
        AnswerResult::Confirmed
    );
    machine.offer(offer(2, 8, 100, 1));
    assign(&mut machine, 0);
    let batches: Vec<u64> = delivered(&mut machine, consumer)
        .into_iter()
        .map(|(_, batch)| batch)
        .collect();
    assert_eq!(
        batches,
        [1, 8],
        "the one that waited longest first; then the bound is reached"
    );
}

#[test]
fn closing_forgets_who_was_passed_over() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 10);
    machine.offer(offer(0, 0, 900, 1));
    machine.offer(offer(1, 1, 900, 1));
    assign(&mut machine, 0);
    assert!(machine.passed_over.is_some());
    machine.close(RevokeReason::Changed);
    assert!(machine.passed_over.is_none());
}

#[test]
fn a_smaller_payload_that_is_offered_later_finds_the_room_that_a_larger_one_did_not() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 100);
    machine.offer(offer(0, 0, 900, 1));
    machine.offer(offer(1, 2, 500, 1));
    assign(&mut machine, 0);
    assert_eq!(delivered(&mut machine, consumer).len(), 1);
    machine.offer(offer(1, 1, 50, 1));
    assign(&mut machine, 0);
    assert_eq!(delivered(&mut machine, consumer)[0].1, 1, "older in its lane");
    machine.offer(offer(2, 3, 50, 1));
    assign(&mut machine, 0);
    assert_eq!(delivered(&mut machine, consumer)[0].1, 3);
}

#[test]
fn a_consumer_that_never_reads_is_bounded_even_when_its_deliveries_expire() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 1_000);
    machine.offer(offer(0, 0, 800, 1));
    for round in 0..10 {
        assign(&mut machine, round * 100);
        machine.expire(round * 100 + TIMEOUT);
        for _ in answers(&mut machine) {
            machine.offer(offer(0, 0, 800, 2));
        }
        machine.grant(consumer, 1);
    }
    let unread: usize = std::iter::from_fn(|| machine.take_event(consumer))
        .filter(|event| matches!(event, SessionEvent::Deliver(_)))
        .count();
    assert_eq!(unread, 1, "unread bytes count");
    assign(&mut machine, 2_000);
    assert_eq!(delivered(&mut machine, consumer).len(), 1, "reading makes room");
}

#[test]
fn half_close_answers_what_was_said_revokes_the_rest_and_ends() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 3);
    for sequence in 0..3 {
        machine.offer(offer(sequence, sequence, 1, 1));
    }
    assign(&mut machine, 0);
    let Some(SessionEvent::Deliver(first)) = machine.take_event(consumer) else {
        panic!("no delivery")
    };
    machine.answer(consumer, first.reference, Answer::Ack);
    machine.half_close(consumer);
    let told: Vec<SessionEvent> = std::iter::from_fn(|| machine.take_event(consumer)).collect();
    assert!(matches!(
        told.as_slice(),
        [
            SessionEvent::Outcome {
                result: AnswerResult::Confirmed,
                ..
            },
            SessionEvent::End(EndReason::HalfClosed)
        ]
    ));
    let unresolved = answers(&mut machine)
        .iter()
        .filter(|answer| kind(answer).is_some())
        .count();
    assert_eq!(unresolved, 2);
}

#[test]
fn closing_revokes_with_the_reason_keeps_streams_and_answers_nothing() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 2);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 0);
    let (reference, _) = delivered(&mut machine, consumer).remove(0);
    machine.close(RevokeReason::Stopped);
    let revoked = machine.take_event(consumer);
    assert!(matches!(
        revoked,
        Some(SessionEvent::Revoked {
            reason: RevokedReason::Stopped,
            ..
        })
    ));
    assert!(answers(&mut machine).is_empty() && machine.next_deadline().is_none());
    assert_eq!(
        result(&mut machine, consumer, &reference, Answer::Ack),
        AnswerResult::Stale
    );
    machine.offer(offer(0, 1, 1, 1));
    assign(&mut machine, 9);
    assert_eq!(
        delivered(&mut machine, consumer).len(),
        1,
        "the stream goes on with its credit"
    );
}

#[test]
fn ending_tells_every_consumer_why_after_what_it_still_has_to_hear() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 1);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 0);
    machine.end(&EndReason::Dropped);
    machine.end(&EndReason::Draining);
    let told: Vec<SessionEvent> = std::iter::from_fn(|| machine.take_event(consumer)).collect();
    assert!(matches!(told.as_slice(), [SessionEvent::End(EndReason::Dropped)]));
    assert_eq!(answers(&mut machine).len(), 1, "what it held goes back");
}

#[test]
fn status_tells_the_forwarded_part_apart() {
    let mut machine = machine();
    let (local, forwarded) = (machine.connect(false), machine.connect(true));
    machine.grant(local, 5);
    machine.grant(forwarded, 3);
    machine.offer(offer(0, 0, 100, 1));
    machine.offer(offer(1, 1, 40, 1));
    assign(&mut machine, 2);
    let status = machine.status(|then| Duration::from_secs(10 - then));
    assert_eq!((status.active_consumers, status.forwarded_consumers), (2, 1));
    assert_eq!((status.granted_credit, status.forwarded_credit), (6, 2));
    assert_eq!((status.assigned_batches, status.assigned_bytes), (2, 140));
    assert_eq!((status.forwarded_batches, status.forwarded_bytes), (1, 40));
    assert_eq!(status.oldest_assigned, Some(Duration::from_secs(8)));
}

#[test]
fn nothing_is_said_of_a_delivery_that_expired_unread_before_a_half_close() {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, 1);
    machine.offer(offer(0, 0, 1, 1));
    assign(&mut machine, 0);
    machine.expire(TIMEOUT);
    machine.half_close(consumer);
    let told: Vec<SessionEvent> = std::iter::from_fn(|| machine.take_event(consumer)).collect();
    assert!(
        matches!(told.as_slice(), [SessionEvent::End(EndReason::HalfClosed)]),
        "{told:?}"
    );
}
