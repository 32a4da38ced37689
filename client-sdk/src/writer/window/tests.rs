use std::{collections::BTreeSet, time::Duration};

use proptest::prelude::{Just, Strategy, any, prop_oneof};

use super::Window;
use crate::{backoff, pause::Instant};

fn window(batches: u64) -> (Window<u64>, Instant) {
    let mut window = Window::new();
    for number in 0..batches {
        window.admit(number, number);
    }
    (window, Instant::now())
}

fn send_all(window: &mut Window<u64>, now: Instant) -> Vec<u64> {
    std::iter::from_fn(|| window.send(now).copied()).collect()
}

#[test]
fn batches_go_in_order_and_leave_with_their_answer() {
    let (mut window, now) = window(4);
    assert_eq!(send_all(&mut window, now), [0, 1, 2, 3]);
    assert_eq!(window.settle(1, 2), [1, 2]);
    assert_eq!(window.settle(0, u64::MAX), [0, 3]);
    assert!(window.is_empty());
}

#[test]
fn an_answer_for_positions_that_were_never_sent_changes_nothing() {
    let (mut window, now) = window(1);
    send_all(&mut window, now);
    assert!(window.settle(7, 9).is_empty());
    assert!(window.settle(3, 2).is_empty());
    assert_eq!(window.settle(0, 0), [0]);
    assert!(window.settle(0, 0).is_empty());
}

#[test]
fn an_unresolved_batch_goes_again_after_its_delay_under_a_new_position() {
    let (mut window, now) = window(2);
    send_all(&mut window, now);
    window.delay(0, 0, Duration::from_secs(2), now);
    assert!(window.send(now).is_none());
    assert_eq!(window.due(), Some(now + Duration::from_secs(2)));
    assert_eq!(send_all(&mut window, now + Duration::from_secs(2)), [0]);
    assert_eq!(window.resends(), 1);
    assert_eq!(window.settle(2, 2), [0]);
}

#[test]
fn a_broken_stream_sends_the_unanswered_again_before_new_ones_from_position_zero() {
    let (mut window, now) = window(3);
    send_all(&mut window, now);
    window.settle(1, 1);
    window.break_stream();
    window.admit(3, 3);
    assert_eq!(send_all(&mut window, now), [0, 2, 3]);
    assert_eq!(window.settle(0, 2), [0, 2, 3]);
}

#[derive(Clone, Debug)]
enum Step {
    Admit,
    Send,
    Done(u64, u64),
    Unresolved(u64, u64),
    Break,
    Wait,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Admit),
        Just(Step::Send),
        (any::<u8>(), any::<u8>()).prop_map(|(first, last)| Step::Done(first.into(), last.into())),
        (any::<u8>(), any::<u8>()).prop_map(|(first, last)| Step::Unresolved(first.into(), last.into())),
        Just(Step::Break),
        Just(Step::Wait),
    ]
}

proptest::proptest! {
    /// Whatever happens, every batch is settled exactly once, and can always be brought to its answer.
    #[test]
    fn every_batch_is_settled_exactly_once(steps in proptest::collection::vec(step(), 0..200)) {
        let (mut window, mut now) = window(0);
        let mut admitted = 0;
        let mut settled = BTreeSet::new();
        for step in steps {
            match step {
                Step::Admit => {
                    window.admit(admitted, admitted);
                    admitted += 1;
                }
                Step::Send => {
                    window.send(now);
                }
                Step::Done(first, last) => {
                    for number in window.settle(first, last) {
                        assert!(settled.insert(number), "settled twice");
                    }
                }
                Step::Unresolved(first, last) => window.delay(first, last, Duration::ZERO, now),
                Step::Break => window.break_stream(),
                Step::Wait => now += backoff::LAST,
            }
        }
        window.break_stream();
        now += backoff::LAST;
        while window.send(now).is_some() {}
        settled.extend(window.settle(0, u64::MAX));
        assert_eq!(settled.len() as u64, admitted);
        assert!(window.is_empty());
    }
}
