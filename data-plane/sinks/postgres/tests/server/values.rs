//! Values of every NSPL type in columns of many types, read back by the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, ListArray, StringArray, TimestampNanosecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::Field;
use nervix_sink::{Outcome, RowAnswer};
use nervix_tests::postgres::Postgres;
use nspl_model::DataType;

use crate::stage::{connect, emitter, open, rows, server};

static TABLES: AtomicUsize = AtomicUsize::new(0);

/// Writes a column of values into a column of another type, and reads it back as text; or the reason why not.
async fn stored(
    server: &Postgres,
    (data_type, values): (DataType, ArrayRef),
    column: &str,
) -> Result<Vec<String>, String> {
    let table = format!("t{}", TABLES.fetch_add(1, Ordering::SeqCst));
    server
        .table(&table, &format!("place bigserial, v {column}"))
        .await;
    let client = connect(server, (0, 1));
    let mut sink = open(client.as_ref(), emitter(&table, &[("v", data_type)], None))
        .await
        .expect("it opens");
    match sink.write(&rows(&[("v", values)])).await {
        RowAnswer::All(Outcome::Delivered(None)) => {}
        RowAnswer::Isolate(rejection) => return Err(rejection.message.as_str().to_owned()),
        other => panic!("{column}: {other:?}"),
    }
    let read = format!("SET TimeZone = 'UTC'; SELECT v::text FROM {table} ORDER BY place");
    let read = server.column(&read).await.into_iter();
    Ok(read
        .map(|value| value.unwrap_or_else(|| "NULL".to_owned()))
        .collect())
}

/// Expects that the server has these texts.
async fn holds(server: &Postgres, values: (DataType, ArrayRef), column: &str, expected: &[&str]) {
    let data_type = values.0.clone();
    let stored = stored(server, values, column).await;
    assert_eq!(
        stored.as_deref(),
        Ok(&expected.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()[..]),
        "{data_type} in {column}"
    );
}

/// Expects that the rows are refused with this SQLSTATE.
async fn refuses(server: &Postgres, values: (DataType, ArrayRef), column: &str, code: &str) {
    let data_type = values.0.clone();
    let message = stored(server, values, column).await.expect_err("it is refused");
    assert!(
        message.contains(&format!("SQLSTATE {code}")),
        "{data_type} in {column}: {message}"
    );
}

fn list(items: ArrayRef, lengths: &[usize]) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), false));
    Arc::new(ListArray::new(
        field,
        OffsetBuffer::from_lengths(lengths.iter().copied()),
        items,
        None,
    ))
}

fn instants(nanos: &[i64]) -> (DataType, ArrayRef) {
    let instants = TimestampNanosecondArray::from(nanos.to_vec()).with_timezone("UTC");
    (DataType::DateTime, Arc::new(instants))
}

fn vec_of(item: DataType) -> DataType {
    DataType::Vec(Box::new(item))
}

#[tokio::test]
async fn integers_keep_their_extremes_in_every_column_that_takes_them() {
    let server = server().await;
    let columns: [(DataType, ArrayRef, &str, [&str; 3]); 8] = [
        (
            DataType::I8,
            Arc::new(Int8Array::from(vec![Some(i8::MIN), Some(i8::MAX), None])),
            "smallint",
            ["-128", "127", "NULL"],
        ),
        (
            DataType::U8,
            Arc::new(UInt8Array::from(vec![Some(0), Some(u8::MAX), None])),
            "smallint",
            ["0", "255", "NULL"],
        ),
        (
            DataType::I16,
            Arc::new(Int16Array::from(vec![Some(i16::MIN), Some(i16::MAX), None])),
            "smallint",
            ["-32768", "32767", "NULL"],
        ),
        (
            DataType::U16,
            Arc::new(UInt16Array::from(vec![Some(0), Some(u16::MAX), None])),
            "integer",
            ["0", "65535", "NULL"],
        ),
        (
            DataType::I32,
            Arc::new(Int32Array::from(vec![Some(i32::MIN), Some(i32::MAX), None])),
            "integer",
            ["-2147483648", "2147483647", "NULL"],
        ),
        (
            DataType::U32,
            Arc::new(UInt32Array::from(vec![Some(0), Some(u32::MAX), None])),
            "bigint",
            ["0", "4294967295", "NULL"],
        ),
        (
            DataType::I64,
            Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(i64::MAX), None])),
            "bigint",
            ["-9223372036854775808", "9223372036854775807", "NULL"],
        ),
        (
            DataType::U64,
            Arc::new(UInt64Array::from(vec![Some(0), Some(u64::MAX), None])),
            "numeric",
            ["0", "18446744073709551615", "NULL"],
        ),
    ];
    for (data_type, values, own, texts) in columns {
        for column in [own, "numeric", "text", "varchar(30)"] {
            holds(&server, (data_type.clone(), Arc::clone(&values)), column, &texts).await;
        }
    }
}

