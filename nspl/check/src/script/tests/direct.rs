//! Direct emitters: what VALUES map, and what each database and ICEBERG take.

mod alter;
mod identifiers;
mod specification;

use super::{accepted, check, codes};
use crate::Catalog;
use nspl_model::{
    Conflict, ConflictAction, Content, DataType, Definition, EmitterDef, EntityKey, EntityKind, ObjectStore,
    Scope, SinkDef, SinkKind, Step,
};

const WORLD: &str = "
CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA event (id I64, origin STRING, note STRING OPTIONAL, secret STRING OPTIONAL SENSITIVE, hidden VEC<I64> SENSITIVE,
  raw BYTES, at DATETIME, many VEC<VEC<F32>>, few ARRAY<BOOL, 2>, big U64);
CREATE SCHEMA failure (reason STRING);
CREATE RELAY events SCHEMA event UNBRANCHED;
CREATE RELAY failures SCHEMA failure UNBRANCHED;
CREATE RELAY latest SCHEMA event UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;
CREATE CLIENT ch TYPE CLICKHOUSE CONFIG {'addr' = 'http://h:8123'};
CREATE CLIENT pg TYPE POSTGRES POOL SIZE MIN 0 MAX 1 CONFIG {'addr' = 'postgres://h/d?sslmode=disable'};
CREATE CLIENT pg2 TYPE POSTGRES POOL SIZE MIN 0 MAX 1 CONFIG {'addr' = 'postgres://i/d?sslmode=disable'};
CREATE CLIENT mysql TYPE MYSQL POOL SIZE MIN 0 MAX 1 CONFIG {'addr' = 'mysql://h/d'};
CREATE CLIENT mongo TYPE MONGODB POOL SIZE MIN 0 MAX 1 CONFIG {'addr' = 'mongodb://h', 'database' = 'd'};
CREATE CLIENT otel TYPE OTEL CONFIG {'endpoint' = 'http://h:4317', 'protocol' = 'grpc'};
CREATE CLIENT s3 TYPE S3 CONFIG {'region' = 'r'};
CREATE CLIENT gcs TYPE GCS CONFIG {'token' = 't'};
CREATE CLIENT azure TYPE AZURE_BLOB CONFIG {'account_name' = 'a', 'account_key' = 'k'};
CREATE CLIENT catalog TYPE ICEBERG_REST CONFIG {'uri' = 'http://h:8181', 'warehouse' = 'w'};
COMMIT;";

const MODE: &str = "MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s";
const BATCH: &str = "BATCH MAX MESSAGES 500 MAX SIZE 8MiB";
const LOG: &str = "FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";

pub(super) fn world() -> Catalog {
    accepted(WORLD, &Catalog::default())
}

/// A Postgres emitter `e` with these VALUES.
fn mapping(values: &str) -> String {
    emitter(&format!("POSTGRES pg INSERT TO TABLE t VALUES {values}"))
}

/// An emitter `e` of a sink that requires BATCH.
fn emitter(sink: &str) -> String {
    format!("CREATE EMITTER e FROM events TO {sink} {MODE} {BATCH} {LOG}")
}

/// An emitter `e` of a sink that does not.
pub(super) fn unbatched(sink: &str) -> String {
    format!("CREATE EMITTER e FROM events TO {sink} {MODE} {LOG}")
}

pub(super) fn definition(text: &str) -> EmitterDef {
    let catalog = accepted(text, &world());
    let entity = catalog
        .get("d", &EntityKey::new(EntityKind::Emitter, "e"))
        .unwrap();
    match &entity.definition {
        Definition::Emitter(emitter) => (**emitter).clone(),
        other => panic!("{other:?}"),
    }
}

pub(super) fn refused(text: &str, expected: &[&str]) {
    let checked = check(text, &world());
    assert_eq!(codes(&checked), expected, "{text}\n{:#?}", checked.diagnostics);
}

#[test]
fn values_become_the_fields_of_the_output_in_written_order() {
    let emitter = definition(&mapping(
        "{'b' = note, 'a' = input.id + 1, 'c' = lower(message.origin), 'n' = NULL AS I8, 'one' = 1, 'f' = 2.5}
         WHERE id > 0 AND message.origin != ''",
    ));
    assert_eq!(emitter.content, Content::Mapped);
    let fields: Vec<String> = emitter
        .output
        .fields
        .iter()
        .map(|field| format!("{} {} {}", field.name, field.data_type, field.optional))
        .collect();
    let expected = [
        "b STRING true",
        "a I64 false",
        "c STRING false",
        "n I8 true",
        "one I64 false",
        "f F64 false",
    ];
    assert_eq!(fields, expected);
    assert!(emitter.output.fields.iter().all(|field| !field.sensitive));
    assert_eq!(emitter.construction.steps.len(), expected.len());
    for (index, step) in emitter.construction.steps.iter().enumerate() {
        let Step::Set(set) = step else { panic!("{step:?}") };
        assert_eq!(set.index, index);
        assert!(
            set.expr.fields().iter().all(|field| field.scope == Scope::Input),
            "{step:?}"
        );
    }
    let filter = emitter.construction.filter.unwrap();
    assert!(filter.fields().iter().all(|field| field.scope == Scope::Input));
}

