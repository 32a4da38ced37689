//! Edges of every number type.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int8Array, Int64Array, UInt8Array, UInt64Array};
use nspl_model::{BinaryOp, DataType, Literal};

use crate::Fault;
use crate::program::testing::{batch, binary, failed, input, int, literal, negate, null, one, real, rows};

const OPS: [BinaryOp; 5] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
];

#[test]
fn integers_stay_in_their_type_and_fail_past_it() {
    let overflow = failed(Fault::Overflow);
    let zero = failed(Fault::DivisionByZero);
    let table: [(i64, i64, [&str; 5]); 8] = [
        (7, 2, ["9", "5", "14", "3", "1"]),
        (-7, 2, ["-5", "-9", "-14", "-3", "-1"]),
        (7, -2, ["5", "9", "-14", "-3", "1"]),
        (
            i64::MIN,
            -1,
            [&overflow, "-9223372036854775807", &overflow, &overflow, "0"],
        ),
        (
            i64::MAX,
            1,
            [
                &overflow,
                "9223372036854775806",
                "9223372036854775807",
                "9223372036854775807",
                "0",
            ],
        ),
        (
            i64::MIN,
            0,
            ["-9223372036854775808", "-9223372036854775808", "0", &zero, &zero],
        ),
        (0, 0, ["0", "0", "0", &zero, &zero]),
        (i64::MAX, i64::MAX, [&overflow, "0", &overflow, "1", "0"]),
    ];
    for (left, right, expected) in table {
        for (op, expected) in OPS.into_iter().zip(expected) {
            assert_eq!(
                one(&binary(op, int(left), int(right))),
                expected,
                "{left} {} {right}",
                op.symbol()
            );
            // The same through columns, through one column, and through a slice with an offset.
            let column = |value: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![1, value, value, 1])) };
            let both = batch(vec![column(left), column(right)]).slice(1, 2);
            let (a, b) = (input(0, DataType::I64), input(1, DataType::I64));
            for expr in [
                binary(op, a.clone(), b.clone()),
                binary(op, a, int(right)),
                binary(op, int(left), b),
            ] {
                assert_eq!(
                    rows(&expr, &both),
                    [expected, expected],
                    "{left} {} {right}",
                    op.symbol()
                );
            }
        }
    }
}

#[test]
fn unsigned_integers_end_at_zero_and_at_their_greatest() {
    let of = |value: u64| literal(DataType::U64, Literal::U64(value));
    assert_eq!(
        one(&binary(BinaryOp::Subtract, of(0), of(1))),
        failed(Fault::Overflow)
    );
    assert_eq!(
        one(&binary(BinaryOp::Add, of(u64::MAX), of(1))),
        failed(Fault::Overflow)
    );
    assert_eq!(
        one(&binary(BinaryOp::Divide, of(u64::MAX), of(2))),
        "9223372036854775807"
    );
    let small = batch(vec![
        Arc::new(UInt8Array::from(vec![200, 100])),
        Arc::new(UInt8Array::from(vec![100, 100])),
    ]);
    let sum = binary(BinaryOp::Add, input(0, DataType::U8), input(1, DataType::U8));
    assert_eq!(rows(&sum, &small), [failed(Fault::Overflow), "200".into()]);
}

#[test]
fn floats_follow_ieee_but_not_through_zero() {
    let zero = failed(Fault::DivisionByZero);
    let table = [
        (f64::MAX, f64::MAX, ["inf", "0.0", "inf", "1.0", "0.0"]),
        (f64::NAN, 0.0, ["NaN", "NaN", "NaN", &zero, &zero]),
        (-7.5, 2.0, ["-5.5", "-9.5", "-15.0", "-3.75", "-1.5"]),
        (f64::INFINITY, f64::INFINITY, ["inf", "NaN", "inf", "NaN", "NaN"]),
        (0.0, -0.0, ["0.0", "0.0", "-0.0", &zero, &zero]),
    ];
    for (left, right, expected) in table {
        for (op, expected) in OPS.into_iter().zip(expected) {
            assert_eq!(
                one(&binary(op, real(left), real(right))),
                expected,
                "{left} {} {right}",
                op.symbol()
            );
        }
    }
}

#[test]
fn a_null_operand_gives_null_whatever_the_other_is() {
    for op in OPS {
        assert_eq!(
            one(&binary(op, null(DataType::I64), int(0))),
            "null",
            "{}",
            op.symbol()
        );
        assert_eq!(one(&binary(op, int(1), null(DataType::I64))), "null");
    }
    let values: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(6), None]));
    let halves = binary(BinaryOp::Divide, input(0, DataType::I64), int(0));
    let zero = failed(Fault::DivisionByZero);
    assert_eq!(rows(&halves, &batch(vec![values])), ["null", &zero, "null"]);
}

#[test]
fn a_failing_operand_counts_before_a_null_beside_it() {
    let fails = binary(BinaryOp::Divide, int(1), input(0, DataType::I64));
    let sum = binary(BinaryOp::Add, null(DataType::I64), fails);
    let zeros = batch(vec![Arc::new(Int64Array::from(vec![0, 1]))]);
    assert_eq!(rows(&sum, &zeros), [failed(Fault::DivisionByZero), "null".into()]);
}

#[test]
fn what_stands_beneath_a_null_cannot_fail() {
    use arrow::buffer::NullBuffer;
    let hidden = Int8Array::new(
        vec![127, 127, 1].into(),
        Some(NullBuffer::from(vec![false, true, true])),
    );
    let sum = binary(BinaryOp::Add, input(0, DataType::I8), input(0, DataType::I8));
    assert_eq!(
        rows(&sum, &batch(vec![Arc::new(hidden)])),
        ["null", &failed(Fault::Overflow), "2"]
    );
}

#[test]
fn unary_minus_fails_at_the_least_integer_only() {
    let values = batch(vec![Arc::new(Int8Array::from(vec![
        Some(-128),
        Some(127),
        None,
        Some(0),
    ]))]);
    let expected = [failed(Fault::Overflow), "-127".into(), "null".into(), "0".into()];
    assert_eq!(rows(&negate(input(0, DataType::I8)), &values), expected);
    let floats = batch(vec![Arc::new(Float64Array::from(vec![0.0, f64::INFINITY]))]);
    assert_eq!(rows(&negate(input(0, DataType::F64)), &floats), ["-0.0", "-inf"]);
}

#[test]
fn greatest_unsigned_numbers_pass_through() {
    let values = batch(vec![Arc::new(UInt64Array::from(vec![u64::MAX]))]);
    let product = binary(
        BinaryOp::Multiply,
        input(0, DataType::U64),
        literal(DataType::U64, Literal::U64(1)),
    );
    assert_eq!(rows(&product, &values), ["18446744073709551615"]);
}
