//! Transactions and what stands alone (rulings section 1).

use super::{MODE, WORLD, accepted, check, codes, transactions, world};
use crate::{Action, Catalog, Read, StartAt, Verb};
use nspl_model::{EntityKey, EntityKind};

#[test]
fn references_are_judged_at_commit_in_any_order() {
    accepted(
        "BEGIN; CREATE RELAY r SCHEMA s UNBRANCHED; CREATE SCHEMA s (a I8); COMMIT;
         BEGIN; DROP SCHEMA s; DROP RELAY r; COMMIT;",
        &world(),
    );
    let dangling =
        "BEGIN; CREATE RELAY r SCHEMA s UNBRANCHED; CREATE SCHEMA s (a I8); DROP SCHEMA s; COMMIT;";
    let checked = check(dangling, &world());
    assert_eq!(codes(&checked), ["E1001"]);
    assert_eq!(checked.diagnostics[0].labels.len(), 1);
}

#[test]
fn dropping_what_is_in_use_names_both_ends_once() {
    let checked = check("DROP RELAY failures;", &world());
    assert_eq!(codes(&checked), ["E1004"]);
    let message = &checked.diagnostics[0].message;
    assert!(
        message.contains("RELAY failures") && message.contains("EMITTER outbox"),
        "{message}"
    );
    assert_eq!(checked.plan.catalog.len(), world().len() - 1);
}

#[test]
fn a_script_of_what_exists_already_existed_and_units_do_not_make_a_difference() {
    let again = WORLD
        .replace("CREATE ", "CREATE IF NOT EXISTS ")
        .replace("TTL 1h", "TTL 60m");
    for transaction in transactions(&again, &world()) {
        assert!(transaction.changes.is_empty());
        assert!(
            transaction
                .outcomes
                .iter()
                .all(|said| said.verb == Verb::AlreadyExisted { differs: false })
        );
    }
    let other = again.replace("TTL 60m", "TTL 61m").replace("id > 0", "id > 1");
    let checked = check(&other, &world());
    assert_eq!(codes(&checked), ["W1001", "W1001"]);
    assert_eq!(checked.plan.catalog.differences(&world()), []);
}

#[test]
fn several_statements_without_begin_are_refused_once_a_row() {
    let three = "CREATE SCHEMA a (x I8); CREATE SCHEMA b (x I8); CREATE SCHEMA c (x I8);";
    assert_eq!(
        codes(&check(&format!("{three} SHOW SCHEMAS; {three}"), &world())),
        ["E1101", "E1002", "E1101", "E1002", "E1002"]
    );
    assert_eq!(
        codes(&check(
            "CREATE SCHEMA a (x I8); SHOW SCHEMAS; CREATE SCHEMA b (x I8);",
            &world()
        )),
        [""; 0]
    );
}

#[test]
fn a_reverted_transaction_leaves_nothing_and_reading_inside_begin_reads_the_candidate() {
    let checked = check(
        "BEGIN; CREATE SCHEMA s (a I8); SHOW CREATE SCHEMA s; REVERT; SHOW CREATE SCHEMA s;",
        &world(),
    );
    assert_eq!(codes(&checked), ["E1003"]);
    let key = EntityKey::new(EntityKind::Schema, "s");
    let read = checked.plan.steps.iter().find_map(|step| match &step.action {
        Action::Read {
            read: Read::ShowCreate(asked),
            catalog,
            ..
        } if *asked == key => catalog.get("d", &key).cloned(),
        _ => None,
    });
    assert!(read.is_some());
    assert!(checked.plan.catalog.get("d", &key).is_none());
}

