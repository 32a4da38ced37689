//! The facade from its outside.

use crate::{
    Action, Catalog, Colour, check, definition, format, json_line, masked, may_hold_secret,
    message_error_text, render, source_texts,
};
use nspl_model::{EntityKey, EntityKind};

const PIPELINE: &str = "-- a small pipeline
create domain d; use d; begin;
create schema event (id I64, origin STRING);
create schema failure (reason STRING);
create relay events schema event unbranched;
create relay failures schema failure unbranched;
create emitter outbox from events where id > 10 to client schema event
  mode ack sequential ack timeout 30s retry policy backoff 250ms max 30s inherit all
  batch max messages 10 max size 1MiB flush immediate
  on message error send to failures set reason = error.message on general error log;
commit;";

#[test]
fn a_script_becomes_a_plan_and_its_entities_describe_themselves() {
    let report = check("p.nspl", PIPELINE, None, &Catalog::default());
    assert!(!report.is_refused() && report.diagnostics.is_empty());
    assert_eq!(report.plan.steps.len(), 3);
    let Action::Commit(commit) = &report.plan.steps[2].action else {
        panic!()
    };
    assert_eq!(commit.changes.len(), 5);
    let key = EntityKey::new(EntityKind::Emitter, "outbox");
    let emitter = report.plan.catalog.get("d", &key).unwrap();
    assert_eq!(source_texts(emitter), ["events WHERE id > 10"]);
    assert_eq!(
        message_error_text(emitter),
        "SEND TO failures SET reason = error.message"
    );
    assert_eq!(masked(emitter), *emitter.text);
    let closure = report.plan.catalog.closure("d", &key);
    let texts: Vec<&str> = closure.iter().map(|entity| &*entity.text).collect();
    assert_eq!(texts.len(), 5);
    assert_eq!(definition("d", &texts).unwrap(), emitter.definition);
}

#[test]
fn a_formatted_script_means_the_same() {
    let formatted = format(PIPELINE).unwrap();
    assert!(formatted.contains("-- a small pipeline"));
    let one = check("p", PIPELINE, None, &Catalog::default()).plan.catalog;
    let other = check("p", &formatted, None, &Catalog::default()).plan.catalog;
    assert_eq!(one.differences(&other), []);
    assert!(format("CREATE RELAY;").is_err());
}

#[test]
fn faults_of_every_sort_are_shown_to_people_and_to_programs() {
    let text = PIPELINE
        .replace("id > 10", "ids > 10")
        .replace("flush immediate", "flush at once");
    let report = check("p.nspl", &text, None, &Catalog::default());
    assert!(report.is_refused());
    for found in &report.diagnostics {
        let shown = render(found, "p.nspl", &text, Colour::Never);
        assert!(shown.contains(found.code) && shown.contains("p.nspl:"), "{shown}");
        assert!(json_line(found, "p.nspl", &text).contains(found.code));
    }
}

#[test]
fn what_may_hold_a_secret_is_told_from_what_cannot() {
    for secret in [
        "CREATE CLIENT c TYPE REDIS CONFIG {'addr' = 'redis://h', 'password' = 'x'};",
        "CREATE CLIENT c TYPE RABBITMQ CONFIG {'addr' = 'amqp://u:p@h'};",
        "ALTER CLIENT c SET CONFIG {'sasl.password' = 'x'}; USE d;",
        "CREATE CLINT c CONFG {'passwort' = 'x'};",
        "CREATE CLIENT c TYPE REDIS CONFIG {'password' = 'x",
    ] {
        assert!(may_hold_secret(secret), "{secret}");
    }
    for plain in [
        "CREATE CLIENT c TYPE NATS CONFIG {'addr' = 'nats://h:4222'};",
        "UPLOAD RESOURCE r VERSION 'folder';",
        "CREAT SCHEMA s (id I64);",
    ] {
        assert!(!may_hold_secret(plain), "{plain}");
    }
}

/// Conditions as high as the language lets one be.
fn highest() -> Vec<String> {
    let chain = |terms: usize, link: &str, term: &str| vec![term; terms].join(link);
    let nested = |before: &str, inner: &str, after: &str| before.repeat(60) + inner + &after.repeat(60);
    vec![
        format!("0 > {}", chain(255, " + ", "id")),
        chain(255, " AND ", "regexp_like(origin, 'a')"),
        chain(125, " OR ", "origin = 'a'"),
        nested("upper(", "origin", ")") + " = 'a'",
        nested("CASE WHEN id < 0 THEN 1 ELSE ", "2", " END") + " = 1",
        nested("NOT ", "(id = 1)", ""),
    ]
}

#[test]
fn the_highest_expressions_are_judged_printed_and_read_again_on_a_small_stack() {
    let work = || {
        for condition in highest() {
            let script = PIPELINE.replace("id > 10", &condition);
            let report = check("p.nspl", &script, None, &Catalog::default());
            assert!(!report.is_refused(), "{:?}", report.diagnostics.first());
            let key = EntityKey::new(EntityKind::Emitter, "outbox");
            let emitter = report.plan.catalog.get("d", &key).unwrap();
            assert_eq!(masked(emitter), *emitter.text);
            assert_eq!(source_texts(emitter).len(), 1);
            let closure = report.plan.catalog.closure("d", &key);
            let texts: Vec<&str> = closure.iter().map(|entity| &*entity.text).collect();
            assert!(definition("d", &texts).is_ok());
            assert!(format(&script).is_ok());
            let wrong = script.replace("'a'", "1");
            let refused = check("p.nspl", &wrong, None, &Catalog::default());
            assert_eq!(refused.is_refused(), wrong != script);
        }
    };
    // Half of what a thread of a runtime has.
    let small = std::thread::Builder::new().stack_size(1 << 20);
    small.spawn(work).unwrap().join().unwrap();
}
