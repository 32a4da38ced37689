use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_clock::ManualClock;
use nervix_codec::Encoding;
use nervix_columns::ipc;
use proptest::prelude::{any, prop};
use proptest::{prop_assert, proptest};

use super::{Encoder, bytes_at_least};
use crate::carrier::{Carrier, Holding};
use crate::dependencies::Bound;
use crate::lane::LaneKey;
use crate::written::Written;

fn carrier(records: RecordBatch) -> Carrier {
    let clock = ManualClock::new();
    Carrier {
        lane: LaneKey {
            source: 0,
            branch: None,
        },
        share: Share::untracked(records.num_rows()),
        records,
        input: None,
        written: Written::default(),
        snapshot: Arc::new(clock.domain().snapshot()),
        bound: Bound::default(),
        at: clock.physical().now(),
        bytes: 0,
        holding: Arc::new(Holding {
            _parent: None,
            _own: Held::nothing(),
        }),
        load: Held::nothing(),
    }
}

fn records(rows: &[(i64, bool, String, Option<Vec<u8>>)]) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>()),
        Arc::new(rows.iter().map(|row| Some(row.1)).collect::<BooleanArray>()),
        Arc::new(
            rows.iter()
                .map(|row| Some(row.2.as_str()))
                .collect::<StringArray>(),
        ),
        Arc::new(rows.iter().map(|row| row.3.as_deref()).collect::<BinaryArray>()),
    ];
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("flag", DataType::Boolean, true),
        Field::new("name", DataType::Utf8, true),
        Field::new("body", DataType::Binary, true),
    ]);
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

#[test]
fn the_limit_is_judged_on_the_exact_bytes() {
    let rows = records(&[(1, true, "one".into(), None), (2, false, "two".into(), None)]);
    let exact = ipc::encode(&rows).unwrap().len() as u64;
    let waiting = VecDeque::from([carrier(rows)]);
    assert!(
        matches!(Encoder::new(&waiting, exact).encode(2), Encoding::Fits(message) if message.len() as u64 == exact)
    );
    assert!(matches!(
        Encoder::new(&waiting, exact - 1).encode(2),
        Encoding::TooLarge
    ));
}

#[test]
fn rows_of_several_carriers_are_joined_in_order() {
    let one = records(&[(1, true, "one".into(), None)]);
    let two = records(&[(2, false, "two".into(), None), (3, false, "three".into(), None)]);
    let expected = ipc::encode(
        &arrow::compute::concat_batches(&one.schema(), [&one, &two])
            .unwrap()
            .slice(0, 2),
    )
    .unwrap();
    let waiting = VecDeque::from([carrier(one), carrier(two)]);
    assert!(
        matches!(Encoder::new(&waiting, 100_000).encode(2), Encoding::Fits(message) if message == expected)
    );
}

proptest! {
    #[test]
    fn no_encoding_is_smaller_than_the_floor(
        rows in prop::collection::vec((any::<i64>(), any::<bool>(), ".{0,40}", prop::option::of(prop::collection::vec(any::<u8>(), 0..40))), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = records(&rows);
        let from = cut.index(rows.len());
        let slice = whole.slice(from, rows.len() - from);
        let exact = ipc::encode(&slice).unwrap().len() as u64;
        prop_assert!(bytes_at_least(&slice, slice.num_rows()) <= exact);
    }
}
