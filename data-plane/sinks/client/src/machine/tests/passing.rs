//! How often others pass a payload that nobody has room for.

use super::super::Answer;
use super::super::testing::offer;
use super::{TIMEOUT, assign, delivered, machine, result};

/// Keeps a consumer with a bound of 1,000 full of payloads of 100 bytes, acks the oldest of those that came, and counts
/// them until payload 1 of `large` bytes comes, or a thousand have come.
fn passed_before(large: usize, sits: bool) -> usize {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, u32::MAX);
    machine.offer(offer(0, 0, 500, 1));
    assign(&mut machine, 0);
    let first = delivered(&mut machine, consumer).remove(0);
    machine.offer(offer(1, 1, large, 1));
    let (mut next, mut passed) = (2, 0);
    let mut held = std::collections::VecDeque::new();
    while passed < 1_000 {
        while next < 2 + passed as u64 + 10 {
            machine.offer(offer(next, next, 100, 1));
            next += 1;
        }
        assign(&mut machine, 0);
        for (reference, batch) in delivered(&mut machine, consumer) {
            if batch == 1 {
                return passed;
            }
            passed += 1;
            held.push_back(reference);
        }
        if passed == 5 && !sits {
            result(&mut machine, consumer, &first.0, Answer::Ack);
        }
        let oldest = held
            .pop_front()
            .unwrap_or_else(|| panic!("nothing to ack after {passed}"));
        result(&mut machine, consumer, &oldest, Answer::Ack);
    }
    passed
}

#[test]
fn what_keeps_coming_passes_a_large_payload_a_bounded_number_of_times_only() {
    let passed = passed_before(900, false);
    assert!((64..=74).contains(&passed), "{passed}");
}

#[test]
fn a_large_payload_that_an_older_delivery_leaves_no_room_for_holds_nobody_up() {
    assert_eq!(passed_before(900, true), 1_000);
}

/// A consumer with a bound of 1,000 that sits on payload 2 of 200 bytes, which came after payload 1 of `large` bytes had
/// to wait, and acks everything else at once. It grants one credit with each ack. Gives how many came while it sat, up to
/// a thousand, and how many after it acked payload 2, before payload 1 came.
fn passed_while_a_newer_one_sits(large: usize, credit: u32) -> (usize, usize) {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, credit);
    machine.offer(offer(0, 0, 500, 1));
    assign(&mut machine, 0);
    let first = delivered(&mut machine, consumer).remove(0);
    machine.offer(offer(1, 1, large, 1));
    machine.offer(offer(2, 2, 200, 1));
    assign(&mut machine, 0);
    let sits = delivered(&mut machine, consumer).remove(0);
    assert_eq!(sits.1, 2);
    let mut open = vec![first.0];
    let (mut next, mut flowed, mut before) = (3, 0, None);
    for _ in 0..10_000 {
        while next < 30 + (before.unwrap_or(0) + flowed) as u64 {
            machine.offer(offer(next, next, 50, 1));
            next += 1;
        }
        let mut came = Vec::new();
        for reference in open.drain(..) {
            result(&mut machine, consumer, &reference, Answer::Ack);
            assign(&mut machine, 0);
            machine.grant(consumer, 1);
            assign(&mut machine, 0);
            came.extend(delivered(&mut machine, consumer));
        }
        if came.iter().any(|(_, batch)| *batch == 1) {
            return (before.unwrap_or(0), flowed);
        }
        flowed += came.len();
        open.extend(came.into_iter().map(|(reference, _)| reference));
        match before {
            None if flowed >= 1_000 || open.is_empty() => {
                before = Some(flowed);
                flowed = 0;
                open.push(sits.0.clone());
            }
            Some(_) if flowed >= 1_000 => return (before.unwrap_or(0), flowed),
            _ => {}
        }
    }
    panic!("nothing comes any more after {before:?} and {flowed}")
}

