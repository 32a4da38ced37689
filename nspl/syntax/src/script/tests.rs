//! Tests of scripts: recovery, spans and bounds.

use crate::limits::{FAULTS_MAX, HEIGHT_MAX, NESTING_MAX, SCRIPT_BYTES_MAX, TEXT_BYTES_MAX};
use crate::printer::print;
use crate::script::{Parsed, parse};

fn printed(parsed: &Parsed) -> Vec<String> {
    parsed
        .statements
        .iter()
        .map(|statement| print(&statement.node))
        .collect()
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.faults.iter().map(|fault| fault.code).collect()
}

#[test]
fn a_broken_statement_gives_its_fault_and_the_others_are_read() {
    let parsed = parse("USE a; CREATE RELAY; STOP; USE; BEGIN");
    assert_eq!(printed(&parsed), ["USE a;", "STOP;", "BEGIN;"]);
    assert_eq!(codes(&parsed), ["E0201", "E0201"]);
    assert_eq!(parsed.faults[0].span.range(), 19..20);
}

#[test]
fn empty_statements_are_fine_and_the_last_semicolon_may_be_missing() {
    let parsed = parse(";; STOP ;;; -- end\nSTOP");
    assert_eq!(printed(&parsed), ["STOP;", "STOP;"]);
    assert!(parsed.faults.is_empty());
}

#[test]
fn spans_are_bytes_of_the_script() {
    let text = "/* ä */ USE orders ;";
    let parsed = parse(text);
    assert_eq!(text.get(parsed.statements[0].span.range()), Some("USE orders"));
    assert_eq!(text.get(parsed.comments[0].span.range()), Some("/* ä */"));
}

#[test]
fn a_missing_semicolon_costs_one_fault_and_no_statement() {
    let parsed = parse("CREATE RESOURCE a\nCREATE RESOURCE b;\nCREATE RESOURCE c");
    assert_eq!(
        printed(&parsed),
        ["CREATE RESOURCE a;", "CREATE RESOURCE b;", "CREATE RESOURCE c;"]
    );
    assert_eq!(codes(&parsed), ["E0203"]);
}

#[test]
fn reading_goes_on_at_a_line_that_begins_a_statement() {
    let parsed = parse("CREATE SCHEMA s (a I8\nCREATE RELAY r SCHEMA s UNBRANCHED;\nDROP RELAY q");
    assert_eq!(
        printed(&parsed),
        ["CREATE RELAY r SCHEMA s UNBRANCHED;", "DROP RELAY q;"]
    );
    assert_eq!(codes(&parsed), ["E0201"]);
}

#[test]
fn show_create_may_be_broken_over_lines() {
    assert_eq!(printed(&parse("SHOW\nCREATE RELAY r")), ["SHOW CREATE RELAY r;"]);
}

#[test]
fn lexical_faults_are_not_told_twice() {
    let parsed = parse("USE @; STOP; USE 'a");
    assert_eq!(codes(&parsed), ["E0101", "E0102"]);
    assert_eq!(printed(&parsed), ["STOP;"]);
}

#[test]
fn scripts_and_literals_past_their_bounds_are_refused() {
    assert_eq!(codes(&parse(&" ".repeat(SCRIPT_BYTES_MAX + 1))), ["E0105"]);
    let long = format!("UPLOAD RESOURCE r VERSION '{}'; STOP", "x".repeat(1 << 20));
    let parsed = parse(&long);
    assert_eq!(codes(&parsed), ["E0104"]);
    assert!(parsed.faults[0].message.contains(&TEXT_BYTES_MAX.to_string()));
}

fn filter(expression: &str) -> String {
    format!("ALTER EMITTER e ADD FROM r WHERE {expression}")
}

#[test]
fn nesting_is_bounded_by_name_and_what_is_within_prints_and_reads() {
    let wrap = |open: &str, close: &str, levels: usize| {
        filter(&format!("{}a{}", open.repeat(levels), close.repeat(levels)))
    };
    let shapes = [
        ("(", ")"),
        ("f(", ")"),
        ("NOT ", ""),
        ("- ", ""),
        ("[", "]"),
        ("CASE WHEN a THEN ", " END"),
        ("IF a THEN b ELSE ", " END"),
    ];
    for (open, close) in shapes {
        let parsed = parse(&wrap(open, close, NESTING_MAX));
        assert_eq!(codes(&parsed), [""; 0], "{open}");
        let text = print(&parsed.statements[0].node);
        assert_eq!(parse(&text).statements, parsed.statements);
        for levels in [NESTING_MAX + 1, 100_000] {
            assert_eq!(codes(&parse(&wrap(open, close, levels))), ["E0106"], "{open}");
        }
    }
}

