//! Exactness, ranges and text forms.

use std::sync::Arc;

use arrow::array::{BinaryArray, Float64Array, Int64Array, StringArray};
use nspl_model::{CastError, DataType, Literal};

use crate::program::testing::{
    batch, binary, cast, failed, input, int, literal, null, one, real, rows, text, try_cast,
};
use crate::{CompileError, Fault, Program};

fn unsigned(value: u64) -> nspl_model::Expr {
    literal(DataType::U64, Literal::U64(value))
}

fn narrow(value: f32) -> nspl_model::Expr {
    literal(DataType::F32, Literal::F32(value))
}

#[test]
fn integers_convert_within_range() {
    let out = failed(Fault::OutOfRange);
    let table = [
        (int(127), DataType::I8, "127"),
        (int(128), DataType::I8, out.as_str()),
        (int(-1), DataType::U64, &out),
        (int(i64::MAX), DataType::U64, "9223372036854775807"),
        (unsigned(u64::MAX), DataType::I64, &out),
        (unsigned(255), DataType::U8, "255"),
    ];
    for (operand, to, expected) in table {
        assert_eq!(one(&cast(operand.clone(), to.clone())), expected);
        let tried = one(&try_cast(operand, to));
        assert_eq!(tried, if expected == out { "null" } else { expected });
    }
    let values = batch(vec![Arc::new(Int64Array::from(vec![
        Some(1),
        Some(300),
        None,
        Some(-1),
    ]))])
    .slice(1, 3);
    assert_eq!(
        rows(&cast(input(0, DataType::I64), DataType::U8), &values),
        [&out, "null", &out]
    );
    assert_eq!(
        rows(&try_cast(input(0, DataType::I64), DataType::U8), &values),
        ["null", "null", "null"]
    );
}

#[test]
fn integers_become_floats_only_when_exact() {
    let out = failed(Fault::OutOfRange);
    assert_eq!(one(&cast(int(1 << 53), DataType::F64)), "9007199254740992.0");
    assert_eq!(one(&cast(int((1 << 53) + 1), DataType::F64)), out);
    assert_eq!(one(&cast(int(1 << 24), DataType::F32)), "16777216.0");
    assert_eq!(one(&cast(int((1 << 24) + 1), DataType::F32)), out);
    assert_eq!(one(&cast(int(i64::MIN), DataType::F64)), "-9.223372036854776e18");
    assert_eq!(one(&cast(unsigned(u64::MAX), DataType::F64)), out);
    assert_eq!(one(&cast(int(i64::MAX), DataType::F64)), out);
}

#[test]
fn floats_become_integers_only_when_whole_and_in_range() {
    let out = failed(Fault::OutOfRange);
    let table = [
        (2.0, DataType::I8, "2"),
        (2.5, DataType::I8, out.as_str()),
        (-0.0, DataType::U8, "0"),
        (f64::NAN, DataType::I64, &out),
        (f64::INFINITY, DataType::I64, &out),
        (9_223_372_036_854_775_808.0, DataType::I64, &out),
        (
            -9_223_372_036_854_775_808.0,
            DataType::I64,
            "-9223372036854775808",
        ),
        (9_223_372_036_854_775_808.0, DataType::U64, "9223372036854775808"),
        (1e300, DataType::U64, &out),
    ];
    for (value, to, expected) in table {
        assert_eq!(one(&cast(real(value), to.clone())), expected, "{value} AS {to}");
    }
}

#[test]
fn floats_convert_between_their_widths() {
    assert_eq!(
        one(&cast(cast(narrow(0.1), DataType::F64), DataType::String)),
        "0.10000000149011612"
    );
    assert_eq!(
        one(&cast(cast(real(0.1), DataType::F32), DataType::String)),
        "0.1"
    );
    assert_eq!(one(&cast(real(1e39), DataType::F32)), failed(Fault::OutOfRange));
    assert_eq!(one(&cast(real(f64::INFINITY), DataType::F32)), "inf");
    assert_eq!(one(&cast(real(1e-60), DataType::F32)), "0.0");
}

#[test]
fn floats_are_written_in_the_fewest_digits() {
    let table = [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (1e21, "1e21"),
        (999_999_999_999_999_900_000.0, "999999999999999900000.0"),
        (1.5e-7, "1.5e-7"),
        (0.000_001, "0.000001"),
        (-2.5e300, "-2.5e300"),
        (5e-324, "5e-324"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::INFINITY, "inf"),
    ];
    for (value, expected) in table {
        assert_eq!(one(&cast(real(value), DataType::String)), expected);
        let back = one(&cast(
            cast(cast(real(value), DataType::String), DataType::F64),
            DataType::String,
        ));
        assert_eq!(back, expected);
    }
    assert_eq!(one(&cast(narrow(16_777_216.0), DataType::String)), "16777216.0");
    assert_eq!(one(&cast(narrow(1e21), DataType::String)), "1e21");
}

