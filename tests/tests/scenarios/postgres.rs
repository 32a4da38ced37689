//! Postgres emitters against a real server: what lands, what is refused, and what is kept.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::error_records::error_records;
use nervix_tests::postgres::Postgres;
use nervix_tests::wait::{must, until};

use crate::outside::{delivered, finish, line, trouble, write};
use crate::postgres_graph::{PASSWORD, PostgresGraph, notes, writer};

async fn postgres(columns: &str) -> Postgres {
    let server = Postgres::start(PASSWORD).await;
    server.table("notes", columns).await;
    server
}

async fn stored(server: &Postgres) -> Vec<String> {
    let read = "SELECT id || ' ' || note FROM notes ORDER BY place";
    server.column(read).await.into_iter().flatten().collect()
}

const NOTES: &str = "place bigserial, id bigint PRIMARY KEY, note text";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_of_values_land_in_inserts_of_max_messages() {
    let postgres = postgres("place bigserial, id bigint, note text, at timestamptz, upper text").await;
    postgres
        .sql(
            "CREATE TABLE inserts (place bigserial, rows bigint); GRANT ALL ON inserts, inserts_place_seq TO PUBLIC;
             CREATE FUNCTION note_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
               INSERT INTO inserts (rows) SELECT count(*) FROM written; RETURN NULL; END $$;
             CREATE TRIGGER note_insert AFTER INSERT ON notes REFERENCING NEW TABLE AS written
               FOR EACH STATEMENT EXECUTE FUNCTION note_insert()",
        )
        .await;
    let graph = PostgresGraph {
        values: "\"id\" = input.id, \"note\" = input.note, \"at\" = NOW() AS STRING, \"upper\" = UPPER(input.note)",
        batch: "BATCH MAX MESSAGES 10 MAX SIZE 8MiB",
        flush: "FLUSH EACH 100ms MAX BATCH SIZE 1MiB",
        ..PostgresGraph::to(&postgres)
    };
    let server = graph.serve().await;
    let batch: Vec<(i64, &str)> = (1..=25).map(|id| (id, "a")).collect();
    assert_eq!(write(&server, notes(&batch)).await, [Status::Done]);
    let expected: Vec<String> = (1..=25).map(|id| format!("{id} a")).collect();
    assert_eq!(stored(&postgres).await, expected);
    assert_eq!(
        postgres
            .value("SELECT string_agg(rows::text, ' ' ORDER BY place) FROM inserts")
            .await,
        "10 10 5"
    );
    let fresh =
        "SELECT bool_and(upper = 'A' AND at BETWEEN now() - interval '1 minute' AND now()) FROM notes";
    assert_eq!(postgres.value(fresh).await, "t");
    let lines = [
        ("sink", "POSTGRES client=pg table=notes"),
        ("batch", "MAX MESSAGES 10 MAX SIZE 8MiB"),
        ("publishing mode", "ACK RETRY POLICY BACKOFF 10ms MAX 100ms"),
        ("transient error", "none"),
    ];
    for (key, value) in lines {
        assert_eq!(line(&server, key).as_deref(), Some(value), "{key}");
    }
    let sent = server
        .metric_of("nervix_messages_total", "direction=\"out\"")
        .await;
    assert!(sent >= 25.0, "{sent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_duplicate_key_in_the_middle_takes_its_own_row_alone() {
    let postgres = postgres(NOTES).await;
    let server = PostgresGraph::to(&postgres).serve().await;
    assert_eq!(write(&server, notes(&[(2, "before")])).await, [Status::Done]);
    let put = writer(&server).await;
    must(
        "write",
        put.write(notes(&[(1, "a"), (2, "planted-value"), (3, "c")]))
            .await,
    );
    let message = "external publish | Postgres refused the row: SQLSTATE 23505 (integrity constraint violation), \
                   constraint \"notes_pkey\", table \"notes\"";
    let failed = error_records(&server, 1).await;
    assert_eq!((failed[0].id, failed[0].told().as_str()), (2, message));
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(stored(&postgres).await, ["2 before", "1 a", "3 c"]);
    assert_eq!(line(&server, "transient error").as_deref(), Some("none"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_twice_in_one_insert_is_updated_by_its_later_row() {
    let postgres = postgres(NOTES).await;
    let graph = PostgresGraph {
        conflict: "ON CONFLICT (\"id\") DO UPDATE",
        ..PostgresGraph::to(&postgres)
    };
    let server = graph.serve().await;
    let batch = notes(&[(1, "a"), (2, "b"), (1, "A"), (3, "c")]);
    assert_eq!(write(&server, batch).await, [Status::Done]);
    assert_eq!(
        postgres
            .value("SELECT string_agg(id || note, ' ' ORDER BY id) FROM notes")
            .await,
        "1A 2b 3c"
    );
    let rejected = server.metric_of("nervix_emitter_rejected_total", "outbox").await;
    assert!(rejected.abs() < f64::EPSILON, "{rejected}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_measures_more_than_max_size_is_named_and_the_rows_around_it_land() {
    let postgres = postgres(NOTES).await;
    let graph = PostgresGraph {
        batch: "BATCH MAX MESSAGES 100 MAX SIZE 600B",
        ..PostgresGraph::to(&postgres)
    };
    let server = graph.serve().await;
    let long = "x".repeat(1_000);
    let put = writer(&server).await;
    must("write", put.write(notes(&[(1, "a"), (2, &long), (3, "c")])).await);
    let statement = "INSERT INTO \"notes\" (\"id\", \"note\") SELECT u.c0, u.c1 FROM unnest($1::int8[], $2::text[]) AS u(c0, c1) \
                     WHERE CAST(CASE (SELECT string_agg(concat_ws(' ', atttypid, atttypmod), ',' ORDER BY attname) FROM \
                     pg_attribute WHERE attrelid = E'\"notes\"'::regclass AND attnum > 0) WHEN E'20 -1,25 -1,20 -1' THEN \
                     NULL ELSE 'columns of other types' END AS regclass) IS NULL";
    // Two headers of arrays; an integer and a text, each behind its length.
    let bytes = statement.len() + 2 * 20 + 12 + 4 + long.len();
    let message =
        format!("validation encode | Postgres insert of one row measures {bytes} bytes, above MAX SIZE 600B");
    let failed = error_records(&server, 1).await;
    assert_eq!((failed[0].id, failed[0].told()), (2, message));
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(stored(&postgres).await, ["1 a", "3 c"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_dies_between_isolated_rows_sends_no_healthy_row_to_the_error_route() {
    let postgres = postgres("place bigserial, id bigint PRIMARY KEY, note text CHECK (note <> 'bad')").await;
    postgres
        .sql(
            "CREATE SEQUENCE deaths; GRANT ALL ON SEQUENCE deaths TO PUBLIC;
             CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
               IF NEW.note = 'die' AND nextval('deaths') <= 3 THEN
                 PERFORM pg_terminate_backend(pg_backend_pid());
                 PERFORM pg_sleep(10);
               END IF; RETURN NEW; END $$;
             CREATE TRIGGER die BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION die()",
        )
        .await;
    let server = PostgresGraph::to(&postgres).serve().await;
    let put = writer(&server).await;
    must(
        "write",
        put.write(notes(&[(1, "bad"), (2, "a"), (3, "die"), (4, "d"), (5, "bad")]))
            .await,
    );
    let failed = error_records(&server, 2).await;
    assert_eq!(failed.iter().map(|failed| failed.id).collect::<Vec<_>>(), [1, 5]);
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(stored(&postgres).await, ["2 a", "3 die", "4 d"]);
    let retries = server.metric_of("nervix_emitter_retries_total", "outbox").await;
    assert!((retries - 3.0).abs() < f64::EPSILON, "{retries}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_comes_late_and_a_column_that_goes_are_awaited_and_nothing_is_made() {
    let postgres = Postgres::start(PASSWORD).await;
    let server = PostgresGraph::to(&postgres).serve().await;
    let put = writer(&server).await;
    must("write", put.write(notes(&[(1, "a")])).await);
    let told = trouble(&server, "42P01").await;
    assert!(told.ends_with("relation \"notes\" does not exist"), "{told}");
    assert_eq!(line(&server, "state").as_deref(), Some("unavailable"));
    assert_eq!(
        postgres
            .value("SELECT count(*) FROM pg_class WHERE relname = 'notes'")
            .await,
        "0"
    );
    postgres.table("notes", NOTES).await;
    assert_eq!(finish(put).await, [Status::Done]);
    postgres.sql("ALTER TABLE notes DROP COLUMN note").await;
    let put = writer(&server).await;
    must("write", put.write(notes(&[(2, "b"), (3, "c")])).await);
    let told = trouble(&server, "42703").await;
    assert!(told.ends_with("column \"note\" does not exist"), "{told}");
    postgres.sql("ALTER TABLE notes ADD note text").await;
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(stored(&postgres).await, ["2 b", "3 c"]);
    let rejected = server.metric_of("nervix_emitter_rejected_total", "outbox").await;
    assert!(rejected.abs() < f64::EPSILON, "{rejected}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_inside_an_insert_loses_no_row() {
    let mut postgres = postgres("place bigserial, id bigint, note text").await;
    let graph = PostgresGraph {
        batch: "BATCH MAX MESSAGES 1000 MAX SIZE 8MiB",
        ..PostgresGraph::to(&postgres)
    };
    let server = graph.serve().await;
    let numbered = |ids: std::ops::Range<i64>| notes(&ids.map(|id| (id, "n")).collect::<Vec<_>>());
    assert_eq!(write(&server, numbered(0..1_000)).await, [Status::Done]);
    let (blocker, _driver) = postgres.client().await;
    must("lock", blocker.batch_execute("BEGIN; LOCK TABLE notes").await);
    let put = writer(&server).await;
    for first in (1_000..21_000).step_by(1_000) {
        must("write", put.write(numbered(first..first + 1_000)).await);
    }
    until("the insert is under way", || async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        (postgres.value(waiting).await == "1").then_some(())
    })
    .await;
    postgres.kill();
    trouble(&server, "Postgres").await;
    let sent = delivered(&server, "nervix_messages_total").await;
    assert!(sent < 1_001.0, "{sent} rows are acknowledged");
    postgres.start_again().await;
    assert_eq!(finish(put).await, [Status::Done; 20]);
    let expected: Vec<String> = (0..21_000).map(|id| format!("{id} n")).collect();
    assert_eq!(stored(&postgres).await, expected, "each once, in order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_output_shows_a_value_or_the_password() {
    const VALUE: &str = "planted-value";
    let postgres = postgres("place bigserial, id bigint PRIMARY KEY, note uuid").await;
    let mut server = PostgresGraph::to(&postgres).serve().await;
    let put = writer(&server).await;
    must("write", put.write(notes(&[(1, VALUE)])).await);
    let failed = error_records(&server, 1).await;
    assert!(failed[0].message.contains("22P02"), "{failed:?}");
    assert_eq!(finish(put).await, [Status::Done]);
    let described = server.exec("USE d; DESCRIBE EMITTER outbox; SHOW CREATE CLIENT pg; DESCRIBE CLIENT pg;");
    let (_, metrics) = server.page("/metrics").await;
    assert!(server.process().terminate().await.success());
    let printed = server.process().printed();
    for text in [described, metrics, format!("{failed:?}"), printed] {
        assert!(!text.contains(VALUE) && !text.contains(PASSWORD), "{text}");
    }
}