#[test]
fn operator_chains_are_bounded_and_lists_are_not() {
    let chain = |operator: &str, operators: usize| {
        filter(&format!("a{}", format!(" {operator} a").repeat(operators)))
    };
    for operator in ["+", "AND", "*", "OR"] {
        assert_eq!(codes(&parse(&chain(operator, HEIGHT_MAX))), [""; 0], "{operator}");
        assert_eq!(
            codes(&parse(&chain(operator, HEIGHT_MAX + 1))),
            ["E0106"],
            "{operator}"
        );
        assert_eq!(codes(&parse(&chain(operator, 100_000))), ["E0106"], "{operator}");
    }
    let left = (0..NESTING_MAX).fold("a".to_owned(), |inner, _| {
        format!("({inner}{})", " + a".repeat(50))
    });
    assert_eq!(codes(&parse(&filter(&left))), ["E0106"]);
    let prefixes = filter(&format!("NOT a{}", " AND NOT -a = -b".repeat(HEIGHT_MAX - 10)));
    assert_eq!(codes(&parse(&prefixes)), [""; 0]);
    let casts = filter(&format!("a{}", " AS I8".repeat(100_000)));
    assert_eq!(codes(&parse(&casts)), ["E0106"]);
    let list = filter(&format!("f({})", ["a + b * c"; 5_000].join(", ")));
    assert_eq!(codes(&parse(&list)), [""; 0]);
    let arms = filter(&format!(
        "CASE {} END",
        "WHEN a + 1 = b THEN c * 2 ".repeat(5_000)
    ));
    assert_eq!(codes(&parse(&arms)), [""; 0]);
    let types = format!(
        "CREATE SCHEMA s (a {}I8{})",
        "VEC<".repeat(100_000),
        ">".repeat(100_000)
    );
    assert_eq!(codes(&parse(&types)), ["E0106"]);
}

#[test]
fn faults_are_listed_up_to_a_bound() {
    let parsed = parse(&"USE;".repeat(FAULTS_MAX + 10));
    assert_eq!(parsed.faults.len(), FAULTS_MAX + 1);
    assert_eq!(parsed.faults[FAULTS_MAX].code, "E0107");
}

/// The code and the help of the only fault, but for what the statement lacks at its end.
fn fault(text: &str) -> (&'static str, String) {
    let parsed = parse(text);
    let others = parsed.faults.get(1..).unwrap_or_default();
    let is_end = |fault: &crate::Fault| fault.span.start >= text.len();
    assert!(others.iter().all(is_end), "{text}\n{:?}", parsed.faults);
    let fault = &parsed.faults[0];
    (fault.code, fault.help.clone().unwrap_or_default())
}

#[test]
fn clauses_of_a_destination_are_told_their_place_in_create_and_alter() {
    let cases = [
        (
            "OTEL o LOGS VALUES {'body' = a} RESOURCE {'x' = 'y'} ATTRIBUTES {'b' = c} MODE ACK",
            "ATTRIBUTES belongs after VALUES, before RESOURCE",
        ),
        (
            "OTEL o LOGS VALUES {'body' = a} SCOPE 's' RESOURCE {'x' = 'y'} MODE ACK",
            "RESOURCE belongs after VALUES and ATTRIBUTES, before SCOPE",
        ),
        (
            "OTEL o METRIC 'm' DESCRIPTION 'd' UNIT '1' GAUGE MODE ACK",
            "UNIT belongs right after METRIC and its name, before the shape",
        ),
        (
            "HTTP h PATH '/' METHOD 'POST' MODE ACK",
            "METHOD belongs right after the client, before PATH",
        ),
        (
            "ICEBERG ON S3 s TABLE t VALUES {'a' = b} CATALOG c LOCATION 's3://x' COMMIT EACH 1m MAX SIZE 1MiB MODE ACK",
            "LOCATION belongs right after VALUES, before CATALOG",
        ),
        (
            "ICEBERG ON S3 s TABLE t VALUES {'a' = b} LOCATION 's3://x' COMMIT EACH 1m MAX SIZE 1MiB CATALOG c MODE ACK",
            "CATALOG belongs after LOCATION, before COMMIT EACH",
        ),
    ];
    for (sink, help) in cases {
        for head in ["CREATE EMITTER e FROM r TO", "ALTER EMITTER e SET TO"] {
            let text = format!("{head} {sink}");
            assert_eq!(fault(&text), ("E0202", help.to_owned()), "{text}");
        }
    }
}

#[test]
fn a_statement_is_not_judged_by_the_clauses_of_the_next() {
    let parsed =
        parse("CREATE EMITTER e FROM r MODE ACK\nCREATE EMITTER f FROM r TO CLIENT SCHEMA s MODE ACK;");
    let first = &parsed.faults[0];
    assert!(first.labels.is_empty(), "{first:?}");
    let help = first.help.as_deref().unwrap_or_default();
    assert!(help.starts_with("TO is required"), "{first:?}");
}