#[tokio::test]
async fn an_integer_past_the_range_of_its_column_is_refused() {
    let server = server().await;
    let past: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
    refuses(&server, (DataType::U64, Arc::clone(&past)), "bigint", "22003").await;
    holds(
        &server,
        (DataType::U64, past),
        "double precision",
        &["1.8446744073709552e+19"],
    )
    .await;
    let past: ArrayRef = Arc::new(Int64Array::from(vec![32_768]));
    refuses(&server, (DataType::I64, Arc::clone(&past)), "smallint", "22003").await;
    refuses(
        &server,
        (DataType::I64, Arc::clone(&past)),
        "numeric(4, 1)",
        "22003",
    )
    .await;
    // No number of the server: as text.
    holds(&server, (DataType::I64, past), "jsonb", &["32768"]).await;
}

#[tokio::test]
async fn floats_and_truth_values_are_themselves_or_refused() {
    let server = server().await;
    let floats = |values: &[f64]| -> (DataType, ArrayRef) {
        (DataType::F64, Arc::new(Float64Array::from(values.to_vec())))
    };
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        0.1 + 0.2,
        f64::MAX,
    ];
    let texts = [
        "NaN",
        "Infinity",
        "-Infinity",
        "-0",
        "0.30000000000000004",
        "1.7976931348623157e+308",
    ];
    holds(&server, floats(&odd), "double precision", &texts).await;
    let exact = ["NaN", "Infinity", "-Infinity", "0.0", "0.30000000000000004"];
    holds(&server, floats(&odd[..5]), "numeric", &exact).await;
    let ours = [
        "NaN",
        "inf",
        "-inf",
        "-0.0",
        "0.30000000000000004",
        "1.7976931348623157e308",
    ];
    holds(&server, floats(&odd), "text", &ours).await;
    holds(
        &server,
        floats(&[1.0, -0.0, -9_007_199_254_740_993.0]),
        "bigint",
        &["1", "0", "-9007199254740992"],
    )
    .await;
    for odd in [0.5, f64::NAN, f64::INFINITY, 1e300] {
        refuses(&server, floats(&[odd]), "bigint", "22003").await;
    }
    refuses(&server, floats(&[40_000.0]), "smallint", "22003").await;
    refuses(&server, floats(&[1e39]), "real", "22003").await;
    let singles: (DataType, ArrayRef) = (
        DataType::F32,
        Arc::new(Float32Array::from(vec![0.1, f32::NAN, f32::MIN_POSITIVE])),
    );
    holds(&server, singles.clone(), "real", &["0.1", "NaN", "1.1754944e-38"]).await;
    holds(&server, singles.clone(), "text", &["0.1", "NaN", "1.1754944e-38"]).await;
    holds(
        &server,
        (DataType::F32, singles.1.slice(0, 1)),
        "numeric",
        &["0.1"],
    )
    .await;
    let truths: (DataType, ArrayRef) = (
        DataType::Bool,
        Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])),
    );
    holds(&server, truths.clone(), "boolean", &["true", "false", "NULL"]).await;
    holds(&server, truths, "text", &["true", "false", "NULL"]).await;
}

