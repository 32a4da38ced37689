use proptest::prelude::{any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::FlushBuffer;

#[test]
fn the_time_boundary_counts_from_the_first_item_of_an_empty_buffer() {
    let mut buffer = FlushBuffer::default();
    assert_eq!(buffer.push(1, 5, 100, Some(1_000)), None);
    assert_eq!(buffer.push(2, 5, 140, Some(1_000)), None);
    assert_eq!(buffer.due(), Some(100));
    assert_eq!(buffer.take_due(|due| due <= 99), None);
    assert_eq!(buffer.take_due(|due| due <= 100), Some(vec![1, 2]));
    assert!(buffer.is_empty() && buffer.due().is_none());
    assert_eq!(buffer.take_due(|_| true), None, "an empty buffer has no boundary");
}

#[test]
fn the_size_boundary_wins_when_it_is_reached_first_and_exactly() {
    let mut buffer = FlushBuffer::default();
    assert_eq!(buffer.push(1, 9, 100, Some(10)), None);
    assert_eq!(buffer.push(2, 1, 101, Some(10)), Some(vec![1, 2]));
    assert_eq!(
        buffer.push(3, 500, 102, None),
        None,
        "IMMEDIATE has no size boundary"
    );
}

proptest! {
    #[test]
    fn everything_leaves_once_and_in_order(
        steps in prop::collection::vec((0_u64..20, 0_u64..30, any::<bool>()), 0..200),
        boundary in prop::option::of(1_u64..60),
    ) {
        let mut buffer = FlushBuffer::default();
        let (mut now, mut left) = (0, Vec::new());
        for (number, (bytes, step, look)) in steps.iter().enumerate() {
            left.extend(buffer.push(number, *bytes, now + 25, boundary).unwrap_or_default());
            prop_assert!(boundary.is_none_or(|max| buffer.bytes < max));
            now += step;
            if *look {
                left.extend(buffer.take_due(|due| due <= now).unwrap_or_default());
                prop_assert!(buffer.due().is_none_or(|due| due > now));
            }
        }
        left.extend(buffer.take());
        prop_assert_eq!(left, (0..steps.len()).collect::<Vec<_>>());
    }
}