#[test]
fn values_take_every_type_and_the_whole_surface_of_expressions() {
    let emitter = definition(&mapping(
        "{'raw' = raw, 'at' = at, 'many' = many, 'few' = few, 'big' = big, 'leaked' = leak_sensitive(hidden),
          'now' = NOW(), 'text' = NOW() AS STRING, 'either' = IF id > 0 THEN 1 ELSE NULL END,
          'sum' = 1 + 2.5, 'day' = '2026-01-01T00:00:00Z' AS DATETIME, 'json' = TRY_JSON_VALUE(origin, '$.a' AS U8),
          'case' = CASE id WHEN 1 THEN 'one' END}",
    ));
    let of = |name: &str| {
        emitter
            .output
            .field(name)
            .map(|field| (field.data_type.clone(), field.optional))
            .unwrap()
    };
    assert_eq!(of("either"), (DataType::I64, true));
    assert_eq!(of("sum"), (DataType::F64, false));
    assert_eq!(of("json"), (DataType::U8, true));
    assert_eq!(of("case"), (DataType::String, true));
    assert_eq!(of("leaked").0.to_string(), "VEC<I64>");
}

#[test]
fn values_are_refused_once_each_and_all_together() {
    for (values, expected) in [
        ("{}", &["E1261"][..]),
        ("{'a' = id, 'b' = note, 'a' = at}", &["E1216"]),
        ("{'' = id}", &["E1262"]),
        ("{'a' = NULL}", &["E1307"]),
        ("{'a' = [1, 2]}", &["E1318"]),
        ("{'a' = output.id}", &["E1302"]),
        ("{'a' = branch.id}", &["E1302"]),
        ("{'a' = relay_state.latest.id}", &["E1302"]),
        ("{'a' = nothing}", &["E1301"]),
        ("{'a' = secret}", &["E1315"]),
        ("{'a' = hidden}", &["E1315"]),
        ("{'a' = is_null(secret)}", &["E1315"]),
        ("{'a' = 1 / 0}", &["E1313"]),
        ("{'a' = 300 AS U8}", &["E1313"]),
        ("{'a' = id} WHERE id", &["E1304"]),
        ("{'a' = id} WHERE output.a > 0", &["E1302"]),
        (
            "{'a' = nothing, 'a' = 1, '' = secret} WHERE id",
            &["E1301", "E1216", "E1262", "E1315", "E1304"],
        ),
    ] {
        refused(&mapping(values), expected);
    }
}

#[test]
fn materialized_state_is_readable_in_values_and_where() {
    let text = format!(
        "CREATE EMITTER e FROM events USING MATERIALIZED STATE latest REQUIRED SKIP
         TO POSTGRES pg INSERT TO TABLE t VALUES {{'a' = relay_state.latest.id}} WHERE relay_state.latest.id = input.id
         {MODE} {BATCH} {LOG}"
    );
    let emitter = definition(&text);
    assert_eq!(emitter.output.fields[0].data_type, DataType::I64);
    assert!(emitter.construction.filter.is_some());
}

#[test]
fn what_transforms_is_refused_and_so_is_partial_output() {
    let sink = "POSTGRES pg INSERT TO TABLE t VALUES {'a' = id}";
    for (rest, expected) in [
        ("ENCODE USING c", &["E1211"][..]),
        ("WITHOUT BODY", &["E1211"]),
        ("INHERIT ALL", &["E1260"]),
        ("SET a = id", &["E1260"]),
        ("WHERE id > 0", &["E1260"]),
        ("INVOKE write_header('a', 'b')", &["E1212"]),
        (
            "INHERIT id SET a = id WHERE id > 0 INVOKE write_header('a', 'b')",
            &["E1260", "E1260", "E1260", "E1212"],
        ),
    ] {
        refused(
            &format!("CREATE EMITTER e FROM events TO {sink} {MODE} {rest} {BATCH} {LOG}"),
            expected,
        );
    }
    for (reason, expected) in [
        ("partial_output.a", &["E1302"][..]),
        ("error.message", &[]),
        ("input.origin", &[]),
    ] {
        let errors = format!("ON MESSAGE ERROR SEND TO failures SET reason = {reason} ON GENERAL ERROR LOG;");
        let text = format!("CREATE EMITTER e FROM events TO {sink} {MODE} {BATCH} FLUSH IMMEDIATE {errors}");
        refused(&text, expected);
    }
    refused(&emitter("POSTGRES pg INSERT TO TABLE t"), &["E1261"]);
}