#[tokio::test]
async fn instants_are_utc_whatever_the_server_thinks_the_time_is() {
    let server = server().await;
    assert_eq!(server.value("SHOW TimeZone").await, "America/New_York");
    // The ends of 64 bits, 18 November 1000 is past them; before 1900; the hour that New York lacks; a leap year's day.
    let nanos = [
        i64::MIN,
        i64::MAX,
        -2_717_650_800_000_000_000,
        1_741_503_600_000_000_000,
        951_782_400_000_000_000,
    ];
    let texts = [
        "1677-09-21 00:12:43.145224",
        "2262-04-11 23:47:16.854776",
        "1883-11-18 17:00:00",
        "2025-03-09 07:00:00",
        "2000-02-29 00:00:00",
    ];
    holds(&server, instants(&nanos), "timestamp", &texts).await;
    let zoned = texts.map(|text| format!("{text}+00"));
    holds(
        &server,
        instants(&nanos),
        "timestamptz",
        &zoned.each_ref().map(String::as_str),
    )
    .await;
}

#[tokio::test]
async fn instants_are_rounded_once_to_what_their_column_keeps() {
    let server = server().await;
    let halves = [499_999_499, 499_999_500, -500, -499, 500_500];
    holds(
        &server,
        instants(&halves),
        "timestamp(6)",
        &[
            "1970-01-01 00:00:00.499999",
            "1970-01-01 00:00:00.5",
            "1969-12-31 23:59:59.999999",
            "1970-01-01 00:00:00",
            "1970-01-01 00:00:00.000501",
        ],
    )
    .await;
    // Rounded once: by way of microseconds the first would become .500, then 1.
    holds(
        &server,
        instants(&[499_999_500]),
        "timestamptz(0)",
        &["1970-01-01 00:00:00+00"],
    )
    .await;
    holds(
        &server,
        instants(&[499_500]),
        "timestamptz(3)",
        &["1970-01-01 00:00:00+00"],
    )
    .await;
    holds(
        &server,
        instants(&[1]),
        "text",
        &["1970-01-01T00:00:00.000000001Z"],
    )
    .await;
    holds(
        &server,
        instants(&[1_741_564_800_000_000_000 - 1]),
        "date",
        &["2025-03-09"],
    )
    .await;
}

#[tokio::test]
async fn text_without_a_zone_is_one_of_utc() {
    let server = server().await;
    let text: (DataType, ArrayRef) = (
        DataType::String,
        Arc::new(StringArray::from(vec![
            "2025-07-01 12:00:00",
            "2025-07-01T12:00:00+02:00",
            "-infinity",
        ])),
    );
    holds(
        &server,
        text,
        "timestamptz",
        &["2025-07-01 12:00:00+00", "2025-07-01 10:00:00+00", "-infinity"],
    )
    .await;
}

#[tokio::test]
async fn text_enters_any_column_whose_text_form_it_is() {
    let server = server().await;
    server.sql("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN short AS varchar(3); CREATE DOMAIN even AS integer CHECK (VALUE % 2 = 0); GRANT USAGE ON TYPE mood TO PUBLIC").await;
    let text = |values: &[&str]| -> (DataType, ArrayRef) {
        (DataType::String, Arc::new(StringArray::from(values.to_vec())))
    };
    let odd = ["", "ü\u{1F600}", "a'b\"c\\d", "\t\n"];
    holds(&server, text(&odd), "text", &odd).await;
    holds(
        &server,
        text(&["{\"a\": [1, null]}", "7"]),
        "jsonb",
        &["{\"a\": [1, null]}", "7"],
    )
    .await;
    holds(
        &server,
        text(&["{\"a\":1,  \"a\":2}"]),
        "json",
        &["{\"a\":1,  \"a\":2}"],
    )
    .await;
    let uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
    holds(&server, text(&[uuid]), "uuid", &[uuid]).await;
    holds(&server, text(&["ok"]), "mood", &["ok"]).await;
    holds(&server, text(&["ok"]), "short", &["ok"]).await;
    holds(&server, text(&["12.50"]), "numeric(5,1)", &["12.5"]).await;
    holds(&server, text(&["{1,2}"]), "integer[]", &["{1,2}"]).await;
    holds(&server, text(&["10.0.0.0/8"]), "cidr", &["10.0.0.0/8"]).await;
    holds(&server, text(&["1 day"]), "interval", &["1 day"]).await;
    holds(&server, text(&["101"]), "bit(3)", &["101"]).await;
    holds(&server, text(&["ab"]), "character(3)", &["ab"]).await;
    let refused = [
        ("not json", "jsonb", "22P02"),
        ("happy", "mood", "22P02"),
        ("long", "varchar(3)", "22001"),
        // A cast to these would cut it off in silence.
        ("long", "short", "22001"),
        ("long", "character(3)", "22001"),
        ("1011", "bit(3)", "22026"),
        ("3", "even", "23514"),
        ("99999", "smallint", "22003"),
        ("a\0b", "text", "22021"),
        ("\"\\u0000\"", "jsonb", "22P05"),
        ("2025-02-30", "date", "22008"),
    ];
    for (value, column, code) in refused {
        refuses(&server, text(&[value]), column, code).await;
    }
}

