use std::collections::BTreeMap;

use proptest::prelude::{any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::Collect;

#[test]
fn a_key_leaves_when_its_own_timer_passes_counted_from_its_first_batch() {
    let mut collect = Collect::new(None);
    assert_eq!(collect.push("a", 1, 1, 10), None);
    assert_eq!(collect.push("b", 2, 1, 13), None);
    assert_eq!(
        collect.push("a", 3, 1, 15),
        None,
        "a later batch does not move the timer"
    );
    assert_eq!(collect.next_due(), Some(10));
    assert!(collect.take_due(9).is_empty());
    assert_eq!(collect.take_due(10), [vec![1, 3]]);
    assert_eq!(collect.next_due(), Some(13));
    assert_eq!(
        collect.push("a", 4, 1, 20),
        None,
        "a new first batch starts a new timer"
    );
    assert_eq!(collect.take_due(30), [vec![2], vec![4]]);
    assert!(collect.is_empty() && collect.next_due().is_none());
}

#[test]
fn the_size_boundary_releases_the_key_that_reached_it_and_no_other() {
    let mut collect = Collect::new(Some(10));
    assert_eq!(collect.push("a", 1, 6, 10), None);
    assert_eq!(collect.push("b", 2, 9, 10), None);
    assert_eq!(collect.push("a", 3, 4, 11), Some(vec![1, 3]));
    assert_eq!(
        collect.push("c", 4, 50, 12),
        Some(vec![4]),
        "one batch beyond the boundary leaves at once"
    );
    assert_eq!(collect.take_all(), [vec![2]]);
}

proptest! {
    #[test]
    fn every_batch_leaves_once_in_the_order_of_its_key(
        steps in prop::collection::vec((0_u8..5, 1_u64..9, 0_u64..4, any::<bool>()), 0..200),
        boundary in prop::option::of(1_u64..30),
    ) {
        let mut collect = Collect::new(boundary);
        let (mut now, mut next, mut seen): (u64, u32, BTreeMap<u8, Vec<u32>>) = (0, 0, BTreeMap::new());
        let note = |released: Vec<(u8, u32)>, seen: &mut BTreeMap<u8, Vec<u32>>| {
            for (key, number) in &released {
                seen.entry(*key).or_default().push(*number);
            }
            released.windows(2).all(|pair| pair[0].0 == pair[1].0)
        };
        for (key, bytes, step, look) in steps {
            if let Some(released) = collect.push(key, (key, next), bytes, now + 10) {
                prop_assert!(note(released, &mut seen), "keys mixed");
            }
            next += 1;
            now += step;
            if look {
                for released in collect.take_due(now) {
                    prop_assert!(note(released, &mut seen), "keys mixed");
                }
                prop_assert!(collect.next_due().is_none_or(|due| due > now));
            }
        }
        for released in collect.take_all() {
            prop_assert!(note(released, &mut seen), "keys mixed");
        }
        prop_assert!(collect.is_empty());
        prop_assert!(seen.values().all(|numbers| numbers.is_sorted()));
        prop_assert_eq!(seen.values().map(Vec::len).sum::<usize>(), next as usize);
    }
}
