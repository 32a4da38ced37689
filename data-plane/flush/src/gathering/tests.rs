//! The buffers as a pure machine.

use proptest::{collection::vec, prop_assert_eq, proptest};

use super::Gatherings;

#[test]
fn a_key_leaves_when_its_first_rows_time_is_over_and_starts_anew() {
    let mut gathered: Gatherings<&str, u32, u32> = Gatherings::default();
    assert!(gathered.push("a", (1, 10), || 5, None).is_none());
    assert!(gathered.push("b", (2, 10), || 6, None).is_none());
    assert!(gathered.push("a", (3, 10), || 9, None).is_none());
    assert_eq!(gathered.next_due(), Some(5));
    assert_eq!(gathered.take_due(|due| due <= 5), Some(("a", vec![1, 3])));
    assert_eq!(gathered.take_due(|due| due <= 5), None);
    assert!(gathered.push("a", (4, 10), || 11, None).is_none());
    assert_eq!(gathered.take_due(|due| due <= 20), Some(("b", vec![2])));
    assert_eq!(gathered.take_due(|due| due <= 20), Some(("a", vec![4])));
    assert_eq!(gathered.next_due(), None);
    assert!(gathered.is_empty());
}

#[test]
fn the_size_boundary_releases_its_key_only() {
    let mut gathered: Gatherings<&str, u32, u32> = Gatherings::default();
    assert!(gathered.push("a", (1, 6), || 5, Some(10)).is_none());
    assert!(gathered.push("b", (2, 6), || 5, Some(10)).is_none());
    assert_eq!(gathered.push("a", (3, 6), || 5, Some(10)), Some(vec![1, 3]));
    assert_eq!(gathered.next_due(), Some(5));
    assert_eq!(
        gathered.push("c", (4, 50), || 7, Some(10)),
        Some(vec![4]),
        "one item beyond the boundary leaves at once"
    );
    assert_eq!(gathered.take_due(|_| true), Some(("b", vec![2])));
}

proptest! {
    #[test]
    fn every_item_leaves_once_and_in_the_order_of_its_key(
        pushes in vec((0..5u8, 1..40u64, 0..3u32), 1..200),
    ) {
        let mut gathered: Gatherings<u8, usize, u32> = Gatherings::default();
        let mut left: Vec<Vec<usize>> = vec![Vec::new(); 5];
        let mut now = 0;
        for (number, (key, bytes, steps)) in pushes.iter().enumerate() {
            now += steps;
            if let Some(items) = gathered.push(*key, (number, *bytes), || now + 4, Some(100)) {
                left[*key as usize].extend(items);
            }
            while let Some((key, items)) = gathered.take_due(|due| due <= now) {
                left[key as usize].extend(items);
            }
        }
        while let Some((key, items)) = gathered.take_due(|_| true) {
            left[key as usize].extend(items);
        }
        for key in 0..5u8 {
            let pushed: Vec<usize> =
                pushes.iter().enumerate().filter(|(_, push)| push.0 == key).map(|(number, _)| number).collect();
            prop_assert_eq!(&left[key as usize], &pushed);
        }
    }
}