#[tokio::test]
async fn octets_and_lists_come_back_as_they_were() {
    let server = server().await;
    let octets: Vec<Option<&[u8]>> = vec![Some(b""), Some(&[0, 0xff, b'\\', b'\'']), None];
    let octets: ArrayRef = Arc::new(BinaryArray::from(octets));
    holds(
        &server,
        (DataType::Bytes, Arc::clone(&octets)),
        "bytea",
        &["\\x", "\\x00ff5c27", "NULL"],
    )
    .await;
    holds(
        &server,
        (DataType::Bytes, octets),
        "text",
        &["\\x", "\\x00ff5c27", "NULL"],
    )
    .await;
    let numbers = list(Arc::new(Int64Array::from(vec![1, -2, i64::MAX])), &[2, 0, 1]);
    let texts = ["[1, -2]", "[]", "[9223372036854775807]"];
    holds(
        &server,
        (vec_of(DataType::I64), Arc::clone(&numbers)),
        "jsonb",
        &texts,
    )
    .await;
    holds(
        &server,
        (vec_of(DataType::I64), numbers),
        "text",
        &["[1,-2]", "[]", "[9223372036854775807]"],
    )
    .await;
    let floats = Float32Array::from(vec![0.5, 1.0, 2.0, 1e30]);
    let field = Arc::new(Field::new("item", arrow::datatypes::DataType::Float32, false));
    let pairs: ArrayRef = Arc::new(FixedSizeListArray::new(field, 2, Arc::new(floats), None));
    holds(
        &server,
        (DataType::Array(Box::new(DataType::F32), vec![2]), pairs),
        "json",
        &["[0.5,1.0]", "[2.0,1e30]"],
    )
    .await;
    let names = list(Arc::new(StringArray::from(vec!["a\"b", "ü"])), &[2]);
    holds(
        &server,
        (vec_of(DataType::String), list(names, &[1])),
        "json",
        &["[[\"a\\\"b\",\"ü\"]]"],
    )
    .await;
    let inner = list(Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..]])), &[1]);
    holds(
        &server,
        (vec_of(DataType::Bytes), inner),
        "jsonb",
        &["[\"AP8=\"]"],
    )
    .await;
}

#[tokio::test]
async fn a_list_that_its_column_or_json_cannot_hold_is_refused() {
    let server = server().await;
    let with_nul = list(Arc::new(StringArray::from(vec!["a\0b"])), &[1]);
    refuses(
        &server,
        (vec_of(DataType::String), Arc::clone(&with_nul)),
        "jsonb",
        "22P05",
    )
    .await;
    holds(
        &server,
        (vec_of(DataType::String), with_nul),
        "text",
        &["[\"a\\u0000b\"]"],
    )
    .await;
    let nan = list(Arc::new(Float64Array::from(vec![1.0, f64::NAN])), &[1, 1]);
    refuses(&server, (vec_of(DataType::F64), nan), "jsonb", "22P02").await;
}
