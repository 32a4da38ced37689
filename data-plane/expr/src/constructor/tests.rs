//! Rows that are kept, dropped and failed, and what had been set of them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{Assignment, BinaryOp, Construction, DataType, Expr, Field, Schema, Scope, Step};

use super::{Constructor, RowGroup};
use crate::program::testing::{batch, binary, call, column, input, int, null, snapshot, word};
use crate::{CompileError, Frame, RelayState};

fn schema(fields: &[(&str, DataType, bool)]) -> Schema {
    let field = |(name, data_type, optional): &(&str, DataType, bool)| Field {
        name: (*name).into(),
        data_type: data_type.clone(),
        optional: *optional,
        sensitive: false,
    };
    Schema {
        name: "out".into(),
        fields: fields.iter().map(field).collect(),
    }
}

fn set(index: usize, expr: Expr) -> Step {
    Step::Set(Assignment { index, expr })
}

fn source() -> RecordBatch {
    batch(vec![
        Arc::new(Int64Array::from(vec![Some(1), Some(0), Some(3), Some(4), None])) as ArrayRef,
        Arc::new(StringArray::from(vec![
            Some("a"),
            Some("b"),
            None,
            Some("d"),
            Some("e"),
        ])),
    ])
}

fn column_words(batch: &RecordBatch, index: usize) -> Vec<String> {
    (0..batch.num_rows())
        .map(|row| word(batch.column(index), row))
        .collect()
}

fn ratio() -> Expr {
    binary(BinaryOp::Divide, int(12), input(0, DataType::I64))
}

