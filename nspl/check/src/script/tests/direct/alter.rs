//! ALTER EMITTER over direct sinks: what stays, what is refused, and the class of the change.

use super::{check, codes, emitter, unbatched, world};
use crate::script::tests::{accepted, transactions};
use crate::{Catalog, ChangeClass};
use nspl_model::{Definition, EntityKey, EntityKind};

const MODE: &str = "MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s";
const SESSION: &str =
    "CLIENT SCHEMA failure MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s";

/// The world with an emitter `e` to Postgres.
fn postgres() -> Catalog {
    let values = "VALUES {'a' = id, 'b' = note} WHERE id > 0 ON CONFLICT ('a') DO UPDATE";
    accepted(
        &emitter(&format!("POSTGRES pg INSERT TO TABLE t {values}")),
        &world(),
    )
}

/// The world with an emitter `e` to ICEBERG.
fn iceberg() -> Catalog {
    let sink = "ICEBERG ON S3 s3 TABLE t VALUES {'a' = id} LOCATION 's3://b/t' CATALOG catalog COMMIT EACH 1m MAX SIZE 1GiB";
    accepted(&unbatched(sink), &world())
}

fn text(catalog: &Catalog) -> String {
    let entity = catalog
        .get("d", &EntityKey::new(EntityKind::Emitter, "e"))
        .unwrap();
    entity.text.to_string()
}

fn judged(catalog: &Catalog, operations: &str, expected: &[&str]) {
    let checked = check(&format!("ALTER EMITTER e {operations};"), catalog);
    assert_eq!(
        codes(&checked),
        expected,
        "{operations}\n{:#?}",
        checked.diagnostics
    );
}

#[test]
fn a_restated_sink_without_values_keeps_those_that_are_there() {
    let restated = format!("ALTER EMITTER e SET TO POSTGRES pg2 INSERT TO TABLE u {MODE};");
    let after = accepted(&restated, &postgres());
    let shown = text(&after);
    for kept in [
        "POSTGRES pg2 INSERT TO TABLE u",
        "'a' = id",
        "'b' = note",
        "WHERE id > 0",
        "BATCH MAX MESSAGES 500",
    ] {
        assert!(shown.contains(kept), "{kept}: {shown}");
    }
    assert!(!shown.contains("ON CONFLICT"), "{shown}");
    let anew = format!("ALTER EMITTER e SET TO POSTGRES pg INSERT TO TABLE u VALUES {{'c' = at}} {MODE};");
    let shown = text(&accepted(&anew, &postgres()));
    assert!(
        shown.contains("'c' = at") && !shown.contains("'a' = id") && !shown.contains("WHERE"),
        "{shown}"
    );
}

#[test]
fn values_that_stay_are_judged_by_the_new_sink() {
    let pg = postgres();
    judged(&pg, &format!("SET TO MYSQL mysql INSERT TO TABLE u {MODE}"), &[]);
    judged(
        &pg,
        &format!("SET TO CLICKHOUSE ch INSERT TO TABLE u {MODE}"),
        &[],
    );
    judged(
        &pg,
        &format!("SET TO MONGODB mongo INSERT TO COLLECTION u ON CONFLICT ('c') DO NOTHING {MODE}"),
        &["E1264"],
    );
    let keys = check(&format!("ALTER EMITTER e SET TO OTEL otel LOGS {MODE};"), &pg);
    assert!(
        codes(&keys).iter().all(|code| matches!(*code, "E1265" | "E1266")),
        "{keys:#?}"
    );
    assert_eq!(keys.diagnostics.len(), 3);
    let table =
        "ICEBERG ON GCS gcs TABLE 'n.t' LOCATION 'gs://b/t' CATALOG catalog COMMIT EACH 1m MAX SIZE 1GiB";
    judged(&pg, &format!("SET TO {table} {MODE}"), &["E1209"]);
    judged(&pg, &format!("SET TO {table} {MODE}, DROP BATCH"), &[]);
    judged(
        &iceberg(),
        &format!("SET TO MYSQL mysql INSERT TO TABLE t {MODE}"),
        &["E1209"],
    );
    let batch = "SET BATCH MAX MESSAGES 1 MAX SIZE 1MiB";
    judged(
        &iceberg(),
        &format!("SET TO MYSQL mysql INSERT TO TABLE t {MODE}, {batch}"),
        &[],
    );
}

#[test]
fn a_change_between_a_transforming_and_a_direct_sink_is_refused() {
    let session = format!(
        "CREATE EMITTER e FROM events TO {SESSION} SET reason = origin BATCH MAX MESSAGES 1 MAX SIZE 1MiB
         FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
    );
    let transforming = accepted(&session, &world());
    for (catalog, sink) in [
        (&transforming, format!("POSTGRES pg INSERT TO TABLE t {MODE}")),
        (
            &transforming,
            format!("POSTGRES pg INSERT TO TABLE t VALUES {{'a' = id}} {MODE}"),
        ),
        (&postgres(), SESSION.to_owned()),
    ] {
        let checked = check(&format!("ALTER EMITTER e SET TO {sink};"), catalog);
        assert_eq!(codes(&checked), ["E1223"], "{sink}");
        let help = checked.diagnostics[0].help.as_deref();
        assert_eq!(help, Some("DROP and CREATE in one transaction"));
    }
    let pg = emitter("POSTGRES pg INSERT TO TABLE t VALUES {'a' = id}");
    accepted(&format!("BEGIN; DROP EMITTER e; {pg} COMMIT;"), &transforming);
}