#[test]
fn modes_batches_and_clients_are_those_of_the_sink() {
    let iceberg = "ICEBERG ON S3 s3 TABLE t VALUES {'a' = id} LOCATION 's3://b/t' CATALOG catalog COMMIT EACH 1m MAX SIZE 1GiB";
    let logs = "OTEL otel LOGS VALUES {'time' = at, 'body' = origin}";
    for (sink, batch) in [
        ("CLICKHOUSE ch INSERT TO TABLE t VALUES {'a' = id}", Some(true)),
        ("POSTGRES pg INSERT TO TABLE t VALUES {'a' = id}", Some(true)),
        ("MYSQL mysql INSERT TO TABLE t VALUES {'a' = id}", Some(true)),
        (
            "MONGODB mongo INSERT TO COLLECTION t VALUES {'a' = id}",
            Some(true),
        ),
        (logs, None),
        (iceberg, Some(false)),
    ] {
        refused(
            &emitter(sink),
            if batch == Some(false) { &["E1209"] } else { &[] },
        );
        refused(
            &unbatched(sink),
            if batch == Some(true) { &["E1209"] } else { &[] },
        );
        for mode in [
            "NO_ACK",
            "ACK SEQUENTIAL ACK TIMEOUT 1s",
            "ACK PARALLEL MAX 2 ACK TIMEOUT 1s",
            "SINGLE",
        ] {
            let text = unbatched(sink).replace("MODE ACK", &format!("MODE {mode}"));
            let expected = if batch == Some(true) {
                vec!["E1209", "E1207"]
            } else {
                vec!["E1207"]
            };
            let mut found = codes(&check(&text, &world()));
            found.sort_by_key(|code| *code != "E1209");
            assert_eq!(found, expected, "{text}");
        }
        let stranger = |word: &str| match word {
            "ch" | "pg" | "mysql" | "mongo" | "otel" | "s3" => "gcs".to_owned(),
            word => word.to_owned(),
        };
        let strange: Vec<String> = sink.split(' ').map(stranger).collect();
        let text = if batch == Some(true) {
            emitter(&strange.join(" "))
        } else {
            unbatched(&strange.join(" "))
        };
        refused(&text, &["E1240"]);
    }
    refused(
        &unbatched(&iceberg.replace("CATALOG catalog", "CATALOG s3")),
        &["E1240"],
    );
    refused(
        &unbatched(&iceberg.replace("CATALOG catalog", "CATALOG nothing")),
        &["E1001"],
    );
}

#[test]
fn a_conflict_policy_has_the_form_of_its_database() {
    let two = "VALUES {'a' = id, 'b' = note}";
    let (pg, my, mongo) = (
        "POSTGRES pg INSERT TO TABLE t",
        "MYSQL mysql INSERT TO TABLE t",
        "MONGODB mongo INSERT TO COLLECTION t",
    );
    for (database, conflict, expected) in [
        (pg, "('a') DO UPDATE", &[][..]),
        (pg, "('a') DO NOTHING", &[]),
        (pg, "('b', 'a') DO NOTHING", &[]),
        (pg, "DO NOTHING", &[]),
        (pg, "DO UPDATE", &["E1263"]),
        (pg, "('a', 'b') DO UPDATE", &["E1264"]),
        (pg, "('a', 'a') DO NOTHING", &["E1264"]),
        (pg, "('A', 'c') DO UPDATE", &["E1264", "E1264"]),
        ("CLICKHOUSE ch INSERT TO TABLE t", "DO NOTHING", &["E1263"]),
        (my, "DO UPDATE", &[]),
        (my, "DO NOTHING", &[]),
        (my, "('a') DO UPDATE", &["E1263"]),
        (my, "('a') DO NOTHING", &["E1263"]),
        (mongo, "('a') DO UPDATE", &[]),
        (mongo, "('b') DO NOTHING", &[]),
        (mongo, "DO UPDATE", &["E1263"]),
        (mongo, "DO NOTHING", &["E1263"]),
        (mongo, "('a', 'b') DO UPDATE", &["E1264"]),
    ] {
        refused(
            &emitter(&format!("{database} {two} ON CONFLICT {conflict}")),
            expected,
        );
    }
    let nearest = check(
        &emitter(&format!("{pg} {two} ON CONFLICT ('A') DO UPDATE")),
        &world(),
    );
    assert_eq!(nearest.diagnostics[0].help.as_deref(), Some("it has 'a'"));
    let emitter = definition(&emitter(&format!("{pg} {two} ON CONFLICT ('b') DO UPDATE")));
    let SinkDef::Postgres(sink) = &emitter.sink else {
        panic!("{:?}", emitter.sink)
    };
    let expected = Conflict {
        targets: vec![1],
        action: ConflictAction::Update,
    };
    assert_eq!(sink.conflict, Some(expected));
}

