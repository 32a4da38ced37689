use nervix_proto::client::v1::{ClientMessage, client_message::Body};
use prost::Message;
use tokio::sync::oneshot;

use super::{AWAITING_MAX, Ledger, REFS_PER_MESSAGE, Reply, Verdict};
use crate::{
    consumer::delivery::{Outcome, Revocation},
    error::Error,
};

fn said(ledger: &mut Ledger) -> Option<Body> {
    ledger
        .message()
        .map(|bytes| ClientMessage::decode(bytes).unwrap().body.unwrap())
}

fn credit(ledger: &mut Ledger) -> Option<u32> {
    match said(ledger) {
        Some(Body::Credit(credit)) => Some(credit.batches),
        _ => None,
    }
}

fn reply() -> (Reply, oneshot::Receiver<Result<Outcome, Error>>) {
    let (sender, receiver) = oneshot::channel();
    (Reply(sender), receiver)
}

#[test]
fn the_whole_window_is_granted_once_and_again_as_answers_are_sent() {
    let mut ledger = Ledger::new(3);
    assert_eq!(credit(&mut ledger), Some(3));
    assert!(!ledger.has_message());
    let live = ledger.delivered("a").unwrap();
    ledger.answer("a", &live, Verdict::Ack, None);
    assert!(matches!(said(&mut ledger), Some(Body::Ack(ack)) if ack.refs == ["a"]));
    assert_eq!(credit(&mut ledger), Some(1));
}

#[test]
fn a_delivery_without_credit_breaks_the_protocol() {
    let mut ledger = Ledger::new(1);
    assert!(ledger.delivered("a").is_err());
    ledger.message();
    assert!(ledger.delivered("a").is_ok());
    assert!(ledger.delivered("b").is_err());
}

#[test]
fn answers_keep_their_order_and_share_messages_where_they_agree() {
    let mut ledger = Ledger::new(4);
    ledger.message();
    let verdicts = [
        Verdict::Ack,
        Verdict::Ack,
        Verdict::Reject("x".to_owned()),
        Verdict::Ack,
    ];
    for (number, verdict) in verdicts.into_iter().enumerate() {
        let name = number.to_string();
        let live = ledger.delivered(&name).unwrap();
        ledger.answer(&name, &live, verdict, None);
    }
    assert!(matches!(said(&mut ledger), Some(Body::Ack(ack)) if ack.refs == ["0", "1"]));
    assert!(matches!(said(&mut ledger), Some(Body::Reject(no)) if no.refs == ["2"] && no.reason == "x"));
    assert!(matches!(said(&mut ledger), Some(Body::Ack(ack)) if ack.refs == ["3"]));
    assert_eq!(credit(&mut ledger), Some(4));
}

#[test]
fn one_message_has_a_bounded_number_of_refs() {
    let mut ledger = Ledger::new(1_000);
    ledger.message();
    for number in 0..1_000 {
        let name = number.to_string();
        let live = ledger.delivered(&name).unwrap();
        ledger.answer(&name, &live, Verdict::Ack, None);
    }
    assert!(matches!(said(&mut ledger), Some(Body::Ack(ack)) if ack.refs.len() == REFS_PER_MESSAGE));
}

#[test]
fn a_revoked_delivery_frees_its_place_only_when_the_application_lets_go_of_it() {
    let mut ledger = Ledger::new(1);
    ledger.message();
    let live = ledger.delivered("a").unwrap();
    ledger.revoked("a", Revocation::Timeout);
    assert_eq!(live.revocation(), Some(Revocation::Timeout));
    assert!(!ledger.has_message());
    let (reply, mut outcome) = reply();
    ledger.answer("a", &live, Verdict::Ack, Some(reply));
    assert_eq!(outcome.try_recv().unwrap(), Ok(Outcome::Stale));
    assert_eq!(credit(&mut ledger), Some(1));
}

#[test]
fn after_a_broken_stream_unheard_answers_are_given_again_and_credit_starts_anew() {
    let mut ledger = Ledger::new(3);
    ledger.message();
    let first = ledger.delivered("a").unwrap();
    let second = ledger.delivered("b").unwrap();
    let (reply, mut outcome) = reply();
    ledger.answer("a", &first, Verdict::Ack, Some(reply));
    ledger.message();
    ledger.break_stream();
    assert_eq!(second.revocation(), Some(Revocation::StreamLost));
    assert!(matches!(said(&mut ledger), Some(Body::Ack(ack)) if ack.refs == ["a"]));
    assert_eq!(
        credit(&mut ledger),
        Some(2),
        "b keeps its place until the application lets go of it"
    );
    ledger.outcome("a", Outcome::Confirmed);
    assert_eq!(outcome.try_recv().unwrap(), Ok(Outcome::Confirmed));
    ledger.answer("b", &second, Verdict::Retry, None);
    assert_eq!(credit(&mut ledger), Some(1));
}

#[test]
fn answers_without_outcomes_are_bounded() {
    let mut ledger = Ledger::new(1);
    ledger.message();
    for number in 0..=AWAITING_MAX {
        let name = number.to_string();
        let live = ledger.delivered(&name).unwrap();
        ledger.answer(&name, &live, Verdict::Ack, None);
        if number < AWAITING_MAX {
            assert!(ledger.message().is_some());
            assert_eq!(credit(&mut ledger), Some(1));
        }
    }
    assert!(!ledger.has_message());
    ledger.outcome("0", Outcome::Confirmed);
    assert!(ledger.has_message());
}

#[test]
fn a_closing_consumer_grants_nothing_and_is_settled_when_every_outcome_is_heard() {
    let mut ledger = Ledger::new(2);
    ledger.message();
    let live = ledger.delivered("a").unwrap();
    ledger.close();
    ledger.answer("a", &live, Verdict::Ack, None);
    assert!(!ledger.is_settled());
    assert!(matches!(said(&mut ledger), Some(Body::Ack(_))));
    assert!(!ledger.has_message());
    ledger.outcome("a", Outcome::Confirmed);
    assert!(ledger.is_settled());
}

#[test]
fn the_end_answers_everybody() {
    let mut ledger = Ledger::new(2);
    ledger.message();
    let first = ledger.delivered("a").unwrap();
    let second = ledger.delivered("b").unwrap();
    let (early, mut early_outcome) = reply();
    ledger.answer("a", &first, Verdict::Ack, Some(early));
    ledger.end(&Error::Closed);
    assert_eq!(early_outcome.try_recv().unwrap(), Err(Error::Closed));
    assert!(!ledger.is_settled(), "an answer went unheard");
    let (late, mut late_outcome) = reply();
    ledger.answer("b", &second, Verdict::Ack, Some(late));
    assert_eq!(late_outcome.try_recv().unwrap(), Err(Error::Closed));
}
