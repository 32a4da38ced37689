//! The whole table of three values and an error.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array};
use nspl_model::{BinaryOp, DataType, Expr};

use crate::Fault;
use crate::program::testing::{batch, binary, boolean, failed, input, int, not, null, one, rows};

/// TRUE, FALSE, NULL and a failing BOOL, all constant.
fn values() -> [(&'static str, Expr); 4] {
    let fails = binary(BinaryOp::Equal, binary(BinaryOp::Divide, int(1), int(0)), int(1));
    [
        ("T", boolean(true)),
        ("F", boolean(false)),
        ("N", null(DataType::Bool)),
        ("E", fails),
    ]
}

fn expected(op: BinaryOp, left: &str, right: &str) -> String {
    let decisive = if op == BinaryOp::And { "F" } else { "T" };
    let neutral = if op == BinaryOp::And { "T" } else { "F" };
    let sides = [left, right];
    if sides.contains(&decisive) {
        (op == BinaryOp::Or).to_string()
    } else if sides.contains(&"E") {
        failed(Fault::DivisionByZero)
    } else if sides.contains(&"N") {
        "null".into()
    } else {
        assert_eq!(sides, [neutral, neutral]);
        (op == BinaryOp::And).to_string()
    }
}

#[test]
fn the_whole_table_of_three_values_and_an_error() {
    for op in [BinaryOp::And, BinaryOp::Or] {
        for (left, a) in values() {
            for (right, b) in values() {
                let expr = binary(op, a.clone(), b.clone());
                assert_eq!(
                    one(&expr),
                    expected(op, left, right),
                    "{left} {} {right}",
                    op.symbol()
                );
            }
        }
    }
}

#[test]
fn the_same_table_through_columns() {
    // A row for each pair; the error comes from a division by the second column.
    let mut truths: [Vec<Option<bool>>; 2] = [Vec::new(), Vec::new()];
    let mut divisors: [Vec<i64>; 2] = [Vec::new(), Vec::new()];
    let names: Vec<(&str, &str)> = "TFNE"
        .split("")
        .flat_map(|a| "TFNE".split("").map(move |b| (a, b)))
        .filter(|(a, b)| !a.is_empty() && !b.is_empty())
        .collect();
    for (left, right) in &names {
        for (side, name) in [left, right].into_iter().enumerate() {
            truths[side].push(match *name {
                "T" => Some(true),
                "F" => Some(false),
                _ => None,
            });
            divisors[side].push(i64::from(*name != "E"));
        }
    }
    let [a, b] = truths.map(|values| -> ArrayRef { Arc::new(BooleanArray::from(values)) });
    let [c, d] = divisors.map(|values| -> ArrayRef { Arc::new(Int64Array::from(values)) });
    let input_batch = batch(vec![a, b, c, d]);
    // `truth OR (1 / divisor = 2)` has the value of `truth`, or fails where the divisor is 0 and the truth null.
    let side = |index: usize| {
        let divides = binary(BinaryOp::Divide, int(1), input(index + 2, DataType::I64));
        let fails = binary(BinaryOp::Equal, divides, int(2));
        binary(
            BinaryOp::Or,
            input(index, DataType::Bool),
            binary(BinaryOp::And, fails, null(DataType::Bool)),
        )
    };
    for op in [BinaryOp::And, BinaryOp::Or] {
        let found = rows(&binary(op, side(0), side(1)), &input_batch);
        for ((left, right), found) in names.iter().zip(found) {
            // FALSE OR FALSE AND NULL is FALSE, NULL OR FALSE is NULL: the side keeps its name.
            assert_eq!(found, expected(op, left, right), "{left} {} {right}", op.symbol());
        }
    }
}

#[test]
fn a_guard_on_the_left_or_on_the_right_excuses_a_division() {
    let numbers = batch(vec![Arc::new(Int64Array::from(vec![
        Some(0),
        Some(1),
        Some(5),
        None,
    ]))]);
    let b = || input(0, DataType::I64);
    let guard = || binary(BinaryOp::NotEqual, b(), int(0));
    let divides = || binary(BinaryOp::Greater, binary(BinaryOp::Divide, int(4), b()), int(2));
    let expected = ["false", "true", "false", "null"];
    assert_eq!(
        rows(&binary(BinaryOp::And, guard(), divides()), &numbers),
        expected
    );
    assert_eq!(
        rows(&binary(BinaryOp::And, divides(), guard()), &numbers),
        expected
    );
}

#[test]
fn not_keeps_null_and_error() {
    assert_eq!(one(&not(boolean(true))), "false");
    assert_eq!(one(&not(null(DataType::Bool))), "null");
    let [.., (_, fails)] = values();
    assert_eq!(one(&not(fails)), failed(Fault::DivisionByZero));
}
