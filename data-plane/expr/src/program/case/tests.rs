//! Arms that are taken, and arms that cannot fail because they are not.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use nspl_model::{BinaryOp, DataType, Function, Literal};

use crate::Fault;
use crate::program::testing::{
    batch, binary, call, case, failed, input, int, literal, null, one, real, rows, text,
};

fn numbers(values: Vec<Option<i64>>) -> arrow::array::RecordBatch {
    batch(vec![Arc::new(Int64Array::from(values)) as ArrayRef])
}

#[test]
fn the_first_match_wins_and_a_null_condition_matches_nothing() {
    let f = || input(0, DataType::I64);
    let expr = case(
        None,
        vec![
            (binary(BinaryOp::Greater, f(), int(10)), text("large")),
            (binary(BinaryOp::Greater, f(), int(0)), text("small")),
        ],
        Some(text("other")),
    );
    let rows = rows(&expr, &numbers(vec![Some(11), Some(5), Some(-1), None]));
    assert_eq!(rows, ["large", "small", "other", "other"]);
}

#[test]
fn an_arm_that_is_not_taken_cannot_fail() {
    let f = || input(0, DataType::I64);
    let halves = binary(BinaryOp::Divide, int(10), f());
    let expr = case(
        None,
        vec![(binary(BinaryOp::NotEqual, f(), int(0)), halves)],
        Some(int(0)),
    );
    assert_eq!(
        rows(&expr, &numbers(vec![Some(5), Some(0), None])),
        ["2", "0", "0"]
    );
}

#[test]
fn a_condition_that_fails_fails_its_row_and_a_later_one_is_not_reached() {
    let f = || input(0, DataType::I64);
    let fails = || binary(BinaryOp::Greater, binary(BinaryOp::Divide, int(1), f()), int(5));
    let late = case(
        None,
        vec![(binary(BinaryOp::Equal, f(), int(0)), int(1)), (fails(), int(2))],
        Some(int(3)),
    );
    assert_eq!(rows(&late, &numbers(vec![Some(0), Some(1)])), ["1", "3"]);
    let early = case(None, vec![(fails(), int(1))], Some(int(3)));
    assert_eq!(
        rows(&early, &numbers(vec![Some(0), Some(1)])),
        [failed(Fault::DivisionByZero), "3".into()]
    );
}

#[test]
fn without_else_there_is_a_typed_null() {
    let expr = case(
        None,
        vec![(
            binary(BinaryOp::Equal, input(0, DataType::I64), int(1)),
            text("one"),
        )],
        None,
    );
    assert_eq!(rows(&expr, &numbers(vec![Some(1), Some(2)])), ["one", "null"]);
}

#[test]
fn a_simple_case_compares_as_the_operator_does() {
    let values = batch(vec![Arc::new(Float64Array::from(vec![
        Some(f64::NAN),
        Some(-0.0),
        None,
        Some(2.0),
    ]))]);
    let expr = case(
        Some(input(0, DataType::F64)),
        vec![
            (real(f64::NAN), text("nan")),
            (real(0.0), text("zero")),
            (null(DataType::F64), text("null")),
        ],
        Some(text("other")),
    );
    assert_eq!(rows(&expr, &values), ["nan", "zero", "other", "other"]);
}

#[test]
fn many_arms_give_each_row_its_own() {
    let arms = (0..5).map(|n| (int(n), input(1, DataType::String))).collect();
    let expr = case(Some(input(0, DataType::I64)), arms, Some(text("else")));
    let values = batch(vec![
        Arc::new(Int64Array::from(vec![3, 9, 0, 4])) as ArrayRef,
        Arc::new(StringArray::from(vec![Some("a"), Some("b"), None, Some("🦀")])),
    ]);
    assert_eq!(rows(&expr, &values), ["a", "else", "null", "🦀"]);
    assert_eq!(rows(&expr, &values.slice(3, 1)), ["🦀"]);
    assert!(rows(&expr, &values.slice(0, 0)).is_empty());
}

#[test]
fn lists_can_be_chosen() {
    let of = |items: Vec<i64>| {
        let items = items.into_iter().map(Literal::I64).collect();
        literal(DataType::Vec(Box::new(DataType::I64)), Literal::List(items))
    };
    let expr = case(
        None,
        vec![(
            binary(BinaryOp::Equal, input(0, DataType::I64), int(1)),
            of(vec![1, 2]),
        )],
        Some(of(vec![])),
    );
    assert_eq!(rows(&expr, &numbers(vec![Some(1), Some(2)])), ["[1, 2]", "[]"]);
}

#[test]
fn coalesce_does_not_look_past_the_first_value() {
    let f = || input(0, DataType::I64);
    let late = call(
        Function::Coalesce,
        vec![f(), binary(BinaryOp::Divide, int(1), int(0))],
    );
    assert_eq!(
        rows(&late, &numbers(vec![Some(1), None])),
        ["1".into(), failed(Fault::DivisionByZero)]
    );
    let early = call(
        Function::Coalesce,
        vec![binary(BinaryOp::Divide, int(1), f()), int(7)],
    );
    assert_eq!(
        rows(&early, &numbers(vec![Some(0), Some(1), None])),
        [failed(Fault::DivisionByZero), "1".into(), "7".into()]
    );
    let all = call(Function::Coalesce, vec![f(), input(0, DataType::I64)]);
    assert_eq!(rows(&all, &numbers(vec![None, Some(2)])), ["null", "2"]);
    assert_eq!(
        one(&call(
            Function::Coalesce,
            vec![
                null(DataType::I64),
                int(1),
                binary(BinaryOp::Divide, int(1), int(0))
            ]
        )),
        "1"
    );
}
