//! Judging grows with the number of definitions and no faster; the figures are in docs/benchmarks.md.

use std::time::Duration;

use nspl::{Action, Catalog, Report, check};

use crate::case::world;
use crate::thread_time::computed_in;

/// Definitions of the shorter script, how often the longer one has as many, and how much longer it may take: less than the
/// power 1.5 (64) would, and three times what is linear, so that noise decides nothing.
const FEW: usize = 20;
const TIMES: usize = 16;
const TIMES_MAX: u32 = 48;

fn time(text: &str) -> Duration {
    let (time, report) = computed_in(|| check("growth.nspl", text, Some("shop"), world()));
    assert!(!report.is_refused(), "{:?}", report.diagnostics.first());
    time
}

fn script(count: usize, definition: impl Fn(usize) -> String) -> String {
    let definitions: String = (0..count).map(definition).collect();
    format!("BEGIN;\n{definitions}COMMIT;")
}

fn assert_linear(what: &str, definition: impl Fn(usize) -> String) {
    let (few, many) = (script(FEW, &definition), script(FEW * TIMES, &definition));
    let best = |text: &str| (0..3).map(|_| time(text)).min().unwrap();
    let (short, long) = (best(&few), best(&many));
    assert!(
        long < short * TIMES_MAX + Duration::from_millis(2),
        "{what}: {FEW} in {short:?}, {TIMES} times as many in {long:?}"
    );
}

#[test]
fn judging_grows_with_the_number_of_definitions() {
    assert_linear("emitters", |number| {
        format!(
            "CREATE EMITTER e{number} FROM orders WHERE input.active, replayed TO CLIENT SCHEMA parcel
               MODE ACK SEQUENTIAL ACK TIMEOUT 1s RETRY POLICY BACKOFF 1s MAX 1s
             INHERIT id, amount SET note = CASE WHEN input.amount > 1 THEN lower(input.id) ELSE 'x' END
             BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE
             ON MESSAGE ERROR SEND TO failures SET reason = error.message ON GENERAL ERROR LOG;\n"
        )
    });
    assert_linear("relays and schemas", |number| {
        format!("CREATE RELAY r{number} SCHEMA s{number} UNBRANCHED;\nCREATE SCHEMA s{number} (a I8);\n")
    });
    assert_linear("clients", |number| {
        format!("CREATE CLIENT c{number} TYPE NATS CONFIG {{'addr' = 'nats://h{number}'}};\n")
    });
    assert_linear("operations", |number| match number % 2 {
        0 => "ALTER EMITTER outbox SET DETACHED;\n".to_owned(),
        _ => "ALTER SCHEMA setting ALTER FIELD hint SET SENSITIVE;\n".to_owned(),
    });
}

/// Parts of the shorter statement.
const PARTS: usize = 60;

/// A statement with as many parts.
fn assert_linear_in_parts(what: &str, statement: impl Fn(usize) -> String) {
    assert_work_is_linear_in_parts(what, statement, |text| {
        drop(check("growth.nspl", text, Some("shop"), world()));
    });
}

fn assert_work_is_linear_in_parts(what: &str, statement: impl Fn(usize) -> String, work: impl Fn(&str)) {
    let best = |parts: usize| {
        let text = statement(parts);
        let timed = || computed_in(|| work(&text)).0;
        (0..3).map(|_| timed()).min().unwrap()
    };
    let (few, many) = (PARTS, PARTS * TIMES);
    let (short, long) = (best(few), best(many));
    assert!(
        long < short * TIMES_MAX + Duration::from_millis(2),
        "{what}: {few} in {short:?}, {many} in {long:?}"
    );
}

fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<String>>().join(", ")
}

/// An emitter to a client, between its relays and its construction.
const MODE: &str = "MODE ACK SEQUENTIAL ACK TIMEOUT 1s RETRY POLICY BACKOFF 1s MAX 1s";

/// What stands behind its construction.
const TAIL: &str =
    "BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG";

