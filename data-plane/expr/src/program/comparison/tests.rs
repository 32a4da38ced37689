//! NaN, zeros, bytes and nulls under the six operators.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, Float32Array, Float64Array, StringArray};
use nspl_model::{BinaryOp, DataType};

use crate::program::testing::{batch, binary, boolean, input, int, null, one, real, rows, text};

const OPS: [BinaryOp; 6] = [
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessOrEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterOrEqual,
];

/// What the six operators say of a pair that compares so.
fn said(order: std::cmp::Ordering) -> [&'static str; 6] {
    match order {
        std::cmp::Ordering::Less => ["false", "true", "true", "true", "false", "false"],
        std::cmp::Ordering::Equal => ["true", "false", "false", "true", "false", "true"],
        std::cmp::Ordering::Greater => ["false", "true", "false", "false", "true", "true"],
    }
}

#[test]
fn nan_equals_itself_and_is_greatest_and_zeros_are_equal() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let table = [
        (f64::NAN, f64::NAN, Equal),
        (f64::NAN, -f64::NAN, Equal),
        (f64::NAN, f64::INFINITY, Greater),
        (f64::NEG_INFINITY, f64::NAN, Less),
        (-0.0, 0.0, Equal),
        (1.0, 2.0, Less),
        (f64::INFINITY, f64::INFINITY, Equal),
    ];
    for (left, right, order) in table {
        let wide = batch(vec![
            Arc::new(Float64Array::from(vec![9.0, left, left])) as ArrayRef,
            Arc::new(Float64Array::from(vec![9.0, right, right])),
            Arc::new(Float32Array::from(vec![9.0, left as f32, left as f32])),
            Arc::new(Float32Array::from(vec![9.0, right as f32, right as f32])),
        ])
        .slice(1, 2);
        for (op, expected) in OPS.into_iter().zip(said(order)) {
            let of = |index| input(index, DataType::F64);
            let name = format!("{left} {} {right}", op.symbol());
            assert_eq!(one(&binary(op, real(left), real(right))), expected, "{name}");
            assert_eq!(rows(&binary(op, of(0), of(1)), &wide), [expected; 2], "{name}");
            assert_eq!(
                rows(&binary(op, of(0), real(right)), &wide),
                [expected; 2],
                "{name}"
            );
            assert_eq!(
                rows(&binary(op, real(left), of(1)), &wide),
                [expected; 2],
                "{name}"
            );
            let narrow = binary(op, input(2, DataType::F32), input(3, DataType::F32));
            assert_eq!(rows(&narrow, &wide), [expected; 2], "{name}");
        }
    }
}

#[test]
fn text_and_bytes_order_by_their_bytes() {
    assert_eq!(one(&binary(BinaryOp::Less, text("Z"), text("a"))), "true");
    assert_eq!(one(&binary(BinaryOp::Less, text("a"), text("ab"))), "true");
    assert_eq!(
        one(&binary(BinaryOp::Greater, text("🦀"), text("\u{FFFD}"))),
        "true"
    );
    let bytes = batch(vec![Arc::new(BinaryArray::from(vec![b"\xFF".as_slice(), b""]))]);
    let same = binary(
        BinaryOp::Equal,
        input(0, DataType::Bytes),
        input(0, DataType::Bytes),
    );
    assert_eq!(rows(&same, &bytes), ["true", "true"]);
}

#[test]
fn a_null_compares_as_null() {
    for op in OPS {
        assert_eq!(one(&binary(op, null(DataType::I64), int(1))), "null");
        assert_eq!(one(&binary(op, null(DataType::F64), real(1.0))), "null");
    }
    let texts = batch(vec![Arc::new(StringArray::from(vec![Some("a"), None]))]);
    let same = binary(BinaryOp::Equal, input(0, DataType::String), text("a"));
    assert_eq!(rows(&same, &texts), ["true", "null"]);
}

#[test]
fn truth_values_are_equal_or_not() {
    assert_eq!(
        one(&binary(BinaryOp::Equal, boolean(true), boolean(true))),
        "true"
    );
    assert_eq!(
        one(&binary(BinaryOp::NotEqual, boolean(true), boolean(false))),
        "true"
    );
}
