//! Tables that are missing, and columns that change while an emitter runs.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray, TimestampNanosecondArray};
use nervix_sink::{FailureKind, RowAnswer, Rows};
use nervix_tests::postgres::Postgres;
use nspl_model::DataType;

use crate::stage::{PASSWORD, connect, emitter, open, refused, rows, server, unresolved, written};

const COLUMNS: [(&str, DataType); 2] = [("id", DataType::I64), ("note", DataType::String)];

fn note(id: i64, note: &str) -> Rows {
    let id: ArrayRef = Arc::new(Int64Array::from(vec![id]));
    let note: ArrayRef = Arc::new(StringArray::from(vec![note]));
    rows(&[("id", id), ("note", note)])
}

#[tokio::test]
async fn a_missing_table_or_column_is_told_by_the_server_when_the_sink_opens() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let client = connect(&server, (0, 1));
    let cases = [
        ("absent", "42P01", "relation \"absent\" does not exist"),
        (
            "nowhere.events",
            "42P01",
            "relation \"nowhere.events\" does not exist",
        ),
        ("events", "42703", "column \"note\" does not exist"),
    ];
    for (table, code, words) in cases {
        let Err(failure) = open(client.as_ref(), emitter(table, &COLUMNS, None)).await else {
            panic!("{table} opens");
        };
        let class = "syntax error or access rule violation";
        let expected =
            format!("Postgres cannot take the columns of the emitter: SQLSTATE {code} ({class}): {words}");
        assert_eq!(
            (failure.message.as_str(), failure.kind),
            (expected.as_str(), FailureKind::Missing)
        );
    }
    assert_eq!(
        server
            .value("SELECT count(*) FROM pg_class WHERE relname = 'absent'")
            .await,
        "0"
    );
}

#[tokio::test]
async fn names_are_read_as_the_server_reads_them() {
    let server = server().await;
    let (kept, long) = ("x".repeat(63), "x".repeat(70));
    server
        .sql("CREATE SCHEMA \"my.shop\"; GRANT USAGE ON SCHEMA \"my.shop\" TO PUBLIC")
        .await;
    server
        .table(
            "\"my.shop\".\"a\"\"b\"",
            &format!("\"A b\" bigint, \"{}\" text", kept),
        )
        .await;
    let client = connect(&server, (0, 1));
    let columns = [("A b", DataType::I64), (long.as_str(), DataType::String)];
    let mut sink = open(client.as_ref(), emitter("\"my.shop\".\"a\"\"b\"", &columns, None))
        .await
        .expect("it opens");
    written(&sink.write(&note(1, "a")).await);
    assert_eq!(
        server.value("SELECT \"A b\" FROM \"my.shop\".\"a\"\"b\"").await,
        "1"
    );
}

#[tokio::test]
async fn a_column_that_is_dropped_is_awaited_and_no_row_is_blamed() {
    let server = server().await;
    server.table("events", "id bigint, note text").await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    written(&sink.write(&note(1, "a")).await);
    server.sql("ALTER TABLE events DROP COLUMN note").await;
    for _ in 0..2 {
        let failure = unresolved(sink.write(&note(2, "b")).await);
        assert_eq!(failure.kind, FailureKind::Missing);
        assert!(
            failure
                .message
                .as_str()
                .ends_with("column \"note\" does not exist"),
            "{}",
            failure.message
        );
    }
    server.sql("ALTER TABLE events ADD note varchar(1)").await;
    written(&sink.write(&note(2, "b")).await);
    refused(sink.write(&note(3, "too long")).await);
    assert_eq!(
        server.column("SELECT note FROM events ORDER BY id").await,
        [None, Some("b".to_owned())]
    );
}

#[tokio::test]
async fn a_column_of_another_type_is_bound_anew_before_a_row_is_blamed() {
    let server = server().await;
    server.table("events", "id smallint, note text").await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    server
        .sql("ALTER TABLE events ALTER note TYPE jsonb USING note::jsonb")
        .await;
    written(&sink.write(&note(1, "{}")).await);
    server
        .sql("ALTER TABLE events ALTER note TYPE uuid USING NULL")
        .await;
    written(&sink.write(&note(2, "01890a5d-ac96-774b-bcce-b302099a8057")).await);
    server.sql("ALTER TABLE events ALTER id TYPE bigint").await;
    written(
        &sink
            .write(&note(1 << 40, "01890a5d-ac96-774b-bcce-b302099a8057"))
            .await,
    );
    assert_eq!(
        server.value("SELECT max(id) FROM events").await,
        (1_i64 << 40).to_string()
    );
}

