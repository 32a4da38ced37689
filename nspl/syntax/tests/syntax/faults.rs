//! Faults: code, place, what would be accepted, help.

use nspl_syntax::fault::code;
use nspl_syntax::limits::{FAULTS_MAX, SCRIPT_BYTES_MAX};
use nspl_syntax::{Fault, parse};

/// The first fault of a script, and the only one but for what the statement lacks at its end.
fn fault(text: &str) -> Fault {
    let mut faults = parse(text).faults.into_iter();
    let first = faults.next().unwrap();
    let others: Vec<Fault> = faults.filter(|fault| fault.span.start < text.len()).collect();
    assert!(others.is_empty(), "{text}: {first:#?} {others:#?}");
    first
}

/// Checks the code, the text the fault points at, and parts of its message and help.
#[track_caller]
fn refused(text: &str, code: &str, at: &str, message: &str, help: &str) {
    let fault = fault(text);
    let told = format!("{} {:?} {:?}", fault.message, fault.help, fault.labels);
    assert_eq!(fault.code, code, "{text}: {told}");
    assert_eq!(text.get(fault.span.range()), Some(at), "{text}: {told}");
    assert!(fault.message.contains(message), "{text}: {told}");
    assert!(fault.help.unwrap_or_default().contains(help), "{text}: {told}");
}

const RETRY: &str = "RETRY POLICY BACKOFF 1s MAX 2s";

/// An emitter with some text in place of its clauses behind FROM.
fn emitter(clauses: &str) -> String {
    format!("CREATE EMITTER e FROM r {clauses}")
}

#[test]
fn a_fault_lists_everything_that_would_be_accepted() {
    assert_eq!(
        fault(&emitter("FLUSH IMMEDIATE")).message,
        "expected `WHERE`, `,`, `COLLECT FOR`, `USING MATERIALIZED STATE` or `TO`, found `FLUSH`"
    );
    assert_eq!(
        fault("USE").message,
        "expected a domain name, found the end of the statement"
    );
    assert_eq!(
        fault("CREATE SCHEMA s (a I8 b I8)").message,
        "expected `OPTIONAL`, `SENSITIVE`, `,` or `)`, found `b`"
    );
    let message = fault("FLY").message;
    assert!(
        message.starts_with("expected `CREATE`, `ALTER`, `DROP`, `SHOW`, `DESCRIBE`, `USE`, `START`"),
        "{message}"
    );
    let message = fault(&emitter("WHERE a TO")).message;
    assert!(
        message.starts_with("expected `CLIENT SCHEMA`, `HTTP`, `KAFKA`")
            && message.ends_with("found the end of the statement")
    );
    assert_eq!(
        fault(&emitter("WHERE a b")).message,
        "expected `AS`, an operator, `,`, `COLLECT FOR`, `USING MATERIALIZED STATE` or `TO`, found `b`"
    );
}

#[test]
fn a_clause_out_of_its_place_is_told_where_it_belongs() {
    let sink = format!("TO CLIENT SCHEMA s MODE ACK SEQUENTIAL ACK TIMEOUT 1s {RETRY}");
    refused(
        &emitter(&format!("{sink} COLLECT FOR 1s")),
        "E0202",
        "COLLECT",
        "found `COLLECT`",
        "COLLECT belongs after the FROM list and before TO",
    );
    refused(
        &emitter(&format!(
            "{sink} ON MESSAGE ERROR LOG FLUSH IMMEDIATE ON GENERAL ERROR LOG"
        )),
        "E0202",
        "ON",
        "expected `ENCODE USING`",
        "FLUSH belongs after BATCH, before ON MESSAGE ERROR",
    );
    refused(
        &emitter(&format!(
            "{sink} FLUSH IMMEDIATE BATCH MAX MESSAGES 1 MAX SIZE 1B"
        )),
        "E0202",
        "BATCH",
        "expected `ON MESSAGE ERROR`",
        "after the construction, before FLUSH",
    );
    refused(
        &emitter(&format!("{sink} FLUSH IMMEDIATE FLUSH IMMEDIATE")),
        "E0202",
        "FLUSH",
        "",
        "written once",
    );
    refused(
        "CREATE RELAY r SCHEMA s CAPACITY 1 UNBRANCHED",
        "E0202",
        "CAPACITY",
        "",
        "UNBRANCHED belongs after SCHEMA",
    );
    refused(
        "CREATE CLIENT c TYPE NATS CONFIG {} MOUNT r VERSION 1",
        "E0202",
        "MOUNT",
        "",
        "before CONFIG",
    );
    refused(
        "CREATE INGESTOR i FROM CLIENT SCHEMA s MODE ACK FILTER WHERE a TO r",
        "E0202",
        "FILTER",
        "expected",
        "after SCHEMA, before MODE",
    );
    refused(
        &emitter(&format!(
            "{sink} SET a = 1 INHERIT ALL BATCH MAX MESSAGES 1 MAX SIZE 1B"
        )),
        "E0202",
        "INHERIT",
        "",
        "INHERIT belongs after the sink clause",
    );
    let early = fault(&emitter(&format!("{sink} ON MESSAGE ERROR LOG FLUSH IMMEDIATE")));
    assert_eq!(early.labels.len(), 1);
}