#[test]
fn what_stands_alone_is_planned_in_order() {
    let text =
        "CREATE PACED DOMAIN p WITH PERIOD 1s SKEW 1s; USE p; START AT '2026-01-01T00:00:00Z' TIME RATE 2.5;
                STOP; SHOW DOMAINS; DESCRIBE DOMAIN; CORDON NODE n1; DROP DOMAIN p;";
    let checked = check(text, &Catalog::default());
    assert_eq!(checked.diagnostics, []);
    let actions: Vec<&Action> = checked.plan.steps.iter().map(|step| &step.action).collect();
    assert_eq!(actions.len(), 8);
    assert!(
        matches!(actions[0], Action::Commit(commit) if commit.domain == "p" && commit.changes.len() == 1)
    );
    assert!(
        matches!(actions[2], Action::Start { at: StartAt::Instant(_), rate: Some(rate), .. } if *rate == 2.5)
    );
    assert!(matches!(
        actions[4],
        Action::Read {
            read: Read::List(EntityKind::Domain),
            domain: None,
            ..
        }
    ));
    assert_eq!(checked.plan.domain.as_deref(), Some("p"));
    for refused in ["START AT '2026-01-01';", "START AT NOW TIME RATE 0;"] {
        let text = format!("CREATE PACED DOMAIN p WITH PERIOD 1s SKEW 1s; USE p; {refused}");
        assert_eq!(codes(&check(&text, &Catalog::default())), ["E1106"], "{refused}");
    }
}

#[test]
fn drop_and_create_of_one_name_is_one_modification() {
    let text = "BEGIN; DROP RELAY branched; CREATE RELAY branched SCHEMA event UNBRANCHED; COMMIT;";
    let done = transactions(text, &world());
    assert_eq!(done[0].changes.len(), 1);
    assert!(done[0].changes[0].before.is_some() && done[0].changes[0].after.is_some());
    assert_eq!(
        codes(&check(
            "BEGIN; DROP RELAY branched; CREATE RELAY events SCHEMA key UNBRANCHED; COMMIT;",
            &world()
        )),
        ["E1002"]
    );
}

#[test]
fn altering_what_this_script_creates_keeps_its_places() {
    let text = format!(
        "BEGIN; CREATE EMITTER e FROM events TO CLIENT SCHEMA event {MODE} INHERIT ALL EXCEPT secret
           BATCH MAX MESSAGES 1 MAX SIZE 1B FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
         ALTER EMITTER e ALTER FROM events SET WHERE nothing = 1; COMMIT;"
    );
    let checked = check(&text, &world());
    assert_eq!(codes(&checked), ["E1301"]);
    assert_eq!(text.get(checked.diagnostics[0].span.clone()), Some("nothing"));
    let checked = check(
        "ALTER EMITTER outbox ALTER FROM events SET WHERE nothing = 1;",
        &world(),
    );
    assert_eq!(codes(&checked), ["E1301"]);
    assert_eq!(checked.diagnostics[0].span.start, 49);
}

/// The candidate behind each statement, read in the order of the script.
#[test]
fn each_read_of_a_transaction_sees_what_the_statements_before_it_make() {
    let statements = [
        "CREATE RELAY r SCHEMA s UNBRANCHED;",
        "CREATE SCHEMA s (a I8, b I8);",
        "ALTER SCHEMA s ADD FIELD c I8 OPTIONAL;",
        "ALTER SCHEMA s DROP FIELD b;",
        "ALTER SCHEMA event RENAME FIELD note TO remark;",
        "CREATE IF NOT EXISTS SCHEMA s (z I8);",
        "DROP RELAY r;",
        "DROP SCHEMA s;",
        "CREATE RELAY r SCHEMA s UNBRANCHED;",
        "CREATE SCHEMA s (d STRING);",
        "ALTER SCHEMA event RENAME FIELD remark TO note;",
        "ALTER SCHEMA event DROP FIELD id;",
        "DROP EMITTER outbox;",
        "DROP RELAY r;",
        "ALTER SCHEMA event ADD FIELD id I64;",
        "ALTER RELAY events SET CAPACITY 8;",
    ];
    let read: String = statements
        .iter()
        .map(|statement| format!("{statement} SHOW SCHEMAS;"))
        .collect();
    let checked = check(&format!("BEGIN; {read} REVERT;"), &world());
    let snapshots = checked.plan.steps.iter().filter_map(|step| match &step.action {
        Action::Read { catalog, .. } => Some(catalog),
        _ => None,
    });
    let mut reads = 0;
    for (count, snapshot) in (1..).zip(snapshots) {
        let first = statements.iter().take(count).copied().collect::<String>();
        let whole = check(&format!("BEGIN; {first} COMMIT;"), &world()).plan.catalog;
        assert_eq!(snapshot.differences(&whole), [], "{first}");
        reads += 1;
    }
    assert_eq!(reads, statements.len());
}
