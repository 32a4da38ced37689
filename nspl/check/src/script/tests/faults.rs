//! What is reported, together and without consequences.

use super::{LOG, MODE, TAIL, accepted, check, check_in, codes, world};
use crate::{Catalog, Settings, needs, release_kinds};

#[test]
fn all_faults_of_a_script_come_in_one_answer_in_source_order() {
    let text = format!(
        "BEGIN;
         CREATE SCHEMA s (a I8, a I8);
         CREATE RELAY r SCHEMA nowhere UNBRANCHED CAPACITY 0;
         CREATE RELAY;
         CREATE EMITTER e FROM events, branched WHERE id = 'x' TO CLIENT SCHEMA event MODE NO_ACK
           RETRY POLICY BACKOFF 1m MAX 1s SET id = nothing, origin = note BATCH MAX MESSAGES 0 MAX SIZE 1MiB
           FLUSH IMMEDIATE ON MESSAGE ERROR SEND TO failures SET reason = origin {};
         COMMIT;",
        "ON GENERAL ERROR LOG"
    );
    let checked = check(&text, &world());
    let found = codes(&checked);
    assert_eq!(&found[..3], ["E1009", "E1001", "E1201"]);
    assert!(found[3].starts_with("E02"), "{found:?}");
    assert_eq!(
        &found[4..],
        [
            "E1305", "E1207", "E1202", "E1301", "E1314", "E1201", "E1205", "E1302"
        ],
        "{:#?}",
        checked.diagnostics
    );
    let starts: Vec<usize> = checked.diagnostics.iter().map(|found| found.span.start).collect();
    assert!(starts.is_sorted());
}

#[test]
fn what_a_broken_statement_may_define_is_not_missed_elsewhere() {
    let text = format!(
        "CREATE DOMAIN fresh; USE fresh; BEGIN;
         CREATE SCHEMA s (a I8 OPTIONL);
         CREATE RELAY r SCHEMA s UNBRANCHED;
         CREATE EMITTER e FROM r WHERE a = 300 TO CLIENT SCHEMA s {MODE} INHERIT ALL {TAIL} {LOG}
         COMMIT;"
    );
    let checked = check(&text, &Catalog::default());
    assert_eq!(checked.diagnostics.len(), 1, "{:#?}", checked.diagnostics);
    assert!(checked.diagnostics[0].code.starts_with("E02"));
}

#[test]
fn a_fault_of_a_definition_hides_what_its_users_read_from_it() {
    let text = format!(
        "BEGIN; CREATE SCHEMA s (a ARRAY<I8, 0>); CREATE RELAY r SCHEMA s UNBRANCHED;
         CREATE EMITTER e FROM r WHERE b = 1 AND 'x' TO CLIENT SCHEMA s {MODE} INHERIT b SET c = NULL {TAIL} {LOG} COMMIT;"
    );
    assert_eq!(codes(&check(&text, &world())), ["E1201", "E1304"]);
}

#[test]
fn without_a_domain_the_other_faults_are_still_found_and_nothing_is_missing() {
    let settings = Settings::default();
    let text = format!(
        "BEGIN; CREATE RELAY r SCHEMA s UNBRANCHED CAPACITY 0;
         CREATE EMITTER e FROM r TO CLIENT SCHEMA s {MODE} SET a = 1 / 0 {TAIL} {LOG} COMMIT;"
    );
    assert_eq!(
        codes(&check_in(&text, &settings, &world())),
        ["E1005", "E1201", "E1313"]
    );
    let text = format!("USE nowhere; {text}");
    assert_eq!(
        codes(&check_in(&text, &settings, &world())),
        ["E1006", "E1201", "E1313"]
    );
}

#[test]
fn a_name_that_is_close_to_a_known_one_is_suggested() {
    let checked = check("CREATE RELAY r SCHEMA evnt UNBRANCHED;", &world());
    assert_eq!(
        checked.diagnostics[0].help.as_deref(),
        Some("SCHEMA event exists")
    );
    let message = &checked.diagnostics[0].message;
    assert!(
        message.contains("RELAY r") && message.contains("SCHEMA evnt"),
        "{message}"
    );
}

#[test]
fn apply_refuses_what_no_worker_runs_and_what_a_flight_message_cannot_carry() {
    let emitter = |size: &str| {
        format!(
            "CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE} INHERIT ALL EXCEPT secret \
             BATCH MAX MESSAGES 1 MAX SIZE {size} FLUSH IMMEDIATE {LOG}"
        )
    };
    let mut settings = Settings::in_domain(Some("d"));
    settings.flight_message_max = Some(64 << 20);
    assert_eq!(
        codes(&check_in(&emitter("65472KiB"), &settings, &world())),
        [""; 0]
    );
    assert_eq!(
        codes(&check_in(&emitter("65473KiB"), &settings, &world())),
        ["E1210"]
    );
    settings.kinds = Some(["KAFKA".to_owned()].into());
    assert_eq!(codes(&check_in(&emitter("1MiB"), &settings, &world())), ["E1221"]);
    // What is stored already is not judged by what runs now.
    assert_eq!(
        codes(&check_in(
            "ALTER RELAY events SET CAPACITY 7;",
            &settings,
            &world()
        )),
        [""; 0]
    );
}