#[test]
fn tables_and_collections_are_names_that_their_database_can_have() {
    for kind in ["CLICKHOUSE ch", "POSTGRES pg", "MYSQL mysql"] {
        for (table, expected) in [
            ("orders", &[][..]),
            ("'shop.orders'", &[]),
            ("'\"my.schema\".\"my.orders\"'", &[]),
            ("''", &["E1246"]),
            ("'a.b.c'", &["E1246"]),
            ("'a.'", &["E1246"]),
            ("'\"a'", &["E1246"]),
        ] {
            refused(
                &emitter(&format!("{kind} INSERT TO TABLE {table} VALUES {{'a' = id}}")),
                expected,
            );
        }
    }
    for (collection, expected) in [
        ("orders", &[][..]),
        ("'orders.2026'", &[]),
        ("''", &["E1246"]),
        ("'a$b'", &["E1246"]),
        ("'system.users'", &["E1246"]),
    ] {
        let sink = format!("MONGODB mongo INSERT TO COLLECTION {collection} VALUES {{'a' = id}}");
        refused(&emitter(&sink), expected);
    }
    let emitter = definition(&emitter(
        "POSTGRES pg INSERT TO TABLE 'a.\"b.c\"' VALUES {'a' = id}",
    ));
    let SinkDef::Postgres(sink) = &emitter.sink else {
        panic!("{:?}", emitter.sink)
    };
    assert_eq!(
        (sink.table.schema.as_deref(), sink.table.table.as_str()),
        (Some("a"), "b.c")
    );
}

#[test]
fn iceberg_names_its_store_its_table_and_its_commits() {
    let sink = |store: &str, table: &str, location: &str, commit: &str| {
        unbatched(&format!(
            "ICEBERG ON {store} TABLE {table} VALUES {{'a' = id}} LOCATION '{location}' CATALOG catalog COMMIT EACH {commit}"
        ))
    };
    let commit = "1m MAX SIZE 512MiB";
    let azure = "wasbs://c@a.blob.core.windows.net/t";
    for (store, location, expected) in [
        ("S3 s3", "s3://b/t", &[][..]),
        ("GCS gcs", "gs://b/t", &[]),
        ("AZURE_BLOB azure", azure, &[]),
        ("AZURE_BLOB azure", "wasb://c@127.0.0.1:10000/t", &[]),
        ("S3 s3", "gs://b/t", &["E1271"]),
        ("GCS gcs", "s3://b/t", &["E1271"]),
        (
            "AZURE_BLOB azure",
            "https://a.blob.core.windows.net/t",
            &["E1271"],
        ),
        ("S3 gcs", "s3://b/t", &["E1240"]),
        ("GCS s3", "gs://b/t", &["E1240"]),
    ] {
        refused(&sink(store, "t", location, commit), expected);
    }
    for (table, expected) in [("'a.b.t'", &[][..]), ("'a..t'", &["E1246"]), ("''", &["E1246"])] {
        refused(&sink("S3 s3", table, "s3://b/t", commit), expected);
    }
    for wrong in ["0s MAX SIZE 1GiB", "1m MAX SIZE 0B", "366d MAX SIZE 1GiB"] {
        refused(&sink("S3 s3", "t", "s3://b/t", wrong), &["E1201"]);
    }
    let emitter = definition(&sink("S3 s3", "'n.t'", "s3://b/t", commit));
    let SinkDef::Iceberg(iceberg) = &emitter.sink else {
        panic!("{:?}", emitter.sink)
    };
    assert_eq!(
        (iceberg.store, iceberg.table.to_string().as_str()),
        (ObjectStore::S3, "n.t")
    );
    assert_eq!(iceberg.commit.to_string(), "COMMIT EACH 1m MAX SIZE 512MiB");
    assert_eq!(
        emitter.sink.client().map(|client| client.name.as_str()),
        Some("s3")
    );
    assert_eq!(emitter.sink.kind(), SinkKind::Iceberg);
}
