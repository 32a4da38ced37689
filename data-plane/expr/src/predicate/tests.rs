//! What WHERE keeps and what fails in it.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{BinaryOp, DataType};

use super::Predicate;
use crate::program::testing::{batch, binary, boolean, input, int, null, snapshot};
use crate::{CompileError, Frame};

#[test]
fn only_what_is_true_is_kept_and_what_fails_is_named() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(0), None, Some(9), Some(2)]));
    let input_batch = batch(vec![values]);
    let snapshot = snapshot();
    let ratio = binary(BinaryOp::Divide, int(6), input(0, DataType::I64));
    let predicate = Predicate::compile(&binary(BinaryOp::Greater, ratio, int(2)), Operation::Filter).unwrap();
    let filtered = predicate.keep(&Frame::of_input(&input_batch, &snapshot));
    assert_eq!(
        filtered.keep.iter().collect::<Vec<_>>(),
        [true, false, false, false, true]
    );
    assert!(!filtered.keeps_all());
    assert_eq!(filtered.failures.len(), 1);
    let failure = &filtered.failures[0];
    assert_eq!(
        (failure.row, failure.message()),
        (1, "/: division by zero".to_owned())
    );
    assert_eq!(
        (failure.site.code, failure.site.operation),
        (ErrorCode::Evaluation, Operation::Filter)
    );
    assert_eq!(
        (failure.site.operation_index, &failure.site.fields),
        (None, &vec!["f0".to_owned()])
    );
    assert_eq!(filtered.failed().set_indices().collect::<Vec<_>>(), [1]);
}

#[test]
fn constants_keep_all_or_nothing() {
    let input_batch = batch(vec![Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef]);
    let snapshot = snapshot();
    let frame = Frame::of_input(&input_batch, &snapshot);
    let keep = |expr| {
        Predicate::compile(&expr, Operation::Route)
            .unwrap()
            .keep(&frame)
            .keep
            .count_set_bits()
    };
    assert_eq!(keep(boolean(true)), 3);
    assert_eq!(keep(boolean(false)), 0);
    assert_eq!(keep(null(DataType::Bool)), 0);
}

#[test]
fn a_condition_is_a_truth_value() {
    let refused = Predicate::compile(&int(1), Operation::Filter);
    assert!(matches!(
        refused,
        Err(CompileError::Type {
            expected: DataType::Bool,
            found: DataType::I64
        })
    ));
}
