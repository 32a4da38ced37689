//! CODEC and WIRE SCHEMA: what belongs together, and what changes with them.

use nspl_model::{CodecForm, Definition, EntityKey, EntityKind, WireType};

use super::{accepted, check, codes, world};
use crate::Catalog;

const WORLD: &str = "BEGIN;
CREATE WIRE JSON SCHEMA reading MODE LOOSE (at STRING, count Integer, more string OPTIONAL, note string OPTIONAL);
CREATE SCHEMA reading (count U64, note STRING OPTIONAL, at DATETIME, until DATETIME);
CREATE SCHEMA counted (count U64, at DATETIME);
CREATE CODEC readings FROM WIRE JSON SCHEMA reading TO SCHEMA counted ENCODE at AS RFC3339;
CREATE CODEC programmed FROM YAML TO SCHEMA reading WITH JAQ TRANSFORMATIONS ON INGESTION '.';
COMMIT;";

fn with_codecs() -> Catalog {
    accepted(WORLD, &world())
}

fn definition(catalog: &Catalog, kind: EntityKind, name: &str) -> Definition {
    catalog
        .get("d", &EntityKey::new(kind, name))
        .unwrap()
        .definition
        .clone()
}

#[test]
fn a_codec_holds_what_it_refers_to() {
    let catalog = with_codecs();
    let Definition::Codec(codec) = definition(&catalog, EntityKind::Codec, "readings") else {
        panic!("no codec")
    };
    let CodecForm::Schemaful { wire, rfc3339 } = &codec.form else {
        panic!("{codec:?}")
    };
    assert_eq!(rfc3339, &[1]);
    assert_eq!(wire.field("count").unwrap().wire_type, WireType::Integer);
    assert!(codec.emits() && codec.decodes());
    let Definition::Codec(codec) = definition(&catalog, EntityKind::Codec, "programmed") else {
        panic!("no codec")
    };
    assert!(!codec.emits() && codec.decodes());
}

#[test]
fn every_fault_of_a_codec_is_reported_once_and_those_of_its_parts_hide_it() {
    let catalog = with_codecs();
    let text = "CREATE CODEC c FROM WIRE JSON SCHEMA reading TO SCHEMA reading ENCODE at AS RFC3339, count AS RFC3339, at AS RFC3339, onto AS RFC3339;";
    let found = check(text, &catalog);
    // Both are about the wire schema: it lacks `until`, which ENCODE does not name either.
    assert_eq!(codes(&found), ["E1502", "E1505", "E1505", "E1505", "E1301"]);
    let text = "BEGIN; CREATE WIRE AVRO SCHEMA w MODE STRICT (id strng); CREATE CODEC c FROM WIRE AVRO SCHEMA w TO SCHEMA event; COMMIT;";
    assert_eq!(codes(&check(text, &catalog)), ["E1501"]);
    let text = "CREATE CODEC c FROM WIRE CBOR SCHEMA readings TO SCHEMA nothing ENCODE at AS RFC3339, at AS RFC3339;";
    assert_eq!(codes(&check(text, &catalog)), ["E1001", "E1001", "E1505"]);
    let text = "CREATE WIRE JSON SCHEMA w MODE STRICT (id integer, id string);";
    assert_eq!(codes(&check(text, &catalog)), ["E1009"]);
}

#[test]
fn altering_a_wire_schema_is_judged_with_its_codecs() {
    let catalog = with_codecs();
    let breaks = check("ALTER WIRE JSON SCHEMA reading DROP FIELD count;", &catalog);
    assert_eq!(codes(&breaks), ["E1008"], "{breaks:#?}");
    let faults = check(
        "ALTER WIRE JSON SCHEMA reading DROP FIELD nothing, ADD FIELD at string;",
        &catalog,
    );
    assert_eq!(codes(&faults), ["E1223", "E1223"]);
    let altered = accepted(
        "ALTER WIRE JSON SCHEMA reading MODE STRICT, RENAME FIELD note TO notes, ADD FIELD f number OPTIONAL,
           ALTER FIELD f SET TYPE array, ALTER FIELD more DROP OPTIONAL, ALTER FIELD more SET OPTIONAL, DROP FIELD f;",
        &catalog,
    );
    let key = EntityKey::new(EntityKind::WireJsonSchema, "reading");
    let text = &altered.get("d", &key).unwrap().text;
    assert_eq!(
        &**text,
        "CREATE WIRE JSON SCHEMA reading MODE STRICT (\n  at string,\n  count integer,\n  more string OPTIONAL,\n  notes string OPTIONAL\n);"
    );
}

#[test]
fn stored_codecs_come_back() {
    let catalog = with_codecs();
    let texts = ["counted", "reading"].map(|name| EntityKey::new(EntityKind::Schema, name));
    let keys = texts.into_iter().chain([
        EntityKey::new(EntityKind::WireJsonSchema, "reading"),
        EntityKey::new(EntityKind::Codec, "readings"),
    ]);
    let texts: Vec<String> = keys
        .map(|key| catalog.get("d", &key).unwrap().text.to_string())
        .collect();
    let found = crate::definition("d", &texts).unwrap();
    assert_eq!(found, definition(&catalog, EntityKind::Codec, "readings"));
    assert_eq!(
        catalog
            .closure("d", &EntityKey::new(EntityKind::Codec, "readings"))
            .len(),
        3
    );
}

