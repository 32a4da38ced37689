//! Literals, constants, odd shapes of frames, and single rows that fail.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use nspl_model::{BinaryOp, DataType, Function, Literal};

use super::testing::{
    batch, binary, boolean, call, cast, evaluate, failed, input, int, literal, null, one, rows, snapshot,
    text, word,
};
use crate::{CompileError, Fault, Frame, Program};

fn numbers() -> arrow::array::RecordBatch {
    batch(vec![
        Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4)])) as ArrayRef,
    ])
}

#[test]
fn a_field_is_shared_with_its_batch() {
    let batch = numbers();
    let evaluated = evaluate(&input(0, DataType::I64), &batch);
    assert_eq!(
        evaluated.array.to_data().buffers()[0].as_ptr(),
        batch.column(0).to_data().buffers()[0].as_ptr()
    );
    assert!(evaluated.errors.is_empty());
}

#[test]
fn literals_of_every_type_stand_in_every_row() {
    let list = |items| Literal::List(items);
    let table = [
        (literal(DataType::U8, Literal::U8(255)), "255"),
        (literal(DataType::I16, Literal::I16(-3)), "-3"),
        (literal(DataType::U16, Literal::U16(3)), "3"),
        (literal(DataType::U32, Literal::U32(3)), "3"),
        (literal(DataType::I32, Literal::I32(3)), "3"),
        (literal(DataType::F32, Literal::F32(0.5)), "0.5"),
        (boolean(true), "true"),
        (text("🦀"), "🦀"),
        (literal(DataType::Bytes, Literal::Bytes(vec![0xFF])), "ff"),
        (
            literal(DataType::DateTime, Literal::DateTime(-1)),
            "1969-12-31T23:59:59.999999999Z",
        ),
        (null(DataType::Array(Box::new(DataType::I64), vec![2, 2])), "null"),
        (
            literal(DataType::Vec(Box::new(DataType::Bool)), list(vec![])),
            "[]",
        ),
        (
            literal(
                DataType::Array(Box::new(DataType::I8), vec![2, 1]),
                list(vec![list(vec![Literal::I8(1)]), list(vec![Literal::I8(2)])]),
            ),
            "[[1], [2]]",
        ),
    ];
    for (expr, expected) in table {
        assert_eq!(rows(&expr, &numbers()), [expected; 4]);
    }
}

#[test]
fn a_literal_of_another_type_does_not_compile() {
    let wrong = [
        literal(DataType::I8, Literal::I64(1)),
        literal(DataType::String, Literal::List(vec![])),
        literal(
            DataType::Array(Box::new(DataType::I8), vec![2]),
            Literal::List(vec![Literal::I8(1)]),
        ),
        literal(
            DataType::Vec(Box::new(DataType::I8)),
            Literal::List(vec![Literal::I64(1)]),
        ),
    ];
    for expr in wrong {
        assert!(matches!(Program::compile(&expr), Err(CompileError::Literal)));
    }
}

#[test]
fn what_has_no_meaning_does_not_compile() {
    let wrong = [
        binary(BinaryOp::Add, text("a"), text("b")),
        binary(BinaryOp::Less, boolean(true), boolean(false)),
        binary(BinaryOp::And, int(1), int(2)),
        call(Function::Lower, vec![]),
    ];
    for expr in wrong {
        assert!(matches!(
            Program::compile(&expr),
            Err(CompileError::Unsupported { .. })
        ));
    }
    let mixed = binary(BinaryOp::Add, int(1), text("b"));
    assert!(matches!(Program::compile(&mixed), Err(CompileError::Type { .. })));
}

#[test]
fn a_failing_constant_fails_every_row_that_reaches_it() {
    let fails = binary(BinaryOp::Divide, int(1), int(0));
    assert_eq!(rows(&fails, &numbers()), vec![failed(Fault::DivisionByZero); 4]);
    assert_eq!(
        rows(&fails, &numbers().slice(0, 1)),
        [failed(Fault::DivisionByZero)]
    );
    assert!(rows(&fails, &numbers().slice(0, 0)).is_empty());
}

#[test]
fn batches_of_one_row_and_of_none_are_evaluated() {
    let sum = binary(BinaryOp::Add, input(0, DataType::I64), int(1));
    assert_eq!(rows(&sum, &numbers().slice(3, 1)), ["5"]);
    assert!(rows(&sum, &numbers().slice(4, 0)).is_empty());
    let nulls = batch(vec![Arc::new(Int64Array::from(vec![None, None])) as ArrayRef]);
    assert_eq!(rows(&sum, &nulls), ["null", "null"]);
}

#[test]
fn a_frame_of_another_shape_fails_its_rows_and_nothing_else() {
    let other = batch(vec![Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef]);
    let internal = failed(Fault::Internal);
    assert_eq!(
        rows(&input(0, DataType::I64), &other),
        [internal.clone(), internal.clone()]
    );
    assert_eq!(
        rows(&input(5, DataType::I64), &other),
        [internal.clone(), internal]
    );
}

#[test]
fn unset_output_and_missing_scopes_are_no_values() {
    let (input_batch, snapshot) = (numbers(), snapshot());
    let unset = super::testing::column(nspl_model::Scope::Output, 0, DataType::I64);
    let output = [None];
    let frame = Frame::of_input(&input_batch, &snapshot).with_output(&output);
    let evaluated = Program::compile(&unset).unwrap().evaluate(&frame);
    assert_eq!(evaluated.errors.len(), 4);
    let partial = super::testing::column(nspl_model::Scope::PartialOutput, 0, DataType::I64);
    let evaluated = Program::compile(&partial).unwrap().evaluate(&frame);
    assert_eq!(
        (evaluated.errors.len(), word(&evaluated.array, 0)),
        (0, "null".into())
    );
}

#[test]
fn a_constant_that_no_column_can_hold_often_enough_is_too_long() {
    let many = batch(vec![Arc::new(Int64Array::from(vec![0; 40_000])) as ArrayRef]);
    let evaluated = evaluate(&text(&"x".repeat(60_000)), &many);
    assert_eq!(evaluated.errors.len(), 40_000);
    assert_eq!(
        evaluated.errors.at(7).map(|error| error.fault),
        Some(Fault::TooLong)
    );
}

#[test]
fn one_row_of_a_thousand_fails_alone() {
    let values: ArrayRef = Arc::new(Int64Array::from((0..1000).map(|n| n - 500).collect::<Vec<i64>>()));
    let ratio = binary(BinaryOp::Divide, int(1000), input(0, DataType::I64));
    let evaluated = evaluate(&ratio, &batch(vec![values]));
    assert_eq!(
        evaluated.errors.iter().map(|(row, _)| row).collect::<Vec<_>>(),
        [500]
    );
    assert_eq!(word(&evaluated.array, 999), "2");
}

#[test]
fn nested_calls_before_encoding() {
    let raw = cast(cast(text("  WARN: disk "), DataType::Bytes), DataType::String);
    let lower = call(Function::Lower, vec![call(Function::Trim, vec![raw])]);
    assert_eq!(one(&call(Function::Contains, vec![lower, text("warn")])), "true");
}
