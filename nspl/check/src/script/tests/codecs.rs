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
