use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::{RowReader, read::BadLine, table_cells, write_rows};

fn schema(fields: &[(&str, DataType, bool)]) -> SchemaRef {
    let fields = fields
        .iter()
        .map(|(name, data_type, optional)| Field::new(*name, data_type.clone(), *optional));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn every_type() -> SchemaRef {
    let item = |data_type| Arc::new(Field::new("item", data_type, false));
    schema(&[
        ("u8", DataType::UInt8, true),
        ("u64", DataType::UInt64, true),
        ("i8", DataType::Int8, true),
        ("i64", DataType::Int64, true),
        ("f32", DataType::Float32, true),
        ("f64", DataType::Float64, true),
        ("bool", DataType::Boolean, true),
        ("string", DataType::Utf8, true),
        ("bytes", DataType::Binary, true),
        (
            "datetime",
            DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
            true,
        ),
        ("vec", DataType::List(item(DataType::Utf8)), true),
        (
            "array",
            DataType::FixedSizeList(item(DataType::FixedSizeList(item(DataType::Int8), 2)), 1),
            true,
        ),
    ])
}

fn round_trip(schema: &SchemaRef, lines: &[&str]) -> String {
    let mut rows = RowReader::new(Arc::clone(schema), false);
    for line in lines {
        rows.push(line.as_bytes()).unwrap();
    }
    let mut out = Vec::new();
    write_rows(&rows.take().unwrap().unwrap(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_type_reads_back_what_was_written() {
    let full = concat!(
        r#"{"u8":255,"u64":18446744073709551615,"i8":-128,"i64":-9223372036854775808,"f32":0.1,"f64":1e300,"bool":true,"#,
        r#""string":"ä \" \n","bytes":"AP8=","datetime":"2026-01-01T00:00:00.000000001Z","vec":["a","b"],"array":[[1,2]]}"#
    );
    let empty = concat!(
        r#"{"u8":null,"u64":null,"i8":null,"i64":null,"f32":null,"f64":null,"bool":null,"#,
        r#""string":null,"bytes":null,"datetime":null,"vec":null,"array":null}"#
    );
    let special = concat!(
        r#"{"u8":0,"u64":0,"i8":0,"i64":0,"f32":"NaN","f64":"-inf","bool":false,"#,
        r#""string":"","bytes":"","datetime":"1970-01-01T00:00:00Z","vec":[],"array":[[0,0]]}"#
    );
    let expected = format!("{full}\n{empty}\n{special}\n").replace("1e300", "1e+300");
    let written = round_trip(&every_type(), &[full, empty, special]);
    assert_eq!(written, expected);
    let again: Vec<&str> = written.lines().collect();
    assert_eq!(round_trip(&every_type(), &again), written);
}

#[test]
fn whole_numbers_are_taken_in_any_spelling_and_nothing_is_cut() {
    let schema = schema(&[("n", DataType::Int32, false)]);
    assert_eq!(
        round_trip(&schema, &[r#"{"n":3.0}"#, r#"{"n":-2e3}"#]),
        "{\"n\":3}\n{\"n\":-2000}\n"
    );
    let mut rows = RowReader::new(schema, false);
    for line in [
        r#"{"n":1.5}"#,
        r#"{"n":2147483648}"#,
        r#"{"n":"3"}"#,
        r#"{"n":true}"#,
        r#"{"n":1e400}"#,
        r#"{"n":null}"#,
    ] {
        assert!(rows.push(line.as_bytes()).is_err(), "{line}");
    }
    assert_eq!(rows.rows(), 0);
}

#[test]
fn every_number_is_rounded_once_by_its_own_digits() {
    let schema = schema(&[
        ("f", DataType::Float32, true),
        ("d", DataType::Float64, true),
        ("n", DataType::Int64, true),
    ]);
    for (line, read) in [
        // Between two F32, and nearer to the lower one by less than an F64 tells apart.
        (
            r#"{"f":1.00000017881393432617187499}"#,
            r#"{"f":1.0000001,"d":null,"n":null}"#,
        ),
        (
            r#"{"n":9007199254740993.0}"#,
            r#"{"f":null,"d":null,"n":9007199254740993}"#,
        ),
    ] {
        assert_eq!(round_trip(&schema, &[line]).trim_end(), read);
    }
    let mut rows = RowReader::new(schema, false);
    for line in [r#"{"f":3.4028236e38}"#, r#"{"d":1e309}"#, r#"{"d":-1e309}"#] {
        assert!(rows.push(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn a_bad_value_names_its_field_and_quotes_nothing() {
    let cases = [
        (r#"{"u8":256}"#, "field `u8`: a number that is no U8"),
        (r#"{"u8":"secret"}"#, "field `u8`: a string that is no U8"),
        (
            r#"{"bytes":"AP8"}"#,
            "field `bytes`: a string that is no BYTES (padded base64)",
        ),
        (
            r#"{"datetime":"2026-01-01"}"#,
            "field `datetime`: a string that is no DATETIME (RFC 3339)",
        ),
        (
            r#"{"vec":["a",null]}"#,
            "field `vec`: item 1: null, but the field is not OPTIONAL",
        ),
        (
            r#"{"array":[]}"#,
            "field `array`: an array of 0 items, expected 1",
        ),
        (r#"{"f32":1e39}"#, "field `f32`: a number that is no F32"),
        (
            r#"{"x":1}"#,
            "field `x`: the schema has no such field; --ignore-unknown leaves it out",
        ),
        (
            r#"{"x\u001b[31m":1}"#,
            "field `x\\u{1b}[31m`: the schema has no such field; --ignore-unknown leaves it out",
        ),
        ("[1]", "not a JSON object"),
    ];
    let mut rows = RowReader::new(every_type(), false);
    for (line, message) in cases {
        assert_eq!(
            rows.push(line.as_bytes()).unwrap_err().to_string(),
            message,
            "{line}"
        );
    }
}

#[test]
fn text_that_is_no_json_names_its_column() {
    let mut rows = RowReader::new(every_type(), false);
    assert!(matches!(
        rows.push(br#"{"u8":1,}"#),
        Err(BadLine::Syntax { column: 9, .. })
    ));
    assert!(matches!(
        rows.push(b"{\"string\":\"\xff\"}"),
        Err(BadLine::Syntax { .. })
    ));
}

#[test]
fn a_required_field_must_be_there_and_an_optional_one_may_be_missing() {
    let schema = schema(&[("a", DataType::Int8, false), ("b", DataType::Int8, true)]);
    assert_eq!(round_trip(&schema, &[r#"{"a":1}"#]), "{\"a\":1,\"b\":null}\n");
    let mut rows = RowReader::new(schema, false);
    assert!(rows.push(br#"{"b":1}"#).is_err());
}

#[test]
fn unknown_fields_can_be_left_out_on_request() {
    let schema = schema(&[("a", DataType::Int8, false)]);
    let mut rows = RowReader::new(schema, true);
    assert_eq!(rows.push(br#"{"a":1,"z":[{}]}"#), Ok(()));
}

#[test]
fn a_table_shows_moments_and_text_without_quotes_and_without_control_characters() {
    let zone = DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()));
    let mut rows = RowReader::new(schema(&[("t", DataType::Utf8, true), ("d", zone, true)]), false);
    rows.push(br#"{"t":"a\u001b[31m","d":"2026-01-01T00:00:00Z"}"#)
        .unwrap();
    rows.push("{\"t\":\"a\u{9b}31m\u{7f}\u{202e}\u{e9}\"}".as_bytes())
        .unwrap();
    rows.push(b"{}").unwrap();
    let cells = table_cells(&rows.take().unwrap().unwrap()).unwrap();
    assert_eq!(
        cells,
        [
            ["a\\u001b[31m", "2026-01-01T00:00:00Z"],
            ["a\\u009b31m\\u007f\\u202e\u{e9}", "null"],
            ["null", "null"]
        ]
    );
}
