//! What slices weigh and hold.

use nspl_model::DataType;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

use crate::testing::{batch, field, schema, slices};
use crate::{copy_out, held_bytes, held_bytes_together, logical_bytes};

#[test]
fn a_slice_weighs_what_its_rows_weigh() {
    let schema = schema(vec![
        field("n", DataType::I64, false),
        field("b", DataType::Bool, false),
    ]);
    let whole = batch(&schema, 1_000_000, 1);
    assert_eq!(logical_bytes(&whole), 8_000_000 + 125_000);
    assert_eq!(logical_bytes(&whole.slice(500, 10)), 80 + 2);
    assert_eq!(logical_bytes(&whole.slice(0, 0)), 0);
}

#[test]
fn text_weighs_its_bytes_its_offsets_and_its_validity() {
    let schema = schema(vec![field("t", DataType::String, false)]);
    let whole = batch(&schema, 100, 7);
    let bytes: usize = whole
        .column(0)
        .as_any()
        .downcast_ref::<arrow::array::StringArray>()
        .map_or(0, |texts| (20..30).map(|row| texts.value(row).len()).sum());
    assert_eq!(logical_bytes(&whole.slice(20, 10)), 11 * 4 + bytes as u64);
}

#[test]
fn an_allocation_that_two_batches_share_is_held_once() {
    let schema = schema(vec![field("n", DataType::I64, false)]);
    let whole = batch(&schema, 1000, 1);
    let (first, second) = (whole.slice(0, 500), whole.slice(500, 500));
    assert_eq!(held_bytes(&first), held_bytes(&whole));
    assert_eq!(held_bytes_together([&first, &second]), held_bytes(&whole));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_slice_weighs_as_much_as_its_own_copy((_, slice) in slices()) {
        let copy = copy_out(&slice).unwrap();
        prop_assert_eq!(logical_bytes(&slice), logical_bytes(&copy));
        prop_assert!(held_bytes(&copy) <= held_bytes(&slice) + 64 * 64);
    }
}
