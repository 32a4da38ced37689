//! What follows from a fault is not told: each of these scripts has one.

use super::{LOG, MODE, TAIL, check, codes, world};
use crate::Catalog;

/// Each script over the world of these tests, and all that is to be said about it.
fn expect(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let checked = check(text, &world());
        assert_eq!(codes(&checked), *expected, "{text}\n{:#?}", checked.diagnostics);
    }
}

#[test]
fn a_refused_definition_is_not_missed_by_later_statements_and_transactions() {
    expect(&[
        (
            "CREATE SCHEMA s (a I8, a I8); SHOW CREATE SCHEMA s;
             BEGIN; CREATE RELAY r SCHEMA s UNBRANCHED; COMMIT; DESCRIBE RELAY r; DROP RELAY r;",
            &["E1009"],
        ),
        (
            "CREATE RELAY r SCHEMA nothing UNBRANCHED; SHOW SCHEMAS; ALTER RELAY r SET CAPACITY 4;",
            &["E1001"],
        ),
        (
            "DROP RELAY failures; SHOW RELAYS; SHOW CREATE RELAY failures;",
            &["E1004"],
        ),
        (
            "CREATE PACED DOMAIN p WITH PERIOD 0s SKEW 1s; USE p; START; DESCRIBE DOMAIN p; DROP DOMAIN p;",
            &["E1201"],
        ),
        // Put right, it is judged again.
        (
            "CREATE SCHEMA s (a I8, a I8); SHOW SCHEMAS; CREATE SCHEMA s (a I8); SHOW SCHEMAS; CREATE SCHEMA s (a I8);",
            &["E1009", "E1002"],
        ),
    ]);
}

#[test]
fn a_semicolon_that_is_missing_before_a_statement_of_one_word_is_one_fault() {
    expect(&[
        ("BEGIN; CREATE SCHEMA x (a I8)\nCOMMIT; START;", &["E0203"]),
        (
            "BEGIN; CREATE SCHEMA x (a I8)\nREVERT\nSTART;",
            &["E0203", "E0203"],
        ),
        (
            "USE d\nBEGIN; CREATE SCHEMA a (x I8); CREATE SCHEMA b (x I8); COMMIT;",
            &["E0203"],
        ),
        ("BEGIN; CREATE SCHEMA x (a I8 COMMIT; START;", &["E0201"]),
        ("BEGIN; CREATE SCHEMA x (a I8\nCOMMIT; START;", &["E0201"]),
    ]);
}

#[test]
fn what_a_broken_statement_defines_is_seen_through_comments_and_foreign_words() {
    let broken = [
        "/* CREATE SCHEMA other */ CREATE SCHEMA s (a I8",
        "CREATE -- ; CREATE SCHEMA other\n SCHEMA s (a I8",
        "CREATE OR REPLACE SCHEMA s (a I8)",
        "CREATE SCHEMA IF NOT EXISTS s (a I8)",
        "CREATE SCHEMA s IF NOT EXISTS (a I8)",
        "CREATE RELAY\nCREATE SCHEMA s (a I8",
    ];
    for broken in broken {
        let text = format!(
            "BEGIN; {broken}; CREATE RELAY r SCHEMA s UNBRANCHED;
             CREATE EMITTER e FROM r TO CLIENT SCHEMA s {MODE} INHERIT ALL {TAIL} {LOG} COMMIT;"
        );
        let checked = check(&text, &world());
        let most = 1 + usize::from(broken.starts_with("CREATE RELAY"));
        let found = codes(&checked);
        assert!(
            found.len() == most && found.iter().all(|code| code.starts_with("E02")),
            "{text}\n{:#?}",
            checked.diagnostics
        );
    }
    let text = "CREATE DOMAIN d; USE d; -- a note; USE nowhere\nCREATE SCHEMA s (a I8 OPTIONL);";
    assert_eq!(codes(&check(text, &Catalog::default())), ["E0201"]);
}

#[test]
fn what_the_open_transaction_creates_can_be_named_where_it_is_barred() {
    expect(&[(
        "BEGIN; CREATE RESOURCE r; UPLOAD RESOURCE r VERSION '.'; COMMIT;",
        &["E1103"],
    )]);
}

#[test]
fn a_name_with_a_slip_is_one_fault() {
    let emitter = |construction: &str| {
        format!("CREATE EMITTER e FROM events TO CLIENT SCHEMA failure {MODE} {construction} {TAIL} {LOG}")
    };
    let error_route = format!(
        "CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE} INHERIT ALL EXCEPT secret {TAIL} \
         ON MESSAGE ERROR SEND TO failures SET reson = error.code ON GENERAL ERROR LOG;"
    );
    let branch = "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK TO branched INHERIT ALL
        BRANCHED BY by_origin SET orign = origin FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";
    expect(&[
        (&emitter("INHERIT reson"), &["E1301"]),
        (&emitter("SET reson = 'x'"), &["E1301"]),
        // What is missing besides is said.
        (&emitter("INHERIT id SET raisin = 'x'"), &["E1215", "E1301"]),
        (&error_route, &["E1301"]),
        (branch, &["E1301"]),
    ]);
}

/// The help of the only fault.
fn help(text: &str, code: &str) -> String {
    let checked = check(text, &world());
    assert_eq!(codes(&checked), [code], "{text}\n{:#?}", checked.diagnostics);
    checked.diagnostics[0].help.clone().unwrap_or_default()
}

#[test]
fn a_help_proposes_what_is_possible_at_its_place() {
    let error_route = format!(
        "CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE} INHERIT ALL EXCEPT secret {TAIL} \
         ON MESSAGE ERROR SEND TO failures SET id = input.id ON GENERAL ERROR LOG;"
    );
    assert_eq!(help(&error_route, "E1215"), "SET reason = <STRING>");
    let ingestor = "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK TO events
        INHERIT ALL SET note = relay_state.events.note UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";
    assert_eq!(
        help(ingestor, "E1302"),
        "USING MATERIALIZED STATE is a clause of emitters"
    );
    let inherit = format!(
        "BEGIN; CREATE SCHEMA flags (id BOOL); CREATE EMITTER e FROM events TO CLIENT SCHEMA flags {MODE} \
         INHERIT id {TAIL} {LOG} COMMIT;"
    );
    assert_eq!(
        help(&inherit, "E1214"),
        "SET id = ... of type BOOL; I64 does not convert to it"
    );
    let client = "CREATE CLIENT http TYPE HTTP CONFIG {'endpoint' = 'http://h', 'timeout_ms' = 5};";
    let method = format!(
        "BEGIN; {client} CREATE EMITTER e FROM events TO HTTP http METHOD 'GET' PATH '/' MODE ACK \
         RETRY POLICY BACKOFF 250ms MAX 30s FLUSH IMMEDIATE {LOG} COMMIT;"
    );
    assert!(help(&method, "E1241").starts_with("write WITHOUT BODY"));
}
