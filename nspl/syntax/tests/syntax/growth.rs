//! Time grows with the length of a script and no faster. Times are those of the thread alone, compared within one run.

use std::hint::black_box;
use std::time::Duration;

use nspl_syntax::parse;

use crate::thread_time::computed_in;

const STATEMENT: &str = "CREATE IF NOT EXISTS EMITTER e
  FROM notifications WHERE input.kind = 'a' AND NOT is_null(input.user_id), others
  COLLECT FOR 10ms MAX BATCH SIZE 1MiB
  TO CLIENT SCHEMA out MODE ACK PARALLEL MAX 1000 ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s
  INHERIT ALL EXCEPT raw, secret
  SET secret = leak_sensitive(input.secret), x = CASE WHEN a > 1 THEN b + 2 * c ELSE -d END
  WHERE output.active
  BATCH MAX MESSAGES 500 MAX SIZE 1MiB
  FLUSH EACH 100ms MAX BATCH SIZE 1MiB
  ON MESSAGE ERROR LOG
  ON GENERAL ERROR LOG;\n";

fn time(text: &str) -> Duration {
    computed_in(|| black_box(parse(black_box(text)))).0
}

/// The least of several times.
fn best(text: &str, runs: usize) -> Duration {
    (0..runs).map(|_| time(text)).min().unwrap_or_default()
}

/// How many times longer the longer text is, and how many times as long it may take: far less than growing with the
/// square (256), and with the power 1.5 (64), would take.
const FACTOR: usize = 16;
const BOUND: u32 = 40;

fn assert_linear(what: &str, text: impl Fn(usize) -> String, units: usize) {
    let small = best(&text(units), 5);
    let large = best(&text(units * FACTOR), 3);
    let bound = small * BOUND + Duration::from_millis(2);
    assert!(
        large < bound,
        "{what}: {units} units in {small:?}, {FACTOR} times as many in {large:?}"
    );
}

#[test]
fn ten_thousand_statements_are_read() {
    let small = "CREATE RELAY r SCHEMA s BRANCHED BY b CAPACITY 16;\n";
    let script = STATEMENT.repeat(1_000) + &small.repeat(9_000);
    let parsed = parse(&script);
    assert_eq!((parsed.statements.len(), parsed.faults.len()), (10_000, 0));
}

#[test]
fn time_grows_with_the_length_of_a_script() {
    for (what, unit, units) in [
        ("statements", STATEMENT, 20),
        (
            "broken statements",
            "CREATE EMITTER e FROM a WHERE b FROM c;\n",
            40,
        ),
        ("statements without semicolons", "CREATE RESOURCE r\n", 100),
        (
            "broken statements without semicolons",
            "CREATE SCHEMA s (a I8\n",
            100,
        ),
        ("bad characters", "@ ", 1_000),
        ("open quotes", "'", 1_001),
        ("comments", "/* a */ -- b\n", 1_000),
        ("open comments", "/*", 1_000),
        ("open brackets", "(", 1_000),
        ("numbers", "1.e.", 1_000),
    ] {
        assert_linear(what, |units| unit.repeat(units), units);
    }
}

#[test]
fn time_grows_with_the_length_of_one_statement() {
    for (what, head, unit, tail) in [
        ("fields", "CREATE SCHEMA s (a I8", ", a VEC<I8> OPTIONAL", ")"),
        (
            "fields without an end",
            "CREATE SCHEMA s (a I8",
            ", a VEC<I8>",
            "",
        ),
        ("broken fields", "CREATE SCHEMA s (a I8", ", a STRNG", ")"),
        (
            "operations",
            "ALTER EMITTER e DROP COLLECT",
            ", ADD FROM r WHERE a = b OR NOT c",
            "",
        ),
        (
            "arguments",
            "ALTER EMITTER e ADD FROM r WHERE f(a",
            ", (a + b) * TRY_CAST(c AS I8)",
            ")",
        ),
        (
            "arguments without an end",
            "ALTER EMITTER e ADD FROM r WHERE f(a",
            ", (a + b)",
            " 1",
        ),
        (
            "arms",
            "ALTER EMITTER e ADD FROM r WHERE CASE",
            " WHEN a THEN f(b)",
            " END",
        ),
    ] {
        assert_linear(what, |units| format!("{head}{}{tail}", unit.repeat(units)), 40);
    }
}
