//! The values at which engines stumble, from the text of an expression to its column: a table for each, its results written by
//! hand from the rulings.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/dice.rs"]
#[allow(dead_code, reason = "nothing here is random")]
mod dice;
#[path = "constants/literals.rs"]
#[allow(dead_code, reason = "only columns are read")]
mod literals;
#[path = "extremes/nulls.rs"]
mod nulls;
#[path = "extremes/table.rs"]
mod table;
#[path = "reference/values.rs"]
#[allow(dead_code, reason = "the values stand in the tables")]
mod values;

use nspl_model::{DataType, Literal};

use table::hold;

fn texts(values: &[&str]) -> Vec<Literal> {
    values
        .iter()
        .map(|text| Literal::String((*text).to_owned()))
        .collect()
}

#[test]
fn nan_infinities_and_negative_zero() {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0].map(Literal::F64);
    hold(
        ("F64", &DataType::F64),
        &values,
        &[
            ("v = v", "BOOL", &["true", "true", "true", "true"]),
            ("v > 1e308", "BOOL", &["true", "true", "false", "false"]),
            ("v = 0.0", "BOOL", &["false", "false", "false", "true"]),
            ("v < 0.0", "BOOL", &["false", "false", "true", "false"]),
            ("v + 1.0", "F64", &["NaN F64", "inf F64", "-inf F64", "1.0 F64"]),
            ("v - v", "F64", &["NaN F64", "NaN F64", "NaN F64", "0.0 F64"]),
            (
                "1.0 / v",
                "F64",
                &["NaN F64", "0.0 F64", "-0.0 F64", "<DivisionByZero>"],
            ),
            ("-v", "F64", &["NaN F64", "-inf F64", "inf F64", "0.0 F64"]),
            (
                "v AS STRING",
                "STRING",
                &["\"NaN\"", "\"inf\"", "\"-inf\"", "\"-0.0\""],
            ),
            (
                "v AS I64",
                "I64",
                &["<OutOfRange>", "<OutOfRange>", "<OutOfRange>", "I64(..) 0"],
            ),
            ("v AS F32", "F32", &["NaN F32", "inf F32", "-inf F32", "-0.0 F32"]),
            ("sqrt(v)", "F64", &["NaN F64", "inf F64", "<Domain>", "-0.0 F64"]),
            ("ln(v)", "F64", &["NaN F64", "inf F64", "<Domain>", "<Domain>"]),
            ("exp(v)", "F64", &["NaN F64", "inf F64", "0.0 F64", "1.0 F64"]),
            ("round(v)", "F64", &["NaN F64", "inf F64", "-inf F64", "-0.0 F64"]),
            (
                "nullif(v, 0.0)",
                "F64",
                &["NaN F64", "inf F64", "-inf F64", "null"],
            ),
            ("pow(v, 0)", "F64", &["1.0 F64", "1.0 F64", "1.0 F64", "1.0 F64"]),
            (
                "CASE v WHEN 0.0 THEN 'zero' ELSE 'other' END",
                "STRING",
                &["\"other\"", "\"other\"", "\"other\"", "\"zero\""],
            ),
        ],
    );
}

#[test]
fn the_least_integer_and_minus_one() {
    let values = [i64::MIN, i64::MAX, -1].map(Literal::I64);
    hold(
        ("I64", &DataType::I64),
        &values,
        &[
            (
                "v / -1",
                "I64",
                &["<Overflow>", "I64(..) -9223372036854775807", "I64(..) 1"],
            ),
            ("v % -1", "I64", &["I64(..) 0", "I64(..) 0", "I64(..) 0"]),
            (
                "v * -1",
                "I64",
                &["<Overflow>", "I64(..) -9223372036854775807", "I64(..) 1"],
            ),
            (
                "-v",
                "I64",
                &["<Overflow>", "I64(..) -9223372036854775807", "I64(..) 1"],
            ),
            (
                "abs(v)",
                "I64",
                &["<Overflow>", "I64(..) 9223372036854775807", "I64(..) 1"],
            ),
            (
                "v - 1",
                "I64",
                &["<Overflow>", "I64(..) 9223372036854775806", "I64(..) -2"],
            ),
            (
                "v + 1",
                "I64",
                &["I64(..) -9223372036854775807", "<Overflow>", "I64(..) 0"],
            ),
            (
                "v AS F64",
                "F64",
                &["-9.223372036854776e18 F64", "<OutOfRange>", "-1.0 F64"],
            ),
            (
                "v AS U64",
                "U64",
                &["<OutOfRange>", "U64(..) 9223372036854775807", "<OutOfRange>"],
            ),
            (
                "to_hex(v)",
                "STRING",
                &[
                    "\"8000000000000000\"",
                    "\"7fffffffffffffff\"",
                    "\"ffffffffffffffff\"",
                ],
            ),
            (
                "v AS STRING",
                "STRING",
                &["\"-9223372036854775808\"", "\"9223372036854775807\"", "\"-1\""],
            ),
        ],
    );
}

