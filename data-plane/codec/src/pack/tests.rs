use proptest::prelude::prop;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::{Encoding, Front, pack};

/// A container of 16 bytes around the members.
fn encoded(sizes: &[u64]) -> u64 {
    16 + sizes.iter().sum::<u64>()
}

/// Packs all rows; gives payloads as ranges, the rejected rows, and the most encodings beyond the allowed.
fn pack_all(sizes: &[u64], messages_max: u32, limit: u64) -> (Vec<(usize, usize)>, Vec<usize>, bool) {
    let (mut at, mut payloads, mut rejected, mut within) = (0, Vec::new(), Vec::new(), true);
    while at < sizes.len() {
        let rest = &sizes[at..];
        let candidate = rest.len().min(messages_max as usize);
        let mut encodings = 0;
        let packed = pack(rest.len(), messages_max, |rows| {
            encodings += 1;
            if encoded(&rest[..rows]) <= limit {
                Encoding::Fits(())
            } else {
                Encoding::TooLarge
            }
        });
        within &= encodings <= candidate.next_power_of_two().trailing_zeros() as usize + 1;
        match packed {
            Front::Payload { rows, .. } => {
                payloads.push((at, at + rows));
                at += rows;
            }
            Front::RowTooLarge => {
                rejected.push(at);
                at += 1;
            }
        }
    }
    (payloads, rejected, within)
}

#[test]
fn a_payload_of_exactly_the_limit_is_published_and_one_byte_more_is_halved() {
    assert_eq!(pack_all(&[10, 10, 10], 10, 46).0, [(0, 3)]);
    assert_eq!(pack_all(&[10, 10, 10], 10, 45).0, [(0, 2), (2, 3)]);
}

#[test]
fn a_row_too_large_alone_is_rejected_and_its_neighbours_are_packed() {
    let (payloads, rejected, _) = pack_all(&[1, 1, 500, 1, 1], 10, 100);
    assert_eq!(rejected, [2]);
    assert_eq!(payloads.iter().map(|(from, to)| to - from).sum::<usize>(), 4);
}

#[test]
fn messages_max_bounds_a_payload() {
    assert_eq!(pack_all(&[0; 7], 3, 100).0, [(0, 3), (3, 6), (6, 7)]);
}

proptest! {
    #[test]
    fn every_row_once_in_order_within_both_limits_and_few_encodings(
        sizes in prop::collection::vec(0_u64..200, 1..300),
        messages_max in 1_u32..70,
        limit in 17_u64..600,
    ) {
        let (payloads, rejected, within) = pack_all(&sizes, messages_max, limit);
        prop_assert!(within, "more than ceil(log2 n) + 1 encodings");
        let mut rows: Vec<usize> = payloads.iter().flat_map(|(from, to)| *from..*to).collect();
        prop_assert!(rows.is_sorted());
        for (from, to) in &payloads {
            prop_assert!(encoded(&sizes[*from..*to]) <= limit);
            prop_assert!(to - from <= messages_max as usize);
        }
        for row in &rejected {
            prop_assert!(encoded(&sizes[*row..=*row]) > limit);
        }
        rows.extend(&rejected);
        rows.sort_unstable();
        prop_assert_eq!(rows, (0..sizes.len()).collect::<Vec<_>>());
    }
}
