//! Classes of change, from the difference of the graphs (companion section 14).

use super::{transactions, world};
use crate::{Cause, ChangeClass};
use nspl_model::EntityKey;

fn class(text: &str) -> (ChangeClass, Vec<(String, Cause)>) {
    let mut done = transactions(text, &world());
    let transaction = done.pop().unwrap();
    let name = |key: &EntityKey| key.to_string();
    (
        transaction.class,
        transaction
            .changes
            .iter()
            .map(|change| (name(&change.key), change.cause))
            .collect(),
    )
}

#[test]
fn the_class_follows_from_what_differs() {
    for (text, expected) in [
        ("CREATE RELAY r SCHEMA event UNBRANCHED;", ChangeClass::None),
        ("DROP RELAY branched;", ChangeClass::None),
        ("DROP EMITTER outbox;", ChangeClass::EntityPause),
        ("DROP INGESTOR inbox;", ChangeClass::EntityPause),
        ("ALTER EMITTER outbox SET FLUSH IMMEDIATE;", ChangeClass::Dynamic),
        (
            "ALTER EMITTER outbox SET FLUSH EACH 100ms MAX BATCH SIZE 1MiB;",
            ChangeClass::None,
        ),
        (
            "ALTER EMITTER outbox SET FLUSH EACH 100000us MAX BATCH SIZE 1MiB;",
            ChangeClass::None,
        ),
        ("ALTER RELAY events SET CAPACITY 7;", ChangeClass::Dynamic),
        ("ALTER RELAY failures SET CAPACITY 7;", ChangeClass::Dynamic),
        ("ALTER EMITTER outbox SET DETACHED;", ChangeClass::EntityPause),
        (
            "ALTER EMITTER outbox ALTER FROM events SET WHERE id > 1;",
            ChangeClass::EntityPause,
        ),
        (
            "ALTER EMITTER outbox ALTER FROM events DROP WHERE, SET COLLECT FOR 1s;",
            ChangeClass::EntityPause,
        ),
        (
            "ALTER EMITTER outbox SET BATCH MAX MESSAGES 1 MAX SIZE 1MiB, SET FLUSH IMMEDIATE;",
            ChangeClass::EntityPause,
        ),
        (
            "ALTER SCHEMA event ADD FIELD more I64 OPTIONAL;",
            ChangeClass::DomainPause,
        ),
        (
            "BEGIN; CREATE RELAY more SCHEMA event UNBRANCHED; ALTER EMITTER outbox ADD FROM more; COMMIT;",
            ChangeClass::DomainPause,
        ),
        (
            "BEGIN; DROP BRANCH by_origin; CREATE BRANCH by_origin SCHEMA key TTL 2h; COMMIT;",
            ChangeClass::DomainPause,
        ),
        (
            "BEGIN; DROP EMITTER outbox; DROP INGESTOR inbox; COMMIT;",
            ChangeClass::EntityPause,
        ),
    ] {
        assert_eq!(class(text).0, expected, "{text}");
    }
}

#[test]
fn what_refers_to_a_changed_thing_changes_by_reference() {
    let (_, changes) = class("ALTER SCHEMA failure ADD FIELD more I64 OPTIONAL;");
    let by_reference = |name: &str| (name.to_owned(), Cause::Reference);
    assert_eq!(
        changes,
        [
            ("SCHEMA failure".to_owned(), Cause::Statement),
            by_reference("RELAY failures"),
            by_reference("EMITTER outbox")
        ]
    );
}

#[test]
fn a_change_that_breaks_a_stored_user_is_refused_at_the_statement_that_makes_it() {
    let text = "ALTER SCHEMA failure DROP FIELD reason;";
    let checked = super::check(text, &world());
    assert_eq!(super::codes(&checked), ["E1008"]);
    assert_eq!(checked.diagnostics[0].span, 0..text.len() - 1);
    assert!(checked.diagnostics[0].message.contains("EMITTER outbox"));
}
