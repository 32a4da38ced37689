use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray, UInt8Array, new_null_array,
};
use arrow::datatypes::Int32Type;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::any;
use proptest::{prop_assert_eq, proptest};

use crate::branches::groups::Groups;
use crate::{KEY_BYTES_MAX, KeyError};

fn groups(columns: &[ArrayRef]) -> Groups {
    Groups::of(columns).unwrap()
}

#[test]
fn numbers_that_compare_equal_are_one_branch() {
    let odd_nan = f64::from_bits(f64::NAN.to_bits() | 1);
    let wide: ArrayRef = Arc::new(Float64Array::from(vec![
        0.0,
        -0.0,
        f64::NAN,
        odd_nan,
        -f64::NAN,
        1.0,
    ]));
    let narrow: ArrayRef = Arc::new(Float32Array::from(vec![
        0.0,
        -0.0,
        f32::NAN,
        -f32::NAN,
        f32::NAN,
        1.0,
    ]));
    assert_eq!(groups(&[wide, narrow]).group_of_row(), [0, 0, 1, 1, 1, 2]);
}

#[test]
fn null_is_a_value_of_its_own() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some(""), None, Some("a"), None]));
    assert_eq!(groups(&[text]).group_of_row(), [0, 1, 2, 1]);
}

#[test]
fn fields_do_not_run_into_one_another() {
    let first: ArrayRef = Arc::new(StringArray::from(vec!["ab", "a"]));
    let second: ArrayRef = Arc::new(BinaryArray::from(vec![b"c".as_slice(), b"bc"]));
    assert_eq!(groups(&[first, second]).len(), 2);
}

#[test]
fn every_row_without_key_fields_is_none() {
    assert!(groups(&[]).is_empty());
}

#[test]
fn lists_and_slices_are_keys_like_others() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), Some(2)]),
        Some(vec![]),
        None,
        Some(vec![Some(1), Some(2)]),
        Some(vec![Some(1)]),
    ]);
    let sliced: ArrayRef = Arc::new(lists.slice(1, 4));
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true, true, true]).slice(1, 4));
    let bytes: ArrayRef = Arc::new(UInt8Array::from(vec![9, 1, 1, 1, 1]).slice(1, 4));
    let all: ArrayRef = Arc::new(lists);
    assert_eq!(groups(&[all]).group_of_row(), [0, 1, 2, 0, 3]);
    assert_eq!(groups(&[sliced, flags, bytes]).len(), 4);
}

#[test]
fn a_key_past_its_bound_has_no_group() {
    let long = "k".repeat(KEY_BYTES_MAX);
    let longer = "k".repeat(1 << 20);
    let fitting = "k".repeat(KEY_BYTES_MAX - 5);
    let text: ArrayRef = Arc::new(StringArray::from(vec![
        long.as_str(),
        "a",
        longer.as_str(),
        fitting.as_str(),
    ]));
    let groups = groups(std::slice::from_ref(&text));
    assert_eq!(groups.group_of_row(), [Groups::NONE, 0, Groups::NONE, 1]);
    assert_eq!(groups.too_long(), [0, 2]);
    let batch = RecordBatch::try_from_iter([("k", text)]).unwrap();
    let parts = groups.gather(&batch).unwrap();
    assert_eq!(
        parts.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(),
        [1, 1]
    );
}

#[test]
fn columns_that_cannot_be_keys_are_named() {
    let short: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let long: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    assert_eq!(Groups::of(&[short, long]).unwrap_err(), KeyError::Lengths);
    let null = new_null_array(&arrow::datatypes::DataType::Null, 1);
    assert!(matches!(
        Groups::of(&[null]).unwrap_err(),
        KeyError::Type { column: 0, .. }
    ));
}

#[test]
fn nothing_that_prints_shows_a_key() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["marker-of-a-secret"]));
    let groups = groups(&[text]);
    let shown = format!("{:?} {groups:?}", groups.key(0));
    assert!(!shown.contains("marker"), "{shown}");
}

proptest! {
    #[test]
    fn rows_share_a_group_exactly_when_their_values_are_equal(
        rows in vec((option::of(0_i64..4), option::of("[ab]{0,2}"), any::<bool>()), 1..60),
    ) {
        let numbers: Int64Array = rows.iter().map(|row| row.0).collect();
        let texts: StringArray = rows.iter().map(|row| row.1.clone()).collect();
        let flags: BooleanArray = rows.iter().map(|row| Some(row.2)).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(texts), Arc::new(flags)];
        let groups = groups(&columns);
        let of_row = groups.group_of_row();
        for (left, left_group) in rows.iter().zip(of_row) {
            for (right, right_group) in rows.iter().zip(of_row) {
                prop_assert_eq!(left == right, left_group == right_group);
            }
        }
        let batch = RecordBatch::try_from_iter(["a", "b", "c"].into_iter().zip(columns)).unwrap();
        let parts = groups.gather(&batch).unwrap();
        for (group, part) in parts.iter().enumerate() {
            let expected: Vec<usize> =
                (0..rows.len()).filter(|row| of_row[*row] as usize == group).collect();
            prop_assert_eq!(groups.rows(group), expected.len());
            let slices: Vec<RecordBatch> = expected.iter().map(|row| batch.slice(*row, 1)).collect();
            prop_assert_eq!(part.clone(), nervix_columns::concat(&slices).unwrap());
        }
    }
}
