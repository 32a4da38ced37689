use std::collections::BTreeMap;

use nervix_sink::{Lane, LaneId};
use proptest::prelude::prop;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::Lanes;

fn lane(id: LaneId) -> Lane {
    Lane {
        id,
        source: "orders".into(),
        branch: "".into(),
        key: None,
    }
}

/// Sends one piece of the lane whose turn it is.
fn send(lanes: &mut Lanes<u8, u32>) -> Option<(LaneId, u8, u32)> {
    let id = lanes.take_turn(|_| true)?;
    let work = lanes.get_mut(id)?;
    let (key, piece) = (work.key, work.waiting.pop_front()?);
    lanes.sent(id);
    lanes.give_back(id);
    Some((id, key, piece))
}

#[test]
fn lanes_take_turns_and_a_full_window_stops_no_other_lane() {
    let mut lanes = Lanes::new(1);
    for piece in 0..4 {
        lanes.push(u8::from(piece >= 2), piece, lane);
    }
    let (first, ..) = send(&mut lanes).unwrap();
    let (second, key, piece) = send(&mut lanes).unwrap();
    assert_eq!((key, piece), (1, 2), "the other lane has its turn");
    assert!(send(&mut lanes).is_none(), "both windows are full");
    lanes.resolved(second);
    assert_eq!(send(&mut lanes).map(|sent| sent.2), Some(3));
    lanes.resolved(first);
    assert_eq!(send(&mut lanes).map(|sent| sent.2), Some(1));
}

#[test]
fn a_lane_is_forgotten_with_its_last_work_and_its_id_is_not_used_again() {
    let mut lanes = Lanes::new(1);
    lanes.push(0, 1, lane);
    let (first, ..) = send(&mut lanes).unwrap();
    assert_eq!(lanes.len(), 1);
    lanes.resolved(first);
    assert!(lanes.is_empty());
    lanes.push(0, 2, lane);
    assert_ne!(send(&mut lanes).unwrap().0, first);
}

#[test]
fn a_lane_that_may_not_send_has_its_turn_when_it_is_given_back() {
    let mut lanes = Lanes::new(2);
    lanes.push(0, 1, lane);
    assert!(lanes.take_turn(|_| false).is_none());
    assert!(
        lanes.take_turn(|_| true).is_none(),
        "out of turns until something changes"
    );
    lanes.give_back(LaneId(0));
    assert!(send(&mut lanes).is_some());
}

proptest! {
    #[test]
    fn every_piece_leaves_once_in_lane_order_within_the_window(
        window in 1_u32..4,
        steps in prop::collection::vec((0_u8..4, prop::bool::ANY), 0..200),
    ) {
        let mut lanes = Lanes::new(window);
        let (mut pushed, mut sent, mut out): (u32, BTreeMap<u8, Vec<u32>>, Vec<LaneId>) = Default::default();
        for (key, push) in steps {
            if push {
                lanes.push(key, pushed, lane);
                pushed += 1;
            } else if !out.is_empty() {
                lanes.resolved(out.remove(usize::from(key) % out.len()));
            }
            while let Some((id, key, piece)) = send(&mut lanes) {
                sent.entry(key).or_default().push(piece);
                out.push(id);
                prop_assert!(out.iter().filter(|other| **other == id).count() <= window as usize);
            }
        }
        while let Some(id) = out.pop() {
            lanes.resolved(id);
            while let Some((id, key, piece)) = send(&mut lanes) {
                sent.entry(key).or_default().push(piece);
                out.push(id);
            }
        }
        prop_assert!(lanes.is_empty());
        prop_assert!(sent.values().all(|pieces| pieces.is_sorted()));
        prop_assert_eq!(sent.values().map(Vec::len).sum::<usize>(), pushed as usize);
    }
}