#[test]
fn a_missing_clause_is_named() {
    let sink = format!("TO CLIENT SCHEMA s MODE ACK SEQUENTIAL ACK TIMEOUT 1s {RETRY}");
    refused(
        "CREATE EMITTER e FROM r",
        "E0201",
        "",
        "or `TO`, found the end",
        "TO is required: after FROM, COLLECT",
    );
    refused(
        &emitter(&format!("{sink} INHERIT ALL ON MESSAGE ERROR LOG")),
        "E0201",
        "ON",
        "`FLUSH`",
        "FLUSH is required",
    );
    refused(
        &emitter(&format!("{sink} FLUSH IMMEDIATE ON GENERAL ERROR LOG")),
        "E0201",
        "GENERAL",
        "`MESSAGE`",
        "ON MESSAGE is required: after FLUSH",
    );
    refused(
        "CREATE INGESTOR i FROM CLIENT SCHEMA s TO r",
        "E0201",
        "TO",
        "`MODE`",
        "MODE is required",
    );
    refused(
        "CREATE INGESTOR i FROM CLIENT SCHEMA s MODE ACK TO r INHERIT ALL FLUSH IMMEDIATE",
        "E0201",
        "FLUSH",
        "`UNBRANCHED`",
        "UNBRANCHED or BRANCHED BY is required",
    );
    refused(
        "CREATE RELAY r UNBRANCHED",
        "E0201",
        "UNBRANCHED",
        "`SCHEMA`",
        "SCHEMA is required: right after the relay's name",
    );
    refused(
        "CREATE CLIENT c TYPE NATS",
        "E0201",
        "",
        "`CONFIG`",
        "CONFIG is required",
    );
}

#[test]
fn near_misses_are_suggested() {
    refused(
        "CREAT RELAY r",
        "E0201",
        "CREAT",
        "expected `CREATE`",
        "did you mean `CREATE`?",
    );
    refused(
        &emitter("COLECT FOR 1s"),
        "E0201",
        "COLECT",
        "",
        "did you mean `COLLECT FOR`?",
    );
    refused(
        "CREATE EMITER e",
        "E0201",
        "EMITER",
        "",
        "did you mean `EMITTER`?",
    );
    refused(
        "SHOW RELAY",
        "E0201",
        "RELAY",
        "`RELAYS`",
        "did you mean `RELAYS`?",
    );
    refused(
        "DESCRIBE EMITTERS e",
        "E0201",
        "EMITTERS",
        "",
        "did you mean `EMITTER`?",
    );
}

#[test]
fn operators_of_other_languages_name_the_form_to_use() {
    for (expression, at, help) in [
        ("a == b", "==", "equality is written `=`"),
        ("a || b", "||", "concat(a, b)"),
        ("a && b", "&&", "AND"),
        ("!a", "!", "NOT"),
        ("a IN (1, 2)", "IN", "a = x OR a = y"),
        (
            "a NOT IN (1, 2)",
            "NOT",
            "put NOT (...) around it; without NOT: write a = x OR a = y",
        ),
        ("a NOT BETWEEN 1 AND 2", "NOT", "put NOT (...) around it"),
        ("a like 'x'", "like", "starts_with"),
        ("a BETWEEN 1 AND 2", "BETWEEN", "a >= x AND a <= y"),
        ("a::I8", ":", "a AS TYPE"),
    ] {
        refused(
            &emitter(&format!("WHERE {expression} TO")),
            "E0205",
            at,
            "there is no operator",
            help,
        );
    }
}

#[test]
fn mistakes_in_expressions_have_a_help() {
    let filter = |expression: &str| emitter(&format!("WHERE {expression} TO"));
    refused(&filter("a = b = c"), "E0201", "=", "an operator", "do not chain");
    refused(
        &filter("end = 1"),
        "E0201",
        "end",
        "expected an expression",
        "read as input.end",
    );
    refused(&filter("a + "), "E0201", "", "", "");
    refused(&filter("(a"), "E0201", "TO", "`)`", "");
    refused(&filter("IF a THEN b END"), "E0201", "END", "`ELSE`", "");
    refused(&filter("CASE a ELSE b END"), "E0201", "ELSE", "`WHEN`", "");
    refused(
        &filter("TRY_CAST(a)"),
        "E0201",
        "a",
        "an expression with AS and a type",
        "",
    );
    refused(
        &filter("JSON_VALUE(a, b AS I8)"),
        "E0201",
        "b",
        "a quoted JSON path",
        "",
    );
    refused(
        &filter("a AS INTEGER"),
        "E0201",
        "INTEGER",
        "expected a type",
        "is I32 here",
    );
    refused(
        &filter("a = +1"),
        "E0201",
        "+",
        "expected an expression",
        "no plus sign",
    );
}

