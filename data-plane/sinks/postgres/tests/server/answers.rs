//! What the server says of an insert: whose fault it is, what is told, and what is written.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use nervix_sink::{FailureKind, Rows};
use nervix_tests::postgres::{Postgres, USER};
use nspl_model::{Conflict, ConflictAction, DataType};

use crate::stage::{connect, emitter, open, refused, rows, server, unresolved, written};

const COLUMNS: [(&str, DataType); 2] = [("id", DataType::I64), ("note", DataType::String)];

fn notes(notes: &[(i64, &str)]) -> Rows {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(notes.iter().map(|(id, _)| *id)));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(notes.iter().map(|(_, note)| *note)));
    rows(&[("id", ids), ("note", texts)])
}

async fn stored(server: &Postgres, table: &str) -> Vec<String> {
    let read = format!("SELECT id || ' ' || note FROM {table} ORDER BY id, note");
    server.column(&read).await.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_constraint_refuses_the_whole_write_and_is_told_without_a_value() {
    let server = server().await;
    server
        .table(
            "events",
            "id bigint PRIMARY KEY, note text NOT NULL CHECK (note <> 'secret note')",
        )
        .await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    written(&sink.write(&notes(&[(1, "a")])).await);
    let message = refused(sink.write(&notes(&[(2, "b"), (1, "secret"), (3, "c")])).await);
    assert_eq!(
        message,
        "Postgres refused the row: SQLSTATE 23505 (integrity constraint violation), constraint \"events_pkey\", table \"events\""
    );
    assert_eq!(stored(&server, "events").await, ["1 a"], "nothing of the write");
    let message = refused(sink.write(&notes(&[(4, "secret note")])).await);
    assert!(
        message.contains("23514") && message.contains("events_note_check"),
        "{message}"
    );
    assert!(!message.contains("secret"), "{message}");
    written(&sink.write(&notes(&[(2, "b"), (3, "c")])).await);
    assert_eq!(stored(&server, "events").await, ["1 a", "2 b", "3 c"]);
}

#[tokio::test]
async fn conflict_policies_are_the_servers_own() {
    let server = server().await;
    server.table("events", "id bigint PRIMARY KEY, note text").await;
    let client = connect(&server, (0, 1));
    let policy = |targets: &[usize], action| {
        Some(Conflict {
            targets: targets.to_vec(),
            action,
        })
    };
    let update = emitter("events", &COLUMNS, policy(&[0], ConflictAction::Update));
    let mut update = open(client.as_ref(), update).await.expect("it opens");
    written(&update.write(&notes(&[(1, "a"), (2, "b")])).await);
    written(&update.write(&notes(&[(2, "B"), (3, "c")])).await);
    assert_eq!(stored(&server, "events").await, ["1 a", "2 B", "3 c"]);
    // One key twice: the server refuses the statement, and takes the rows one by one.
    let message = refused(update.write(&notes(&[(4, "d"), (4, "D")])).await);
    assert!(message.contains("21000"), "{message}");
    written(&update.write(&notes(&[(4, "d")])).await);
    written(&update.write(&notes(&[(4, "D")])).await);
    for targets in [&[0][..], &[]] {
        let nothing = emitter("events", &COLUMNS, policy(targets, ConflictAction::Nothing));
        let mut nothing = open(client.as_ref(), nothing).await.expect("it opens");
        written(
            &nothing
                .write(&notes(&[(1, "x"), (5, "first"), (5, "second")]))
                .await,
        );
    }
    assert_eq!(
        stored(&server, "events").await,
        ["1 a", "2 B", "3 c", "4 D", "5 first"]
    );
}

#[tokio::test]
async fn a_function_of_the_database_blames_the_row_and_is_not_quoted() {
    let server = server().await;
    server.table("events", "id bigint, note text").await;
    server
        .sql(
            "CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
               IF NEW.note = 'raise' THEN RAISE EXCEPTION 'no %', NEW.note; END IF;
               IF NEW.note = 'own' THEN RAISE EXCEPTION 'no %', NEW.note USING ERRCODE = 'U0001', CONSTRAINT = NEW.note; END IF;
               IF NEW.note = 'busy' THEN RAISE EXCEPTION 'no %', NEW.note USING ERRCODE = '55P03'; END IF;
               RETURN NEW; END $$;
             CREATE TRIGGER judge BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION judge()",
        )
        .await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    for (note, expected) in [
        ("raise", "P0001 (PL/pgSQL error)"),
        ("own", "U0001 (an error of a function of the database)"),
    ] {
        let message = refused(sink.write(&notes(&[(1, note)])).await);
        assert_eq!(message, format!("Postgres refused the row: SQLSTATE {expected}"));
    }
    let failure = unresolved(sink.write(&notes(&[(1, "busy")])).await);
    assert_eq!(
        failure.message.as_str(),
        "Postgres did not take an insert: SQLSTATE 55P03 (object not in prerequisite state)"
    );
    written(&sink.write(&notes(&[(1, "fine")])).await);
}

#[tokio::test]
async fn a_row_too_large_for_an_index_is_its_own_fault() {
    let server = server().await;
    server.table("events", "id bigint, note text").await;
    server.sql("CREATE INDEX ON events (note)").await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    // Without repetition, so that it cannot be compressed.
    let long = server
        .value("SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) n")
        .await;
    let message = refused(sink.write(&notes(&[(1, "short"), (2, &long)])).await);
    assert!(message.contains("54000"), "{message}");
    written(&sink.write(&notes(&[(1, "short")])).await);
}

#[tokio::test]
async fn what_an_operator_has_to_mend_is_kept() {
    let server = server().await;
    server.table("events", "id bigint, note text").await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    server.sql(&format!("REVOKE INSERT ON events FROM {USER}")).await;
    let failure = unresolved(sink.write(&notes(&[(1, "a")])).await);
    assert_eq!(failure.kind, FailureKind::Unauthorized);
    assert!(failure.message.as_str().contains("42501"), "{}", failure.message);
    server.sql(&format!("GRANT INSERT ON events TO {USER}; ALTER TABLE events ADD m integer GENERATED ALWAYS AS (1) STORED")).await;
    written(&sink.write(&notes(&[(1, "a")])).await);
    let generated = emitter("events", &[("id", DataType::I64), ("m", DataType::I64)], None);
    let mut generated = open(client.as_ref(), generated).await.expect("it opens");
    let one: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let failure = unresolved(
        generated
            .write(&rows(&[("id", Arc::clone(&one)), ("m", one)]))
            .await,
    );
    assert!(failure.message.as_str().contains("428C9"), "{}", failure.message);
    client.drain(nervix_clock::PhysicalClock::system().now()).await;
}

#[tokio::test]
async fn a_database_that_is_read_only_is_no_fault_of_a_row() {
    let server = server().await;
    server.table("events", "id bigint, note text").await;
    server
        .sql(&format!(
            "ALTER ROLE {USER} SET default_transaction_read_only = on"
        ))
        .await;
    let client = connect(&server, (0, 1));
    let mut sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    let failure = unresolved(sink.write(&notes(&[(1, "a")])).await);
    assert!(failure.message.as_str().contains("25006"), "{}", failure.message);
}

#[tokio::test]
async fn what_is_measured_is_the_statement_and_its_arrays() {
    let server = server().await;
    server.table("events", "id bigint, note text").await;
    let client = connect(&server, (0, 1));
    let sink = open(client.as_ref(), emitter("events", &COLUMNS, None))
        .await
        .expect("it opens");
    let statement = "INSERT INTO \"events\" (\"id\", \"note\") SELECT u.c0, u.c1 FROM unnest($1::int8[], $2::text[]) AS u(c0, c1) \
                     WHERE CAST(CASE (SELECT string_agg(concat_ws(' ', atttypid, atttypmod), ',' ORDER BY attname) FROM \
                     pg_attribute WHERE attrelid = E'\"events\"'::regclass AND attnum > 0) WHEN E'20 -1,25 -1' THEN NULL \
                     ELSE 'columns of other types' END AS regclass) IS NULL";
    let measure = sink.measure(&notes(&[(1, ""), (2, "abc")]));
    assert_eq!(measure.write_bytes, statement.len() as u64 + 2 * 20);
    assert_eq!(measure.row_bytes, [12 + 4, 12 + 7]);
    let limits = sink.limits();
    assert_eq!(
        (limits.name, limits.rows_max, limits.bytes_max),
        ("Postgres insert", None, Some(1_073_741_822))
    );
}