#[test]
fn rows_are_kept_dropped_or_failed_and_what_was_set_of_the_failed_ones_is_known() {
    let target = schema(&[
        ("n", DataType::I64, true),
        ("t", DataType::String, false),
        ("r", DataType::I64, true),
    ]);
    let construction = Construction {
        steps: vec![
            Step::Inherit { output: 0, input: 0 },
            Step::Inherit { output: 1, input: 1 },
            set(
                0,
                binary(BinaryOp::Add, column(Scope::Output, 0, DataType::I64), int(10)),
            ),
            set(2, ratio()),
        ],
        filter: Some(binary(
            BinaryOp::Less,
            column(Scope::Output, 2, DataType::I64),
            int(12),
        )),
    };
    let constructor = Constructor::compile(&construction, &target).unwrap();
    let (source, snapshot) = (source(), snapshot());
    let built = constructor
        .construct(&Frame::of_input(&source, &snapshot))
        .unwrap();
    // Row 0 is dropped by WHERE, 1 divides by zero, 2 has no text, 3 is kept, 4 has no ratio.
    assert_eq!(built.groups().unwrap(), [1, 2, 2, 0, 1]);
    assert_eq!(RowGroup::COUNT, 3);
    assert_eq!(built.batch.num_rows(), 1);
    assert_eq!(built.batch.schema(), *constructor.schema());
    assert_eq!(
        (column_words(&built.batch, 0), column_words(&built.batch, 2)),
        (vec!["14".into()], vec!["3".into()])
    );

    let [divided, missing] = built.failures.as_slice() else {
        panic!("two rows fail")
    };
    assert_eq!(
        (divided.row, divided.site.code, divided.site.operation),
        (1, ErrorCode::Evaluation, Operation::Construct)
    );
    assert_eq!(
        (divided.site.operation_index, divided.site.fields.join(",")),
        (Some(1), "f0".to_owned())
    );
    assert_eq!(
        (missing.row, missing.site.code, missing.site.operation),
        (2, ErrorCode::Validation, Operation::Construct)
    );
    assert_eq!(
        (missing.site.operation_index, missing.site.fields.join(",")),
        (None, "t".to_owned())
    );
    assert_eq!(missing.message(), "a required field is null");

    assert_eq!(built.partial_output.num_rows(), 2);
    assert_eq!(column_words(&built.partial_output, 0), ["10", "13"]);
    assert_eq!(column_words(&built.partial_output, 1), ["b", "null"]);
    assert_eq!(column_words(&built.partial_output, 2), ["null", "4"]);
    assert_eq!(built.failed().set_indices().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn inherited_columns_are_shared_and_nothing_is_said_when_all_are_kept() {
    let target = schema(&[
        ("n", DataType::I64, true),
        ("x", DataType::Vec(Box::new(DataType::I64)), true),
    ]);
    let construction = Construction {
        steps: vec![Step::Inherit { output: 0, input: 0 }],
        filter: None,
    };
    let (source, snapshot) = (source(), snapshot());
    let constructor = Constructor::compile(&construction, &target).unwrap();
    let built = constructor
        .construct(&Frame::of_input(&source, &snapshot))
        .unwrap();
    assert!(built.kept.is_none() && built.groups().is_none() && built.failures.is_empty());
    let start = |array: &ArrayRef| array.to_data().buffers()[0].as_ptr();
    assert_eq!(start(built.batch.column(0)), start(source.column(0)));
    assert_eq!(built.batch.column(1).null_count(), 5);
    assert_eq!(built.output().len(), 2);
    assert_eq!(built.partial_output.num_rows(), 0);
}

#[test]
fn a_row_that_failed_runs_no_later_step() {
    let target = schema(&[("a", DataType::I64, true), ("b", DataType::I64, true)]);
    let later = binary(
        BinaryOp::Divide,
        int(1),
        binary(BinaryOp::Subtract, input(0, DataType::I64), int(1)),
    );
    let assignments = [
        Assignment {
            index: 0,
            expr: ratio(),
        },
        Assignment {
            index: 1,
            expr: later,
        },
    ];
    let (source, snapshot) = (source(), snapshot());
    let constructor = Constructor::assignments(&assignments, &target).unwrap();
    let built = constructor
        .construct(&Frame::of_input(&source, &snapshot))
        .unwrap();
    let failed: Vec<_> = built
        .failures
        .iter()
        .map(|failure| (failure.row, failure.site.operation_index))
        .collect();
    assert_eq!(failed, [(0, Some(1)), (1, Some(0))]);
    assert_eq!(column_words(&built.partial_output, 0), ["12", "null"]);
    assert_eq!(column_words(&built.batch, 0), ["4", "3", "null"]);
}

#[test]
fn branch_keys_read_the_finished_record() {
    let target = schema(&[("k", DataType::I64, false)]);
    let key = binary(BinaryOp::Divide, int(12), column(Scope::Output, 0, DataType::I64));
    let constructor = Constructor::branch_keys(&[Assignment { index: 0, expr: key }], &target).unwrap();
    let (source, snapshot) = (source(), snapshot());
    let output: Vec<Option<ArrayRef>> = vec![Some(Arc::new(Int64Array::from(vec![1, 2, 0, 4, 6])))];
    let frame = Frame::of_input(&source, &snapshot).with_output(&output);
    let built = constructor.construct(&frame).unwrap();
    assert_eq!(column_words(&built.batch, 0), ["12", "6", "3", "2"]);
    assert_eq!(built.failures[0].site.operation, Operation::Branch);
}

#[test]
fn an_error_route_reads_states_errors_and_what_was_set() {
    let target = schema(&[
        ("s", DataType::I64, false),
        ("p", DataType::I64, true),
        ("e", DataType::String, false),
    ]);
    let state = Scope::RelayState {
        relay: "rates".into(),
    };
    let set = [
        Assignment {
            index: 0,
            expr: binary(
                BinaryOp::Add,
                column(state, 0, DataType::I64),
                input(0, DataType::I64),
            ),
        },
        Assignment {
            index: 1,
            expr: column(Scope::PartialOutput, 0, DataType::I64),
        },
        Assignment {
            index: 2,
            expr: column(Scope::Error, 0, DataType::String),
        },
    ];
    let constructor = Constructor::assignments(&set, &target).unwrap();
    let input_batch = source().slice(2, 2);
    let rates = batch(vec![Arc::new(Int64Array::from(vec![100])) as ArrayRef]);
    let partial = batch(vec![Arc::new(Int64Array::from(vec![None, Some(7)])) as ArrayRef]);
    let errors = batch(vec![Arc::new(StringArray::from(vec!["r1", "r2"])) as ArrayRef]);
    let snapshot = snapshot();
    let states = [RelayState {
        relay: "rates",
        record: &rates,
    }];
    let frame = Frame::of_input(&input_batch, &snapshot)
        .with_relay_state(&states)
        .with_error(&errors, &partial);
    let built = constructor.construct(&frame).unwrap();
    assert_eq!(column_words(&built.batch, 0), ["103", "104"]);
    assert_eq!(column_words(&built.batch, 1), ["null", "7"]);
    assert_eq!(column_words(&built.batch, 2), ["r1", "r2"]);
}

#[test]
fn what_cannot_be_built_is_refused_when_compiled() {
    let target = schema(&[("a", DataType::I64, false)]);
    assert!(
        matches!(Constructor::assignments(&[], &target), Err(CompileError::Unset { field }) if field == "a")
    );
    let past = [Assignment {
        index: 1,
        expr: int(1),
    }];
    assert!(matches!(
        Constructor::assignments(&past, &target),
        Err(CompileError::Position { index: 1 })
    ));
    assert!(Constructor::compile(&Construction::default(), &schema(&[("a", DataType::I64, true)])).is_ok());
}

#[test]
fn no_rows_and_no_fields_are_built_too() {
    let (source, snapshot) = (source().slice(0, 0), snapshot());
    let built = Constructor::compile(&Construction::default(), &schema(&[])).unwrap();
    assert_eq!(
        built
            .construct(&Frame::of_input(&source, &snapshot))
            .unwrap()
            .batch
            .num_rows(),
        0
    );
    let filter = Some(null(DataType::Bool));
    let construction = Construction {
        steps: vec![set(0, call(nspl_model::Function::UuidV4, vec![]))],
        filter,
    };
    let built = Constructor::compile(&construction, &schema(&[("id", DataType::String, false)])).unwrap();
    let built = built
        .construct(&Frame::of_input(&super::tests::source(), &snapshot))
        .unwrap();
    assert_eq!((built.batch.num_rows(), built.failures.len()), (0, 0));
}

/// 1 MiB a value.
fn wide() -> DataType {
    DataType::Array(Box::new(DataType::F64), vec![1 << 17])
}

#[test]
fn an_array_that_is_not_set_in_too_many_rows_is_refused_before_it_is_made() {
    let target = schema(&[("n", DataType::I64, true), ("wide", wide(), true)]);
    let construction = Construction {
        steps: vec![Step::Inherit { output: 0, input: 0 }],
        filter: None,
    };
    let constructor = Constructor::compile(&construction, &target).unwrap();
    let many = batch(vec![Arc::new(Int64Array::from(vec![1; 2_000])) as ArrayRef]);
    let refused = constructor.construct(&Frame::of_input(&many, &snapshot()));
    assert!(
        matches!(refused, Err(arrow::error::ArrowError::MemoryError(_))),
        "{refused:?}"
    );
    let few = batch(vec![Arc::new(Int64Array::from(vec![1; 2])) as ArrayRef]);
    let built = constructor
        .construct(&Frame::of_input(&few, &snapshot()))
        .unwrap();
    assert_eq!(built.batch.column(1).null_count(), 2);
}

#[test]
fn what_is_not_set_of_failed_rows_is_made_for_these_alone() {
    let target = schema(&[("r", DataType::I64, true), ("wide", wide(), true)]);
    let mut partial = super::Partial::new(nervix_columns::nullable_schema(&nervix_columns::arrow_schema(
        &target,
    )));
    let rows = 2_000;
    let numbers = Arc::new(Int64Array::from_iter_values(0..rows)) as ArrayRef;
    let failed = (0..rows)
        .map(|row| row == 7)
        .collect::<arrow::buffer::BooleanBuffer>();
    partial.add(&failed, &[Some(numbers), None]).unwrap();
    let kept = partial.finish(&[]).unwrap();
    assert_eq!((kept.num_rows(), column_words(&kept, 0)), (1, vec!["7".into()]));
    assert_eq!(kept.column(1).null_count(), 1);
}

#[test]
fn without_partial_output_failed_rows_take_no_memory_for_what_is_not_set_of_them() {
    let target = schema(&[("n", DataType::I64, false), ("wide", wide(), true)]);
    let construction = Construction {
        steps: vec![set(0, null(DataType::I64))],
        filter: None,
    };
    let constructor = Constructor::compile(&construction, &target).unwrap();
    assert_eq!(constructor.unset_failure().site.fields, ["wide"]);
    let source = batch(vec![Arc::new(Int64Array::from(vec![1; 600])) as ArrayRef]);
    let built = constructor.without_partial_output();
    let snapshot = snapshot();
    let built = built.construct(&Frame::of_input(&source, &snapshot)).unwrap();
    assert_eq!((built.failures.len(), built.partial_output.num_rows()), (600, 0));
}