#[test]
fn judging_grows_with_the_fields_the_sources_and_the_states_of_one_definition() {
    assert_linear_in_parts("set fields", |count| {
        format!(
            "BEGIN; CREATE SCHEMA wide ({}); CREATE RELAY wide SCHEMA wide UNBRANCHED;
             CREATE EMITTER wide FROM wide TO CLIENT SCHEMA wide {MODE} SET {} {TAIL}; COMMIT;",
            list(count, |number| format!("f{number} I8")),
            list(count, |number| format!("f{number} = input.f{number}"))
        )
    });
    assert_linear_in_parts("sources that are filtered", |count| {
        let relays: String = (0..count)
            .map(|number| format!("CREATE RELAY r{number} SCHEMA wide UNBRANCHED;\n"))
            .collect();
        format!(
            "BEGIN; CREATE SCHEMA wide ({}); {relays}
             CREATE EMITTER wide FROM {} TO CLIENT SCHEMA wide {MODE} INHERIT ALL {TAIL}; COMMIT;",
            list(count, |number| format!("f{number} I8")),
            list(count, |number| format!("r{number} WHERE input.f{number} > 1"))
        )
    });
    assert_linear_in_parts("states", |count| {
        let relays: String = (0..count)
            .map(|number| {
                format!("CREATE RELAY r{number} SCHEMA one UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;\n")
            })
            .collect();
        let states: String = (0..count)
            .map(|number| format!("USING MATERIALIZED STATE r{number} REQUIRED SKIP\n"))
            .collect();
        format!(
            "BEGIN; CREATE SCHEMA one (f I8); CREATE SCHEMA wide ({}); {relays}
             CREATE EMITTER wide FROM r0 {states} TO CLIENT SCHEMA wide {MODE} SET {} {TAIL}; COMMIT;",
            list(count, |number| format!("f{number} I8")),
            list(count, |number| format!("f{number} = relay_state.r{number}.f"))
        )
    });
    assert_linear_in_parts("unknown fields", |count| {
        format!(
            "BEGIN; CREATE SCHEMA wide ({}); CREATE RELAY wide SCHEMA wide UNBRANCHED;
             CREATE EMITTER wide FROM wide TO CLIENT SCHEMA wide {MODE} INHERIT ALL SET {} {TAIL}; COMMIT;",
            list(count, |number| format!("f{number} I8")),
            list(count, |number| format!("f{number} = input.g{number}"))
        )
    });
}

#[test]
fn judging_grows_with_the_operations_of_alter() {
    assert_linear_in_parts("operations on fields", |count| {
        format!(
            "ALTER SCHEMA setting {}",
            list(count, |number| match number % 2 {
                0 => format!("ADD FIELD f{number} I8 OPTIONAL"),
                _ => format!("ALTER FIELD f{} SET TYPE I16", number - 1),
            })
        )
    });
    assert_linear_in_parts("operations on sources", |count| {
        format!(
            "ALTER EMITTER outbox {}",
            list(count, |number| format!("ADD FROM r{number}, DROP FROM r{number}"))
        )
    });
}

/// Judging takes this many times as long at most where it meets much that has nothing to do with it.
const MEETING_MAX: f64 = 1.6;

/// Two scripts of the same statements, of which those of the first meet nothing else.
fn assert_meeting_costs_nothing(what: &str, catalog: &Catalog, apart: &str, meeting: &str) {
    let best = |text: &str| {
        let timed = || computed_in(|| check("growth.nspl", text, Some("shop"), catalog));
        let (times, reports): (Vec<Duration>, Vec<Report>) = (0..3).map(|_| timed()).unzip();
        let refused = reports.iter().find(|report| report.is_refused());
        assert!(refused.is_none(), "{:?}", refused.unwrap().diagnostics.first());
        times.into_iter().min().unwrap()
    };
    let (apart, meeting) = (best(apart), best(meeting));
    assert!(
        meeting.as_secs_f64() < apart.as_secs_f64() * MEETING_MAX,
        "{what}: {apart:?}, and {meeting:?} where they meet"
    );
}

#[test]
fn an_alter_costs_no_more_for_a_long_definition() {
    let (statements, parts) = (600, 6_000);
    let schemas = format!(
        "CREATE SCHEMA short (f I8); CREATE SCHEMA long ({});",
        list(parts, |number| format!("f{number} I8"))
    );
    let adding = |schema: &str| -> String {
        let alters: String = (0..statements)
            .map(|number| format!("ALTER SCHEMA {schema} ADD FIELD g{number} I8;\n"))
            .collect();
        format!("BEGIN; {schemas} {alters} COMMIT;")
    };
    assert_meeting_costs_nothing("fields of a schema", world(), &adding("short"), &adding("long"));
}