#[test]
fn single_clauses_change_alone() {
    let (pg, iceberg) = (postgres(), iceberg());
    for (catalog, operations, expected) in [
        (&pg, "SET CLIENT pg2", &[][..]),
        (&pg, "SET CLIENT mysql", &["E1240"]),
        (&pg, "SET MODE ACK RETRY POLICY BACKOFF 1s MAX 1m", &[]),
        (&pg, "SET MODE NO_ACK RETRY POLICY BACKOFF 1s MAX 1m", &["E1207"]),
        (&pg, "SET ENCODE USING c", &["E1211"]),
        (&pg, "DROP ENCODE", &["E1223"]),
        (&pg, "DROP BATCH", &["E1209"]),
        (&pg, "SET BATCH MAX MESSAGES 1 MAX SIZE 1KiB", &[]),
        (&pg, "SET COMMIT EACH 1m MAX SIZE 1GiB", &["E1223"]),
        (&iceberg, "SET COMMIT EACH 2m MAX SIZE 1GiB", &[]),
        (&iceberg, "SET COMMIT EACH 0s MAX SIZE 1GiB", &["E1201"]),
        (&iceberg, "SET BATCH MAX MESSAGES 1 MAX SIZE 1KiB", &["E1209"]),
        (&iceberg, "DROP BATCH", &["E1223"]),
        (&iceberg, "SET CLIENT gcs", &["E1240"]),
    ] {
        judged(catalog, operations, expected);
    }
}

#[test]
fn the_class_follows_from_what_differs() {
    let (pg, iceberg) = (postgres(), iceberg());
    for (catalog, statement, expected) in [
        (
            &pg,
            "ALTER EMITTER e SET FLUSH EACH 1s MAX BATCH SIZE 1MiB;",
            ChangeClass::Dynamic,
        ),
        (&pg, "ALTER EMITTER e SET CLIENT pg2;", ChangeClass::EntityPause),
        (&pg, "ALTER EMITTER e SET CLIENT pg;", ChangeClass::None),
        (
            &pg,
            "ALTER EMITTER e SET BATCH MAX MESSAGES 1 MAX SIZE 1MiB;",
            ChangeClass::EntityPause,
        ),
        (
            &iceberg,
            "ALTER EMITTER e SET COMMIT EACH 2m MAX SIZE 1GiB;",
            ChangeClass::EntityPause,
        ),
        (
            &iceberg,
            "ALTER EMITTER e SET COMMIT EACH 60s MAX SIZE 1024MiB;",
            ChangeClass::None,
        ),
        (
            &iceberg,
            "ALTER CLIENT catalog SET CONFIG {'uri' = 'http://i:8181', 'warehouse' = 'w'};",
            ChangeClass::DomainPause,
        ),
        (&pg, "DROP EMITTER e;", ChangeClass::EntityPause),
    ] {
        let done = transactions(statement, catalog);
        assert_eq!(done[0].class, expected, "{statement}");
    }
    for client in ["pg", "catalog", "s3"] {
        let catalog = if client == "pg" { &pg } else { &iceberg };
        assert_eq!(
            codes(&check(&format!("DROP CLIENT {client};"), catalog)),
            ["E1004"],
            "{client}"
        );
    }
    let entity = pg.get("d", &EntityKey::new(EntityKind::Emitter, "e")).unwrap();
    assert!(matches!(entity.definition, Definition::Emitter(_)));
}

#[test]
fn the_codec_that_a_direct_sink_takes_away_may_be_dropped_beside_it() {
    let text = "BEGIN;
        CREATE SCHEMA loose (x STRING OPTIONAL);
        CREATE WIRE JSON SCHEMA loose MODE LOOSE (x string OPTIONAL);
        CREATE CODEC loose FROM WIRE JSON SCHEMA loose TO SCHEMA loose;
        CREATE CLIENT nats TYPE NATS CONFIG {'addr' = 'nats://h'};
        CREATE EMITTER e FROM events TO NATS nats SUBJECT s MODE NO_ACK RETRY POLICY BACKOFF 1s MAX 1m
        ENCODE USING loose FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
        COMMIT;";
    let encoding = accepted(text, &world());
    let direct = format!("SET TO POSTGRES pg INSERT TO TABLE t VALUES {{'a' = id}} {MODE}");
    let batch = "SET BATCH MAX MESSAGES 1 MAX SIZE 1MiB";
    for operations in [
        format!("{direct}, {batch}"),
        format!("{direct}, DROP ENCODE, {batch}"),
        format!("DROP ENCODE, {direct}, {batch}"),
    ] {
        judged(&encoding, &operations, &[]);
    }
    judged(
        &encoding,
        &format!("{direct}, DROP ENCODE, DROP ENCODE, {batch}"),
        &["E1223"],
    );
}
