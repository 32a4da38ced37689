//! The values at which engines stumble, from the text of an expression to its column: a table for each, its results written by
//! hand from the rulings.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "reference/dice.rs"]
#[allow(dead_code, reason = "nothing here is random")]
mod dice;
#[path = "constants/literals.rs"]
#[allow(dead_code, reason = "only columns are read")]
mod literals;
#[path = "reference/values.rs"]
#[allow(dead_code, reason = "the values stand in the tables")]
mod values;

use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Frame, Program};
use nspl::model::{Definition, EntityKey, EntityKind, Step};
use nspl::{Catalog, check};
use nspl_model::{DataType, Expr, Function, Literal};

use literals::{answer, shown};

/// The expression `text`, of type `to`, over a field `v` of type `of`.
fn expression(of: &str, text: &str, to: &str) -> Expr {
    let script = format!(
        "CREATE UNPACED DOMAIN d; USE d; BEGIN;
         CREATE SCHEMA source (v {of} OPTIONAL);
         CREATE SCHEMA target (c {to} OPTIONAL);
         CREATE RELAY r SCHEMA source UNBRANCHED;
         CREATE EMITTER e FROM r TO CLIENT SCHEMA target
           MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 1s MAX 30s SET c = {text}
           BATCH MAX MESSAGES 10 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         COMMIT;"
    );
    let report = check("extremes.nspl", &script, None, &Catalog::default());
    let said: Vec<&str> = report
        .diagnostics
        .iter()
        .map(|found| found.message.as_str())
        .collect();
    assert!(!report.is_refused(), "{text}: {said:?}");
    let key = EntityKey::new(EntityKind::Emitter, "e");
    let entity = report.plan.catalog.get("d", &key).unwrap();
    let Definition::Emitter(emitter) = &entity.definition else {
        panic!("e is an emitter");
    };
    match emitter.construction.steps.as_slice() {
        [Step::Set(assignment)] => assignment.expr.clone(),
        _ => panic!("one SET was written"),
    }
}

/// A slice of a batch in which `beside` stands before and behind the values.
fn batch(of: &DataType, values: &[Literal], beside: &Literal) -> RecordBatch {
    let mut all = vec![beside.clone()];
    all.extend_from_slice(values);
    all.push(beside.clone());
    let column = values::column(of, &all);
    let field = ArrowField::new("v", column.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(vec![field])), vec![column]).unwrap();
    batch.slice(1, values.len())
}

fn results(expr: &Expr, batch: &RecordBatch) -> Vec<String> {
    let snapshot = Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    };
    let evaluated = Program::compile(expr)
        .unwrap()
        .evaluate(&Frame::of_input(batch, &snapshot));
    let row = |row: usize| match evaluated.errors.at(u32::try_from(row).unwrap()) {
        Some(error) => format!("<{:?}>", error.fault),
        None => shown(&answer(&evaluated.array, &expr.data_type, row)),
    };
    (0..batch.num_rows()).map(row).collect()
}

/// An expression, its type, and what it gives of each value.
type Line = (&'static str, &'static str, &'static [&'static str]);

/// Holds a table: over all values at once, and over each in a batch of one row.
fn hold(of: (&str, &DataType), values: &[Literal], table: &[Line]) {
    let mut wrong = Vec::new();
    for (text, to, wanted) in table {
        let expr = expression(of.0, text, to);
        let found = results(&expr, &batch(of.1, values, &values[0]));
        let alone: Vec<String> = values
            .iter()
            .flat_map(|value| results(&expr, &batch(of.1, std::slice::from_ref(value), &values[0])))
            .collect();
        if found != *wanted || alone != *wanted {
            wrong.push(format!(
                "{text} gives {found:?}, alone {alone:?}, wanted {wanted:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

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

#[test]
fn nulls_everywhere_are_null_and_no_error() {
    let types = values::types();
    for of in &types {
        let rows = vec![Literal::Null; 3];
        let nulls = batch(of, &rows, &values::edges(of)[0]);
        let hold = |text: &str, to: &str, wanted: &str| {
            let found = results(&expression(&of.to_string(), text, to), &nulls);
            assert_eq!(found, [wanted; 3], "{text} of {of}");
        };
        hold("v", &of.to_string(), "null");
        hold("is_null(v)", "BOOL", "true");
        hold("coalesce(v, v)", &of.to_string(), "null");
        hold("leak_sensitive(v)", &of.to_string(), "null");
        hold("IF is_null(v) THEN v ELSE v END", &of.to_string(), "null");
        if of.is_comparable() {
            hold("v = v", "BOOL", "null");
            hold("nullif(v, v)", &of.to_string(), "null");
            hold(
                "CASE v WHEN v THEN 'same' ELSE 'other' END",
                "STRING",
                "\"other\"",
            );
            hold("v AS STRING", "STRING", "null");
            hold("TRY_CAST(v AS STRING)", "STRING", "null");
        }
        if of.is_numeric() {
            for text in ["v + v", "v - v", "v * v", "v / v", "v % v", "abs(v)", "round(v)"] {
                hold(text, &of.to_string(), "null");
            }
        }
        if *of == DataType::Bool {
            for (text, wanted) in [
                ("NOT v", "null"),
                ("v AND v", "null"),
                ("v OR v", "null"),
                ("v AND FALSE", "false"),
                ("v OR TRUE", "true"),
            ] {
                hold(text, "BOOL", wanted);
            }
        }
    }
}

#[test]
fn a_null_argument_makes_every_function_of_text_null_but_concat() {
    let nulls = batch(
        &DataType::String,
        &vec![Literal::Null; 3],
        &Literal::String("a".into()),
    );
    let calls = Function::all().filter(|function| {
        let parameters = function.signature().parameters;
        parameters.first() == Some(&nspl_model::Parameter::String) && !function.is_volatile()
    });
    let mut tried = 0;
    for function in calls {
        let required = function.signature().required;
        let more = (1..required).map(|index| match function.signature().parameter(index) {
            Some(nspl_model::Parameter::Count) => ", 1",
            _ => ", 'a'",
        });
        let text = format!("{}(v{})", function.name(), more.collect::<String>());
        let to = match function.signature().result {
            nspl_model::ResultType::Bool => "BOOL",
            nspl_model::ResultType::I64 => "I64",
            _ => "STRING",
        };
        let wanted = if function == Function::Concat {
            "\"\""
        } else {
            "null"
        };
        assert_eq!(
            results(&expression("STRING", &text, to), &nulls),
            [wanted; 3],
            "{text}"
        );
        tried += 1;
    }
    assert!(tried > 25, "{tried}");
}

#[test]
fn all_rows_of_a_batch_may_fail() {
    let values = vec![Literal::I64(0); 70];
    let failing = batch(&DataType::I64, &values, &Literal::I64(1));
    let found = results(&expression("I64", "1 / v", "I64"), &failing);
    assert_eq!(found, vec!["<DivisionByZero>"; 70]);
    assert_eq!(
        results(&expression("I64", "1 / v", "I64"), &failing.slice(69, 1)),
        ["<DivisionByZero>"]
    );
}