#[test]
fn apply_names_the_node_that_it_judges_by_and_takes_what_the_release_runs_without_one() {
    let client = format!(
        "CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE} INHERIT ALL EXCEPT secret {TAIL} {LOG}"
    );
    let mut settings = Settings::in_domain(Some("d"));
    settings.kinds = Some(release_kinds());
    assert_eq!(codes(&check_in(&client, &settings, &world())), [""; 0]);
    assert!(release_kinds().contains("KAFKA") && !release_kinds().contains("PULSAR"));
    settings.kinds = Some(["KAFKA".to_owned()].into());
    settings.node = Some("w1".to_owned());
    let refused = format!("{:?}", check_in(&client, &settings, &world()).diagnostics);
    assert!(refused.contains("node w1, which executes the graph"), "{refused}");
    assert!(refused.contains("DRAIN NODE w1"), "{refused}");
    let catalog = accepted(&client, &world());
    assert!(needs(&catalog).kinds.contains("CLIENT"));
    assert_eq!(needs(&catalog).flight_message_bytes, (1 << 20) + (64 << 10));
}

#[test]
fn where_no_other_worker_attaches_the_remedy_is_to_build_and_start_again() {
    let kafka = format!(
        "CREATE CLIENT k TYPE KAFKA CONFIG {{'bootstrap.servers' = 'h:1'}};
         CREATE CODEC c FROM JSON TO SCHEMA event WITH JAQ TRANSFORMATIONS ON EMITTING '.';
         CREATE EMITTER e FROM events TO KAFKA k TOPIC t {MODE} ENCODE USING c INHERIT ALL FLUSH IMMEDIATE {LOG}"
    );
    let mut settings = Settings::in_domain(Some("d"));
    settings.kinds = Some(["CLIENT".to_owned()].into());
    settings.node = Some("dev".to_owned());
    settings.node_is_only = true;
    let refused = format!("{:?}", check_in(&kafka, &settings, &world()).diagnostics);
    assert!(
        refused.contains("start it again: make build FEATURES=kafka"),
        "{refused}"
    );
    assert!(
        !refused.contains("DRAIN NODE") && !refused.contains("start a worker"),
        "{refused}"
    );
}

#[test]
fn apply_refuses_materialized_state_that_no_worker_holds() {
    let relay = "CREATE RELAY held SCHEMA event UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;";
    let emitter = format!(
        "CREATE EMITTER e FROM events USING MATERIALIZED STATE held REQUIRED SKIP TO CLIENT SCHEMA event {MODE} \
         INHERIT ALL EXCEPT secret {TAIL} {LOG}"
    );
    let mut settings = Settings::in_domain(Some("d"));
    let stored = accepted(relay, &world());
    assert_eq!(codes(&check_in(&emitter, &settings, &stored)), [""; 0]);
    settings.kinds = Some(["CLIENT".to_owned()].into());
    assert_eq!(codes(&check_in(relay, &settings, &world())), ["E1224"]);
    assert_eq!(codes(&check_in(&emitter, &settings, &stored)), ["E1224"]);
    settings.kinds = Some(["CLIENT".to_owned(), "MATERIALIZED STATE".to_owned()].into());
    assert_eq!(codes(&check_in(relay, &settings, &world())), [""; 0]);
    assert_eq!(codes(&check_in(&emitter, &settings, &stored)), [""; 0]);
}

#[test]
fn a_ring_of_error_relays_over_several_emitters_is_named() {
    let reader = |name: &str, from: &str, to: &str| {
        format!(
            "CREATE EMITTER {name} FROM {from} TO CLIENT SCHEMA failure {MODE} INHERIT ALL {TAIL} \
             ON MESSAGE ERROR SEND TO {to} SET reason = error.code ON GENERAL ERROR LOG;"
        )
    };
    let relays = "CREATE RELAY a SCHEMA failure UNBRANCHED; CREATE RELAY b SCHEMA failure UNBRANCHED;
                  CREATE RELAY c SCHEMA failure UNBRANCHED;";
    let (x, y) = (reader("x", "a", "b"), reader("y", "b", "c"));
    let catalog = accepted(&format!("BEGIN; {relays} {x} {y} COMMIT;"), &world());
    let checked = check(&reader("z", "c", "a"), &catalog);
    assert_eq!(codes(&checked), ["E1206"]);
    let message = &checked.diagnostics[0].message;
    assert!(
        ["(x)", "(y)", "(z)"].iter().all(|name| message.contains(name)),
        "{message}"
    );
    let z = reader("z", "c", "a");
    assert_eq!(
        codes(&check(&format!("BEGIN; {relays} {x} {y} {z} COMMIT;"), &world())),
        ["E1206"]
    );
}

#[test]
fn a_codec_has_no_place_in_an_ingestor_from_client() {
    let text = "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK DECODE USING c TO events INHERIT ALL UNBRANCHED \
                FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";
    let checked = check(text, &world());
    assert_eq!(checked.diagnostics.len(), 1, "{:#?}", checked.diagnostics);
}

#[test]
fn inherit_all_names_what_it_cannot_take_and_how_to_leave_it_out() {
    let text = format!("CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE} INHERIT ALL {TAIL} {LOG}");
    let checked = check(&text, &world());
    assert_eq!(codes(&checked), ["E1214"]);
    assert_eq!(
        checked.diagnostics[0].help.as_deref(),
        Some("INHERIT ALL EXCEPT secret")
    );
    let text = text.replace("INHERIT ALL", "INHERIT id, origin, secret LEAK SENSITIVE");
    accepted(&text, &world());
}
