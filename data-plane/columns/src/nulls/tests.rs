//! Nulls of every type, and masks over slices.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::buffer::BooleanBuffer;
use nspl_model::DataType;
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

use crate::testing::slices;
use crate::{arrow_type, null_array, nullify};

#[test]
fn nulls_of_a_list_type_have_no_nulls_beneath_them() {
    let types = [
        DataType::Array(Box::new(DataType::I64), vec![2, 2]),
        DataType::Vec(Box::new(DataType::Array(Box::new(DataType::String), vec![2]))),
    ];
    for data_type in types {
        let array = null_array(&arrow_type(&data_type), 3);
        assert_eq!((array.len(), array.null_count()), (3, 3));
        if let Some(list) = array.as_fixed_size_list_opt() {
            assert_eq!(list.values().null_count(), 0);
            assert_eq!(list.values().as_fixed_size_list().values().null_count(), 0);
        }
    }
}

#[test]
fn a_mask_takes_values_away_and_keeps_the_nulls_that_were_there() {
    let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let masked = nullify(&array, &BooleanBuffer::from(vec![true, false, false, false])).unwrap();
    assert_eq!(
        masked.as_ref(),
        &Int64Array::from(vec![None, None, Some(3), Some(4)]) as &dyn Array
    );
    let sliced = nullify(&array.slice(2, 2), &BooleanBuffer::from(vec![false, true])).unwrap();
    assert_eq!(
        sliced.as_ref(),
        &Int64Array::from(vec![Some(3), None]) as &dyn Array
    );
    assert!(nullify(&array, &BooleanBuffer::new_set(3)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_mask_takes_values_away_from_a_slice_of_any_type((_, slice) in slices()) {
        let mask = BooleanBuffer::collect_bool(slice.num_rows(), |row| row % 3 == 1);
        for column in slice.columns() {
            let masked = nullify(column, &mask).unwrap();
            for row in 0..slice.num_rows() {
                prop_assert_eq!(masked.is_null(row), mask.value(row) || column.is_null(row));
                if masked.is_valid(row) {
                    prop_assert_eq!(&masked.slice(row, 1), &column.slice(row, 1));
                }
            }
        }
    }
}