#[test]
fn numbers_are_read_without_blanks_or_plus() {
    let bad = failed(Fault::Unreadable);
    let out = failed(Fault::OutOfRange);
    let integers = [
        ("12", "12"),
        ("-0", "0"),
        ("007", "7"),
        ("-128", "-128"),
        ("128", &out),
        ("99999999999999999999999999999999999999999999", &out),
        ("", &bad),
        ("-", &bad),
        ("+1", &bad),
        (" 1", &bad),
        ("1.0", &bad),
        ("1e2", &bad),
        ("٣", &bad),
    ];
    for (given, expected) in integers {
        assert_eq!(one(&cast(text(given), DataType::I8)), expected, "{given:?}");
    }
    let floats = [
        ("1", "1.0"),
        ("-1.50E+2", "-150.0"),
        ("1e400", &out),
        ("1e-400", "0.0"),
        ("-1e-400", "-0.0"),
        ("NAN", "NaN"),
        ("Infinity", "inf"),
        ("-INF", "-inf"),
        ("-nan", &bad),
        ("+1", &bad),
        ("1.", &bad),
        (".5", &bad),
        ("1e", &bad),
        ("0x10", &bad),
        ("1_000", &bad),
        ("1 ", &bad),
    ];
    for (given, expected) in floats {
        assert_eq!(one(&cast(text(given), DataType::F64)), expected, "{given:?}");
    }
    assert_eq!(one(&cast(text("1e39"), DataType::F32)), out);
    assert_eq!(one(&try_cast(text("x"), DataType::F32)), "null");
    assert_eq!(
        one(&cast(text("18446744073709551615"), DataType::U64)),
        "18446744073709551615"
    );
}

#[test]
fn truth_is_written_and_read_in_lower_case_only() {
    assert_eq!(one(&cast(text("true"), DataType::Bool)), "true");
    assert_eq!(
        one(&cast(text("True"), DataType::Bool)),
        failed(Fault::Unreadable)
    );
    assert_eq!(
        one(&cast(cast(text("false"), DataType::Bool), DataType::String)),
        "false"
    );
}

#[test]
fn bytes_and_text_convert_through_utf8() {
    let bytes = BinaryArray::from(vec![
        Some(b"\xF0\x9F\xA6\x80".as_slice()),
        Some(b"\xFF"),
        None,
        Some(b""),
    ]);
    let values = batch(vec![Arc::new(bytes)]);
    let expected = ["🦀", &failed(Fault::NotUtf8), "null", ""];
    assert_eq!(
        rows(&cast(input(0, DataType::Bytes), DataType::String), &values),
        expected
    );
    let back = cast(
        cast(input(0, DataType::String), DataType::Bytes),
        DataType::String,
    );
    let texts = batch(vec![Arc::new(StringArray::from(vec![
        Some("a"),
        None,
        Some("🦀"),
    ]))])
    .slice(1, 2);
    assert_eq!(rows(&back, &texts), ["null", "🦀"]);
}

#[test]
fn trying_excuses_the_conversion_but_not_its_operand() {
    let fails = binary(nspl_model::BinaryOp::Divide, int(1), input(0, DataType::I64));
    let zeros = batch(vec![Arc::new(Int64Array::from(vec![0, 1]))]);
    assert_eq!(
        rows(&try_cast(fails, DataType::I8), &zeros),
        [failed(Fault::DivisionByZero), "1".into()]
    );
}

#[test]
fn a_null_converts_to_null_and_a_type_to_itself() {
    assert_eq!(one(&cast(null(DataType::String), DataType::I64)), "null");
    assert_eq!(one(&cast(int(5), DataType::I64)), "5");
    let floats = batch(vec![Arc::new(Float64Array::from(vec![None, Some(f64::NAN)]))]);
    assert_eq!(
        rows(&cast(input(0, DataType::F64), DataType::F64), &floats),
        ["null", "NaN"]
    );
}

#[test]
fn other_conversions_do_not_exist() {
    for (from, to) in [
        (DataType::Bool, DataType::I64),
        (DataType::DateTime, DataType::I64),
        (DataType::Bytes, DataType::I64),
        (DataType::Vec(Box::new(DataType::I64)), DataType::String),
    ] {
        let refused = Program::compile(&cast(input(0, from), to));
        assert!(matches!(
            refused,
            Err(CompileError::Unsupported { operation: "AS" })
        ));
    }
    assert_eq!(CastError::Fail, CastError::Fail);
}
