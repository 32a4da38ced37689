use std::collections::BTreeMap;

use nervix_sink::{LaneId, PayloadId};
use proptest::prelude::{any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::Retained;

fn retained(count: u64, lanes: u64) -> Retained<u64, u64> {
    let mut retained = Retained::default();
    for number in 0..count {
        retained.retain(PayloadId(number.into()), LaneId(number % lanes), number, number);
    }
    retained
}

#[test]
fn a_payload_waits_once_and_is_given_back_once() {
    let mut retained = retained(1, 1);
    let id = PayloadId(0);
    assert!(retained.fail(id, 10));
    assert!(!retained.fail(id, 11), "it waits already");
    assert!(retained.waits(LaneId(0)));
    assert!(retained.take_due(9).is_empty());
    assert_eq!(retained.take_due(10), [id]);
    assert!(retained.take_due(99).is_empty());
    assert!(!retained.waits(LaneId(0)));
    assert_eq!(retained.resolve(id), Some(0));
    assert_eq!(retained.resolve(id), None);
    assert_eq!(retained.len(), 0);
}

#[test]
fn a_newer_payload_of_the_lane_waits_for_the_older_one() {
    let mut retained = retained(3, 2);
    assert!(retained.fail(PayloadId(2), 5));
    assert!(retained.fail(PayloadId(0), 20));
    assert!(retained.fail(PayloadId(1), 7));
    assert_eq!(retained.next_due(), Some(7));
    assert_eq!(retained.take_due(10), [PayloadId(1)], "the other lane goes on");
    assert_eq!(retained.take_due(20), [PayloadId(0), PayloadId(2)]);
}

#[test]
fn resolving_a_waiting_payload_frees_those_behind_it() {
    let mut retained = retained(3, 1);
    assert!(retained.fail(PayloadId(0), 50));
    assert!(retained.fail(PayloadId(1), 5));
    assert_eq!(retained.next_due(), Some(50));
    assert_eq!(retained.resolve(PayloadId(0)), Some(0));
    assert_eq!(retained.next_due(), Some(5));
    assert_eq!(retained.take_due(5), [PayloadId(1)]);
}

proptest! {
    #[test]
    fn what_fails_comes_back_once_in_lane_order_and_resolves_once(
        steps in prop::collection::vec((0_u64..30, 0_u64..20, any::<bool>()), 0..200),
    ) {
        let mut retained = retained(30, 4);
        let mut waits: BTreeMap<u64, u64> = BTreeMap::new();
        let (mut now, mut resolved) = (0, 0);
        for (number, delay, resolve) in steps {
            let id = PayloadId(number.into());
            if resolve {
                resolved += usize::from(retained.resolve(id).is_some());
                waits.remove(&number);
            } else if retained.fail(id, now + delay) {
                prop_assert!(waits.insert(number, now + delay).is_none());
            }
            now += 3;
            for id in retained.take_due(now) {
                let number = u64::try_from(id.0).unwrap();
                prop_assert!(waits.remove(&number).is_some_and(|due| due <= now));
                prop_assert!(!waits.keys().any(|other| other % 4 == number % 4 && *other < number));
            }
        }
        prop_assert_eq!(retained.len(), 30 - resolved);
        retained.take_due(u64::MAX);
        prop_assert!(retained.next_due().is_none());
    }
}