#[test]
fn a_newer_delivery_that_sits_before_a_large_payload_holds_nobody_up() {
    for (large, credit) in [(900, 1_000), (5_000, 1_000), (900, 3), (900, 2), (5_000, 2)] {
        let (before, after) = passed_while_a_newer_one_sits(large, credit);
        assert!(before >= 1_000, "{large} {credit}: {before} came while one sat");
        assert!(after <= 200, "{large} {credit}: {after} passed once it did not");
    }
}

#[test]
fn a_consumer_that_sits_on_a_lane_is_let_past_nothing_more_of_it() {
    const SITS: u64 = 2;
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, u32::MAX);
    machine.offer(offer(0, 0, 500, 1));
    assign(&mut machine, 0);
    let mut open = delivered(&mut machine, consumer);
    machine.offer(offer(1, 1, 900, 1));
    machine.offer(offer(SITS, 2, 200, 1));
    assign(&mut machine, 0);
    assert_eq!(delivered(&mut machine, consumer).len(), 1);
    let (mut next, mut flowed) = (3, 0);
    while flowed < 1_000 && (flowed == 0 || !open.is_empty()) {
        // The consumer is reserved for payload 1 by now: the next to pass would be of the lane that it sits on.
        if (70..80).contains(&flowed) {
            machine.offer(offer(SITS, 10_000 + flowed, 50, 1));
        }
        for lane in [3, 4] {
            machine.offer(offer(lane, next, 50, 1));
            next += 1;
        }
        for (reference, _) in std::mem::take(&mut open) {
            result(&mut machine, consumer, &reference, Answer::Ack);
            assign(&mut machine, 0);
            let came = delivered(&mut machine, consumer).into_iter();
            open.extend(came.filter(|(_, batch)| *batch < 10_000));
        }
        flowed += open.len() as u64;
    }
    assert!(flowed >= 1_000, "{flowed} came beside the lane that it sits on");
}

/// A consumer with a bound of 1,000 that sits on an older delivery of 500 bytes, while payload 1 of 400 bytes waits for
/// room, and on `sits` of those that are let past it; it acks everything else at once. Gives how many seconds nothing came
/// until a thousand had come; `None` where payload 1 came.
fn stalled_while_it_sits_on(sits: usize) -> Option<u64> {
    let mut machine = machine();
    let consumer = machine.connect(false);
    machine.grant(consumer, u32::MAX);
    machine.offer(offer(0, 0, 500, 1));
    (2..12).for_each(|lane| machine.offer(offer(lane, lane, 50, 1)));
    assign(&mut machine, 0);
    let mut came = delivered(&mut machine, consumer);
    assert_eq!(came.remove(0).1, 0);
    machine.offer(offer(1, 1, 400, 1));
    let (mut next, mut flowed, mut sat, mut now) = (12, 0, 0, 0);
    while flowed < 1_000 {
        while next < 50 + flowed as u64 {
            machine.offer(offer(next, next, 50, 1));
            next += 1;
        }
        let mut open = std::mem::take(&mut came);
        if sat < sits && flowed >= 75 * (sat + 1) && !open.is_empty() {
            open.remove(0);
            sat += 1;
        }
        for (reference, _) in open {
            result(&mut machine, consumer, &reference, Answer::Ack);
            assign(&mut machine, now);
            came.extend(delivered(&mut machine, consumer));
        }
        if came.is_empty() {
            now += 1;
            assert!(now < TIMEOUT, "nothing comes any more after {flowed}, on {sat}");
            assign(&mut machine, now);
            came = delivered(&mut machine, consumer);
        }
        if came.iter().any(|(_, batch)| *batch == 1) {
            return None;
        }
        flowed += came.len();
    }
    Some(now)
}

#[test]
fn whatever_a_consumer_sits_on_the_other_lanes_flow() {
    assert_eq!(
        stalled_while_it_sits_on(0),
        None,
        "it has room once it is waited for"
    );
    for sits in 1..8 {
        // It may come to have room in spite of what it sits on.
        let stalled = stalled_while_it_sits_on(sits).unwrap_or(0);
        assert!(stalled <= 3, "{sits}: {stalled} s");
    }
}
