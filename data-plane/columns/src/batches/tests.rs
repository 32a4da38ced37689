//! Joining, filtering and copying out.

use arrow::buffer::BooleanBuffer;
use nspl_model::DataType;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

use crate::testing::{batch, field, schema, slices};
use crate::{compact, concat, copy_out, filter, held_bytes};

#[test]
fn a_small_slice_of_a_large_batch_is_copied_out() {
    let schema = schema(vec![
        field("n", DataType::I64, true),
        field("t", DataType::String, false),
    ]);
    let slice = batch(&schema, 100_000, 3).slice(70_000, 10);
    let compacted = compact(slice.clone()).unwrap();
    assert_eq!(compacted, slice);
    assert!(
        held_bytes(&compacted) < 4096,
        "{} bytes are held",
        held_bytes(&compacted)
    );
}

#[test]
fn a_batch_that_uses_what_it_holds_is_not_copied() {
    let whole = batch(&schema(vec![field("n", DataType::I64, false)]), 10_000, 3);
    let compacted = compact(whole.clone()).unwrap();
    assert_eq!(
        compacted.column(0).to_data().buffers()[0].as_ptr(),
        whole.column(0).to_data().buffers()[0].as_ptr()
    );
}

#[test]
fn a_filter_that_keeps_everything_copies_nothing() {
    let whole = batch(&schema(vec![field("n", DataType::I64, false)]), 100, 3);
    let kept = filter(&whole, &BooleanBuffer::new_set(100)).unwrap();
    assert_eq!(
        kept.column(0).to_data().buffers()[0].as_ptr(),
        whole.column(0).to_data().buffers()[0].as_ptr()
    );
    assert!(filter(&whole, &BooleanBuffer::new_set(99)).is_err());
    assert_eq!(
        filter(&whole, &BooleanBuffer::new_unset(100)).unwrap().num_rows(),
        0
    );
}

#[test]
fn no_batch_is_no_batch() {
    assert!(concat(&[]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts_join_to_the_whole((_, slice) in slices(), cut in any::<proptest::sample::Index>()) {
        let cut = cut.index(slice.num_rows() + 1);
        let parts = [slice.slice(0, cut), slice.slice(cut, slice.num_rows() - cut)];
        prop_assert_eq!(&concat(&parts).unwrap(), &slice);
        prop_assert_eq!(&copy_out(&slice).unwrap(), &slice);
    }
}