/// How often the server was asked for the columns, by its log.
fn questions(server: &mut Postgres) -> usize {
    let log = server.process().printed();
    log.matches("SELECT \"id\", \"note\" FROM \"events\" LIMIT 0")
        .count()
}

#[tokio::test]
async fn columns_are_asked_for_once_a_write_however_many_of_its_rows_are_refused() {
    let mut server = Postgres::start_with(PASSWORD, "log_min_duration_statement = 0").await;
    server.table("events", "id bigint, note varchar(3)").await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    let opened = questions(&mut server);
    assert!(opened > 0, "the log has the question");
    let once = opened;
    for write in 1..=2 {
        refused(sink.write(&note(0, "too long")).await);
        for id in 1..20 {
            let alone = Rows {
                isolated: true,
                ..note(id, "too long")
            };
            refused(sink.write(&alone).await);
        }
        assert_eq!(questions(&mut server), opened + write * once, "write {write}");
    }
    server.sql("ALTER TABLE events ALTER note TYPE text").await;
    written(&sink.write(&note(1, "too long")).await);
}

/// What the second of two writes of the same value leaves in a column that became another one between them; or why it was
/// refused.
async fn after_change(
    server: &Postgres,
    (column, change): (&str, &str),
    value: ArrayRef,
) -> Result<String, String> {
    let data_type = match value.data_type() {
        arrow::datatypes::DataType::Float64 => DataType::F64,
        _ => DataType::DateTime,
    };
    server
        .table("changing", &format!("place bigserial, v {column}"))
        .await;
    let client = connect(server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("changing", &[("v", data_type)], None))
        .await
        .expect("it opens");
    written(&sink.write(&rows(&[("v", Arc::clone(&value))])).await);
    server.sql(change).await;
    let answer = sink.write(&rows(&[("v", value)])).await;
    let stored = match answer {
        RowAnswer::All(_) => Ok(server
            .value("SELECT v::text FROM changing ORDER BY place DESC LIMIT 1")
            .await),
        answer => Err(refused(answer)),
    };
    server.sql("DROP TABLE changing").await;
    stored
}

#[tokio::test]
async fn a_column_that_would_take_the_value_by_a_cast_of_the_servers_is_bound_anew_too() {
    let server = server().await;
    let float = |value: f64| Arc::new(Float64Array::from(vec![value])) as ArrayRef;
    let instant = |nanos: i64| {
        let instant = TimestampNanosecondArray::from(vec![nanos]).with_timezone("UTC");
        Arc::new(instant) as ArrayRef
    };
    let retype = |column: &str| format!("ALTER TABLE changing ALTER v TYPE {column}");
    let replaced = "DROP TABLE changing; CREATE TABLE changing (place bigserial, v text); \
                    GRANT ALL ON changing, changing_place_seq TO PUBLIC";
    let (late, fine) = (1_707_004_799_999_999_600, 1_706_933_106_123_456_789);
    let cases = [
        ("float8", retype("text"), float(3.0), "3.0"),
        ("timestamptz", retype("date"), instant(late), "2024-02-03"),
        (
            "timestamptz",
            retype("text"),
            instant(fine),
            "2024-02-03T04:05:06.123456789Z",
        ),
        (
            "timestamptz",
            replaced.to_owned(),
            instant(fine),
            "2024-02-03T04:05:06.123456789Z",
        ),
    ];
    for (column, change, value, expected) in cases {
        let stored = after_change(&server, (column, &change), value).await;
        assert_eq!(stored.as_deref(), Ok(expected), "{column}, {change}");
    }
    let refusal = after_change(&server, ("float8", &retype("bigint")), float(2.5)).await;
    assert!(refusal.is_err_and(|refusal| refusal.contains("SQLSTATE 22003")));
}