#[test]
fn the_greatest_unsigned_integer() {
    let values = [Literal::U64(u64::MAX), Literal::U64(0)];
    hold(
        ("U64", &DataType::U64),
        &values,
        &[
            ("v + 1", "U64", &["<Overflow>", "U64(..) 1"]),
            ("v - 1", "U64", &["U64(..) 18446744073709551614", "<Overflow>"]),
            ("v = 18446744073709551615", "BOOL", &["true", "false"]),
            ("v AS STRING", "STRING", &["\"18446744073709551615\"", "\"0\""]),
            (
                "(v AS STRING) AS U64",
                "U64",
                &["U64(..) 18446744073709551615", "U64(..) 0"],
            ),
            ("v AS I64", "I64", &["<OutOfRange>", "I64(..) 0"]),
            ("v AS F64", "F64", &["<OutOfRange>", "0.0 F64"]),
            ("to_hex(v)", "STRING", &["\"ffffffffffffffff\"", "\"0\""]),
            ("10 % v", "U64", &["U64(..) 10", "<DivisionByZero>"]),
        ],
    );
}

#[test]
fn empty_texts() {
    hold(
        ("STRING", &DataType::String),
        &texts(&["", "a"]),
        &[
            ("length(v)", "I64", &["I64(..) 0", "I64(..) 1"]),
            ("bit_length(v)", "I64", &["I64(..) 0", "I64(..) 8"]),
            ("ascii(v)", "I64", &["I64(..) 0", "I64(..) 97"]),
            ("left(v, 3)", "STRING", &["\"\"", "\"a\""]),
            ("right(v, 0)", "STRING", &["\"\"", "\"\""]),
            ("substr(v, 1)", "STRING", &["\"\"", "\"a\""]),
            ("reverse(v)", "STRING", &["\"\"", "\"a\""]),
            ("trim(v, '')", "STRING", &["\"\"", "\"a\""]),
            ("lpad('x', 3, v)", "STRING", &["\"x\"", "\"aax\""]),
            ("replace('abc', v, 'z')", "STRING", &["\"abc\"", "\"zbc\""]),
            ("replace('abc', 'b', v)", "STRING", &["\"ac\"", "\"aac\""]),
            ("split_part('a', v, 1)", "STRING", &["\"a\"", "\"\""]),
            ("strpos('abc', v)", "I64", &["I64(..) 1", "I64(..) 1"]),
            ("contains('abc', v)", "BOOL", &["true", "true"]),
            ("regexp_like(v, '^$')", "BOOL", &["true", "false"]),
            ("regexp_replace(v, 'x*', '-')", "STRING", &["\"-\"", "\"-a-\""]),
            ("concat(v, v)", "STRING", &["\"\"", "\"aa\""]),
            ("repeat(v, 2)", "STRING", &["\"\"", "\"aa\""]),
            ("v AS BYTES", "BYTES", &["[] BYTES", "[97] BYTES"]),
            ("v AS I64", "I64", &["<Unreadable>", "<Unreadable>"]),
            ("v < 'a'", "BOOL", &["true", "false"]),
        ],
    );
}