#[test]
fn a_program_is_refused_at_its_place_and_what_is_stored_is_not_compiled_again() {
    let catalog = with_codecs();
    let program = |literal: &str| {
        format!(
            "CREATE CODEC c FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON INGESTION {literal} ON EMITTING '.';"
        )
    };
    let place = |literal: &str| {
        let text = program(literal);
        let found = check(&text, &catalog);
        assert_eq!(codes(&found), ["E1507"], "{text}");
        text.get(found.diagnostics[0].span.clone()).unwrap().to_owned()
    };
    assert_eq!(place("'.a | nothing'"), "nothing");
    assert_eq!(place("'{a: ''x'', b: 1}'"), "''");
    assert_eq!(place("\"[.[] | \"\"a\"\" | gone(1)]\""), "gone");
    assert_eq!(place("'.a |'"), "'");
    assert_eq!(codes(&check(&program("'input'"), &catalog)), ["E1508"]);
    let twice = "CREATE CODEC c FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON INGESTION 'one' ON EMITTING '$ENV | two';";
    assert_eq!(codes(&check(twice, &catalog)), ["E1507", "E1508", "E1507"]);
    let statements = [
        "CREATE SCHEMA s (a I64);",
        "CREATE CODEC c FROM JSON TO SCHEMA s WITH JAQ TRANSFORMATIONS ON EMITTING 'of_another_release';",
    ];
    assert!(crate::definition("d", &statements).is_ok());
}

#[test]
fn the_codecs_of_the_specification_are_accepted() {
    let text = "BEGIN; CREATE SCHEMA notification (user_id STRING, action STRING);
CREATE IF NOT EXISTS CODEC notification_codec
  FROM JSON
  TO SCHEMA notification
  WITH JAQ TRANSFORMATIONS ON EMITTING '{payload: .}';
CREATE WIRE JSON SCHEMA event_body MODE STRICT (user_id string, action string);
CREATE CODEC event_body_codec FROM WIRE JSON SCHEMA event_body TO SCHEMA notification;
CREATE CODEC sentry_event_codec FROM JSON TO SCHEMA notification
  WITH JAQ TRANSFORMATIONS ON EMITTING '{message: .action, level: \"error\", user: {id: .user_id}}'
    ON EMITTING BATCH '{message: \"\\(length) events\", extra: {events: .}}'; COMMIT;";
    accepted(text, &with_codecs());
}

#[test]
fn every_type_has_its_wire_types() {
    let fits = |format: &str, internal: &str, wire: &str, encode: &str| {
        let text = format!(
            "BEGIN; CREATE SCHEMA s (f {internal}); CREATE WIRE {format} SCHEMA w MODE STRICT (f {wire});
             CREATE CODEC c FROM WIRE {format} SCHEMA w TO SCHEMA s{encode}; COMMIT;"
        );
        let found = check(&text, &world());
        assert!(matches!(codes(&found)[..], [] | ["E1503"]), "{text}: {found:#?}");
        found.diagnostics.is_empty()
    };
    let wires = [
        ("JSON", &["integer", "number", "boolean", "string", "array"][..]),
        (
            "CBOR",
            &["integer", "number", "boolean", "string", "bytes", "array"],
        ),
        (
            "AVRO",
            &[
                "int", "long", "float", "double", "boolean", "string", "bytes", "array",
            ],
        ),
    ];
    // The table of the rulings, one column a format.
    let table = [
        ("I8 I16 I32 U8 U16", ["integer", "integer", "int long"]),
        ("U32 I64 U64", ["integer", "integer", "long"]),
        ("F32", ["number", "number", "float"]),
        ("F64", ["number", "number", "double"]),
        ("BOOL", ["boolean"; 3]),
        ("STRING DATETIME", ["string"; 3]),
        ("BYTES", ["string", "bytes", "bytes"]),
        ("ARRAY<I32,2> VEC<VEC<BYTES>> VEC<U64>", ["array"; 3]),
    ];
    for (internals, columns) in table {
        for internal in internals.split(' ') {
            let encode = if internal == "DATETIME" {
                " ENCODE f AS RFC3339"
            } else {
                ""
            };
            for ((format, all), takes) in wires.iter().zip(columns) {
                for wire in *all {
                    let wanted = takes.split(' ').any(|take| take == *wire);
                    assert_eq!(
                        fits(format, internal, wire, encode),
                        wanted,
                        "{format} {internal} {wire}"
                    );
                }
            }
        }
    }
    let text = "BEGIN; CREATE SCHEMA s (f VEC<DATETIME>); CREATE WIRE JSON SCHEMA w MODE STRICT (f array);
        CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA s; COMMIT;";
    assert_eq!(codes(&check(text, &world())), ["E1505"]);
}

#[test]
fn syslog_records_have_their_fields() {
    let found = |fields: &str| {
        let text =
            format!("BEGIN; CREATE SCHEMA s ({fields}); CREATE CODEC c FROM SYSLOG TO SCHEMA s; COMMIT;");
        codes(&check(&text, &world())).len()
    };
    let all = "facility U8, severity U8, timestamp DATETIME OPTIONAL, hostname STRING OPTIONAL, app_name STRING OPTIONAL,
        proc_id STRING OPTIONAL, msg_id STRING OPTIONAL, structured_data STRING OPTIONAL, message STRING";
    assert_eq!(found(all), 0);
    assert_eq!(found("message STRING, severity U8, facility U8"), 0);
    assert_eq!(found("message STRING"), 1);
    assert_eq!(found("message STRING, severity I32, facility U8, more BOOL"), 2);
    assert_eq!(
        found(&all.replace("hostname STRING OPTIONAL", "hostname STRING")),
        1
    );
}