#[test]
fn a_comma_with_nothing_behind_it_is_told_apart() {
    refused("CREATE SCHEMA s (a I8,)", "E0204", ",", "", "remove the comma");
    refused(
        "CREATE CLIENT c TYPE NATS CONFIG {'a' = 1,}",
        "E0204",
        ",",
        "",
        "remove the comma",
    );
    refused(
        &emitter(", TO CLIENT SCHEMA s"),
        "E0204",
        ",",
        "",
        "remove the comma",
    );
    refused(&emitter("WHERE f(a,) TO"), "E0204", ",", "", "remove the comma");
    refused(
        "ALTER RELAY r SET CAPACITY 1,",
        "E0204",
        ",",
        "",
        "remove the comma",
    );
}

#[test]
fn quantities_written_wrongly_have_a_help() {
    let collect = |duration: &str| emitter(&format!("COLLECT FOR {duration} TO"));
    refused(
        &collect("10"),
        "E0206",
        "10",
        "expected a duration",
        "needs a unit",
    );
    refused(
        &collect("10 ms"),
        "E0206",
        "10",
        "",
        "the unit touches the number: 10ms",
    );
    refused(&collect("1.5s"), "E0206", "1.5s", "", "smaller one");
    refused(&collect("10MS"), "E0206", "10MS", "", "exact in case: 10ms");
    refused(&collect("10min"), "E0206", "10min", "", "us, ms, s, m, h, d");
    refused(&collect("-10s"), "E0206", "-", "", "never negative");
    refused(
        &collect("'10s'"),
        "E0206",
        "'10s'",
        "found a string",
        "without quotes",
    );
    let bound = |size: &str| emitter(&format!("COLLECT FOR 1s MAX BATCH SIZE {size} TO"));
    refused(&bound("100"), "E0206", "100", "expected a size", "needs a unit");
    refused(&bound("1.5MiB"), "E0206", "1.5MiB", "", "smaller one");
    refused(&bound("1mib"), "E0206", "1mib", "", "exact in case: 1MiB");
    refused(
        "ALTER RELAY r SET CAPACITY 1.5",
        "E0206",
        "1.5",
        "a whole number",
        "no point",
    );
    refused(
        "ALTER RELAY r SET CAPACITY -1",
        "E0206",
        "-",
        "a whole number",
        "never negative",
    );
}

#[test]
fn other_known_mistakes_have_a_help() {
    refused(
        "CREATE SCHEMA s (a I8 SENSITIVE OPTIONAL)",
        "E0201",
        "OPTIONAL",
        "",
        "OPTIONAL stands before SENSITIVE",
    );
    refused(
        "CREATE SCHEMA s (a INT)",
        "E0201",
        "INT",
        "expected a type",
        "`INT` is I32 here",
    );
    refused(
        "CREATE SCHEMA s (a STRNG)",
        "E0201",
        "STRNG",
        "",
        "did you mean `STRING`?",
    );
    refused(
        "CREATE SCHEMA s (a Thing)",
        "E0201",
        "Thing",
        "",
        "the types are U8, I8",
    );
    refused(
        &emitter("TO KAFKA c TOPIC orders.v1 MODE NO_ACK"),
        "E0201",
        ".",
        "",
        "quoted",
    );
    refused(
        "USE 'd'",
        "E0201",
        "'d'",
        "expected a domain name, found a string",
        "without quotes",
    );
    refused(
        "START TIME RATE 2",
        "E0201",
        "TIME",
        "",
        "TIME RATE follows START AT",
    );
}

#[test]
fn no_fault_shows_the_inside_of_a_string() {
    for text in [
        "CREATE CLIENT c 'hunter2'",
        "CREATE CLIENT c TYPE NATS CONFIG {'a' 'hunter2'}",
        "USE 'hunter2",
    ] {
        let told = format!("{:?}", fault(text));
        assert!(!told.contains("hunter2"), "{told}");
    }
}

#[test]
fn every_code_is_listed_once_and_some_script_has_it() {
    let scripts = [
        "@".to_owned(),
        "'".to_owned(),
        "/*".to_owned(),
        "x".repeat(1_000),
        " ".repeat(SCRIPT_BYTES_MAX + 1),
        format!("USE {}", "(".repeat(1_000)),
        "@ ;".repeat(FAULTS_MAX + 1),
        "USE".to_owned(),
        "CREATE RELAY r SCHEMA s CAPACITY 1 UNBRANCHED".to_owned(),
        "STOP\nCREATE RESOURCE r".to_owned(),
        "CREATE SCHEMA s (a I8,)".to_owned(),
        emitter("WHERE a == b"),
        emitter("COLLECT FOR 1"),
    ];
    let mut found: Vec<&str> = scripts
        .iter()
        .flat_map(|script| parse(script).faults)
        .map(|fault| fault.code)
        .collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, code::ALL.map(|(code, _)| code));
}
