//! Values out of documents.

use std::sync::Arc;

use arrow::array::StringArray;
use nspl_model::json::whole_number;
use nspl_model::{CastError, DataType};
use proptest::prelude::{any, prop_assert_eq, proptest};

use crate::Fault;
use crate::program::testing::{batch, failed, input, json_exists, json_value, null, one, rows, text};

fn read(document: &str, path: &str, to: DataType) -> String {
    one(&json_value(text(document), path, to, CastError::Fail))
}

#[test]
fn scalars_are_read_in_any_spelling() {
    let table = [
        (r#"{"a":1}"#, "$.a", DataType::I8, "1"),
        (r#"{"a":1.50e1}"#, "$.a", DataType::U8, "15"),
        (
            r#"[0, 9223372036854775807.0]"#,
            "$[1]",
            DataType::I64,
            "9223372036854775807",
        ),
        ("18446744073709551615", "$", DataType::U64, "18446744073709551615"),
        ("-0.0e7", "$", DataType::I64, "0"),
        (r#"{"a":{"b":[true]}}"#, "$.a.b[0]", DataType::Bool, "true"),
        (r#""\u00e9\uD83E\uDD80\n""#, "$", DataType::String, "é🦀\n"),
        (r#"{"a\"b":"x"}"#, r#"$["a\"b"]"#, DataType::String, "x"),
        (r#"{"\u0061":"x"}"#, "$.a", DataType::String, "x"),
        ("0.1", "$", DataType::F32, "0.1"),
        ("1e-400", "$", DataType::F64, "0.0"),
        (
            r#""2026-01-01T01:00:00+01:00""#,
            "$",
            DataType::DateTime,
            "2026-01-01T00:00:00Z",
        ),
    ];
    for (document, path, to, expected) in table {
        assert_eq!(read(document, path, to), expected, "{document} {path}");
    }
}

#[test]
fn what_is_missing_and_a_json_null_are_null() {
    for (document, path) in [
        ("{}", "$.a"),
        ("[]", "$[0]"),
        ("null", "$"),
        (r#"{"a":null}"#, "$.a"),
        ("1", "$.a"),
        (r#"{"a":[]}"#, "$.a.b"),
    ] {
        assert_eq!(read(document, path, DataType::I64), "null", "{document} {path}");
    }
    assert_eq!(
        one(&json_value(
            null(DataType::String),
            "$",
            DataType::I64,
            CastError::Fail
        )),
        "null"
    );
}

#[test]
fn the_last_of_doubled_keys_counts() {
    assert_eq!(read(r#"{"a":1,"a":2}"#, "$.a", DataType::I64), "2");
    assert_eq!(read(r#"{"a":{"b":1},"a":{}}"#, "$.a.b", DataType::I64), "null");
}

#[test]
fn another_type_is_an_error_or_null_for_the_trying_form() {
    let table = [
        (r#"{"a":"1"}"#, DataType::I64, Fault::JsonType),
        (r#"{"a":1}"#, DataType::String, Fault::JsonType),
        (r#"{"a":[1]}"#, DataType::I64, Fault::JsonType),
        (r#"{"a":{}}"#, DataType::String, Fault::JsonType),
        (r#"{"a":1.5}"#, DataType::I64, Fault::OutOfRange),
        (r#"{"a":256}"#, DataType::U8, Fault::OutOfRange),
        (r#"{"a":1e400}"#, DataType::F64, Fault::OutOfRange),
        (
            r#"{"a":1e99999999999999999999}"#,
            DataType::I64,
            Fault::OutOfRange,
        ),
        (r#"{"a":"x"}"#, DataType::DateTime, Fault::Unreadable),
        (r#"{"a":1"#, DataType::I64, Fault::NotJson),
    ];
    for (document, to, fault) in table {
        assert_eq!(read(document, "$.a", to.clone()), failed(fault), "{document}");
        assert_eq!(
            one(&json_value(text(document), "$.a", to, CastError::Null)),
            "null"
        );
    }
}

#[test]
fn one_bad_document_fails_its_row_alone() {
    let documents = StringArray::from(vec![
        Some(r#"{"a":1}"#),
        Some("no json"),
        None,
        Some(r#"{"a":4}"#),
    ]);
    let documents = batch(vec![Arc::new(documents)]).slice(1, 3);
    let value = json_value(input(0, DataType::String), "$.a", DataType::I64, CastError::Fail);
    assert_eq!(rows(&value, &documents), [&failed(Fault::NotJson), "null", "4"]);
    let exists = json_exists(input(0, DataType::String), "$.a");
    assert_eq!(
        rows(&exists, &documents),
        [&failed(Fault::NotJson), "null", "true"]
    );
}

#[test]
fn existence_does_not_ask_what_is_there() {
    assert_eq!(one(&json_exists(text(r#"{"a":null}"#), "$.a")), "true");
    assert_eq!(one(&json_exists(text(r#"{"a":null}"#), "$.b")), "false");
    assert_eq!(one(&json_exists(text("[[1]]"), "$[0][0]")), "true");
    assert_eq!(one(&json_exists(text("x"), "$")), failed(Fault::NotJson));
}

proptest! {
    #[test]
    fn whole_numbers_are_exact_however_they_are_shifted(value in any::<i64>(), shift in 0..12_usize) {
        let zeros = "0".repeat(shift);
        prop_assert_eq!(whole_number(&format!("{value}.{zeros}")).or(whole_number(&value.to_string())), Some(value.into()));
        prop_assert_eq!(whole_number(&format!("{value}{zeros}e-{shift}")), Some(value.into()));
    }
}
