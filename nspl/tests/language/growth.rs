//! Judging grows with the number of definitions and no faster; the figures are in docs/benchmarks.md.

use std::time::Duration;

use nspl::check;

use crate::case::world;
use crate::thread_time::computed_in;

/// Definitions of the shorter script, how often the longer one has as many, and how much longer it may take: half of
/// what the square would, so that noise decides nothing.
const FEW: usize = 20;
const TIMES: usize = 16;
const TIMES_MAX: u32 = 128;

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