#[test]
fn a_transaction_costs_no_more_for_what_else_uses_what_it_uses() {
    let (before, after) = (3_000, 60);
    let tail = TAIL.replace(
        "ON MESSAGE ERROR LOG",
        "ON MESSAGE ERROR SEND TO failures SET reason = 'x'",
    );
    let emitter = |name: String, relay: &str| {
        format!("CREATE EMITTER {name} FROM {relay} TO CLIENT SCHEMA parcel {MODE} INHERIT id {tail};\n")
    };
    let many: String = (0..before)
        .map(|number| emitter(format!("e{number}"), "orders"))
        .collect();
    let report = check(
        "growth.nspl",
        &format!("BEGIN; {many} COMMIT;"),
        Some("shop"),
        world(),
    );
    assert!(!report.is_refused(), "{:?}", report.diagnostics.first());
    let script = |relay: &str| -> String {
        (0..after)
            .map(|number| format!("BEGIN; {} COMMIT;\n", emitter(format!("f{number}"), relay)))
            .collect()
    };
    assert_meeting_costs_nothing(
        "emitters of one relay",
        &report.plan.catalog,
        &script("replayed"),
        &script("orders"),
    );
}

#[test]
fn carrying_out_reads_grows_with_the_definitions_between_them() {
    let reading = |text: &str| {
        let report = check("growth.nspl", text, Some("shop"), world());
        let mut reads = 0;
        for step in &report.plan.steps {
            if let Action::Read { catalog, .. } = &step.action {
                reads += usize::from(!catalog.is_empty());
            }
        }
        assert!(reads >= PARTS, "{reads} reads");
    };
    assert_work_is_linear_in_parts(
        "definitions in turn with reads",
        |count| {
            let turns: String = (0..count)
                .map(|number| format!("CREATE SCHEMA s{number} (a I8);\nSHOW CREATE SCHEMA s{number};\n"))
                .collect();
            format!("BEGIN; {turns} COMMIT;")
        },
        reading,
    );
}

#[test]
fn judging_grows_with_the_reads_between_definitions_and_with_what_is_refused() {
    assert_linear_in_parts("definitions in turn with reads", |count| {
        let turns: String = (0..count)
            .map(|number| format!("CREATE SCHEMA s{number} (a I8);\nSHOW CREATE SCHEMA s{number};\n"))
            .collect();
        format!("BEGIN; {turns} COMMIT;")
    });
    assert_linear_in_parts("transactions of one in turn with reads", |count| {
        (0..count)
            .map(|number| format!("CREATE RELAY r{number} SCHEMA order_event UNBRANCHED;\nSHOW RELAYS;\n"))
            .collect()
    });
    assert_linear_in_parts("refused definitions in turn with others", |count| {
        (0..count)
            .map(|number| {
                format!(
                    "CREATE SCHEMA s{number} (a I8, a I8);\nSHOW SCHEMAS;\nBEGIN; CREATE SCHEMA t{number} (a I8); COMMIT;\n"
                )
            })
            .collect()
    });
    assert_linear_in_parts("domains that are not empty", |count| {
        "DROP DOMAIN shop;\n".repeat(count)
    });
}

#[test]
fn judging_grows_with_the_length_of_lists_the_reads_of_a_transaction_and_the_broken_statements() {
    assert_linear_in_parts("inherited fields", |count| {
        format!(
            "BEGIN; CREATE SCHEMA wide ({}); CREATE RELAY wide SCHEMA wide UNBRANCHED;
             CREATE EMITTER wide FROM wide TO CLIENT SCHEMA wide
               MODE ACK SEQUENTIAL ACK TIMEOUT 1s RETRY POLICY BACKOFF 1s MAX 1s
             INHERIT {} BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE
             ON MESSAGE ERROR LOG ON GENERAL ERROR LOG; COMMIT;",
            list(count, |number| format!("f{number} I8")),
            list(count, |number| format!("f{number}"))
        )
    });
    assert_linear_in_parts("reads", |count| {
        let reads = "SHOW RELAYS;\n".repeat(count);
        let made: String = (0..50)
            .map(|number| format!("CREATE SCHEMA s{number} (a I8);\n"))
            .collect();
        format!("BEGIN; {made} {reads} COMMIT;")
    });
    assert_linear_in_parts("broken statements", |count| {
        (0..count)
            .map(|number| format!("CREATE RELAY r{number} SCHEMA\n"))
            .collect()
    });
}