#[test]
fn characters_of_four_bytes_and_combining_ones_in_length_left_and_reverse() {
    // A crab; an e with an acute accent behind it; both around a euro sign.
    hold(
        ("STRING", &DataType::String),
        &texts(&["🦀", "e\u{301}", "🦀€e\u{301}"]),
        &[
            ("length(v)", "I64", &["I64(..) 1", "I64(..) 2", "I64(..) 4"]),
            (
                "bit_length(v)",
                "I64",
                &["I64(..) 32", "I64(..) 24", "I64(..) 80"],
            ),
            (
                "ascii(v)",
                "I64",
                &["I64(..) 129408", "I64(..) 101", "I64(..) 129408"],
            ),
            ("left(v, 1)", "STRING", &["\"🦀\"", "\"e\"", "\"🦀\""]),
            ("left(v, 3)", "STRING", &["\"🦀\"", "\"e\\u{301}\"", "\"🦀€e\""]),
            (
                "right(v, 2)",
                "STRING",
                &["\"🦀\"", "\"e\\u{301}\"", "\"e\\u{301}\""],
            ),
            (
                "reverse(v)",
                "STRING",
                &["\"🦀\"", "\"\\u{301}e\"", "\"\\u{301}e€🦀\""],
            ),
            ("substr(v, 2, 2)", "STRING", &["\"\"", "\"\\u{301}\"", "\"€e\""]),
            ("strpos(v, 'e')", "I64", &["I64(..) 0", "I64(..) 1", "I64(..) 3"]),
            (
                "lpad(v, 4, '🦀')",
                "STRING",
                &["\"🦀🦀🦀🦀\"", "\"🦀🦀e\\u{301}\"", "\"🦀€e\\u{301}\""],
            ),
            (
                "upper(v)",
                "STRING",
                &["\"🦀\"", "\"E\\u{301}\"", "\"🦀€E\\u{301}\""],
            ),
            ("regexp_like(v, '^.$')", "BOOL", &["true", "false", "false"]),
        ],
    );
}

#[test]
fn instants_before_1970() {
    let values = [-1, -500_000_000, i64::MIN].map(Literal::DateTime);
    hold(
        ("DATETIME", &DataType::DateTime),
        &values,
        &[
            (
                "v AS STRING",
                "STRING",
                &[
                    "\"1969-12-31T23:59:59.999999999Z\"",
                    "\"1969-12-31T23:59:59.500Z\"",
                    "\"1677-09-21T00:12:43.145224192Z\"",
                ],
            ),
            (
                "(v AS STRING) AS DATETIME",
                "DATETIME",
                &["-1 ns", "-500000000 ns", "-9223372036854775808 ns"],
            ),
            (
                "v < '1970-01-01T00:00:00Z' AS DATETIME",
                "BOOL",
                &["true", "true", "true"],
            ),
            (
                "coalesce(v, now())",
                "DATETIME",
                &["-1 ns", "-500000000 ns", "-9223372036854775808 ns"],
            ),
        ],
    );
}

#[test]
fn texts_of_instants_after_2262_and_before_1677() {
    hold(
        ("STRING", &DataType::String),
        &texts(&[
            "2262-04-11T23:47:16.854775807Z",
            "2262-04-11T23:47:16.854775808Z",
            "9999-12-31T23:59:59Z",
            "1677-09-21T00:12:43.145224191Z",
            "1969-12-31T23:59:59Z",
        ]),
        &[
            (
                "v AS DATETIME",
                "DATETIME",
                &[
                    "9223372036854775807 ns",
                    "<OutOfRange>",
                    "<OutOfRange>",
                    "<OutOfRange>",
                    "-1000000000 ns",
                ],
            ),
            (
                "TRY_CAST(v AS DATETIME)",
                "DATETIME",
                &["9223372036854775807 ns", "null", "null", "null", "-1000000000 ns"],
            ),
            (
                "JSON_VALUE(concat('\"', v, '\"'), '$' AS DATETIME)",
                "DATETIME",
                &[
                    "9223372036854775807 ns",
                    "<OutOfRange>",
                    "<OutOfRange>",
                    "<OutOfRange>",
                    "-1000000000 ns",
                ],
            ),
        ],
    );
}
