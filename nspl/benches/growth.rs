//! How long scripts of 100, 1,000 and 10,000 emitters take to be parsed and checked, and how that grows:
//! `cargo bench -p nspl`. Ends with 1 when a bound is missed.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nspl::{Catalog, check};

/// What all emitters refer to.
const HEAD: &str = "CREATE DOMAIN d; USE d; BEGIN;
CREATE SCHEMA event (id STRING, kind STRING, amount I64, note STRING OPTIONAL, secret STRING SENSITIVE);
CREATE SCHEMA record (id STRING, amount I64, note STRING OPTIONAL, secret STRING OPTIONAL);
CREATE SCHEMA failure (reason STRING);
CREATE RELAY failures SCHEMA failure UNBRANCHED;
CREATE RELAY events SCHEMA event UNBRANCHED;
CREATE RELAY replayed SCHEMA event UNBRANCHED;
";

/// The clauses of a typical emitter.
const EMITTER: &str = "
  FROM events WHERE input.kind = 'a' AND NOT is_null(input.note), replayed
  COLLECT FOR 10ms MAX BATCH SIZE 1MiB
  TO CLIENT SCHEMA record
    MODE ACK PARALLEL MAX 1000 ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s
  INHERIT ALL EXCEPT secret
  SET secret = leak_sensitive(input.secret),
      note = CASE WHEN input.amount > 1 THEN lower(input.id) ELSE concat(input.kind, '-', input.id) END
  WHERE output.amount > 0
  BATCH MAX MESSAGES 500 MAX SIZE 1MiB
  FLUSH EACH 100ms MAX BATCH SIZE 1MiB
  ON MESSAGE ERROR SEND TO failures SET reason = error.message
  ON GENERAL ERROR LOG;
";

fn script(emitters: usize) -> String {
    let emitters = (0..emitters).map(|number| format!("CREATE EMITTER e{number}{EMITTER}"));
    HEAD.to_owned() + &emitters.collect::<String>() + "COMMIT;"
}

/// The least of several times.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock of the machine"
)]
fn best(runs: usize, mut work: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..runs {
        let begin = Instant::now();
        work();
        least = least.min(begin.elapsed());
    }
    least
}

/// Milliseconds of check that an emitter may take.
const EACH_MAX: f64 = 1.0;
/// How much more each emitter may take where there are ten times as many: linear growth, what larger trees cost the
/// caches, and noise. A square would be 10.
const LINEAR: f64 = 1.7;

fn main() -> std::io::Result<ExitCode> {
    let mut held = true;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| emitters | bytes | parse | parse and check | ms of check per emitter | beside each of the row above |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    let mut last: Option<f64> = None;
    for emitters in [100, 1_000, 10_000] {
        let text = script(emitters);
        let runs = (10_000 / emitters).clamp(2, 20);
        let parse = best(runs, || {
            std::hint::black_box(nspl_syntax::parse(&text));
        });
        let whole = best(runs, || {
            let report = check("growth.nspl", &text, None, &Catalog::default());
            assert!(!report.is_refused(), "{:?}", report.diagnostics.first());
        });
        let checked = whole.saturating_sub(parse).as_secs_f64() * 1e3;
        let each = checked / f64::from(u32::try_from(emitters).unwrap_or(u32::MAX));
        let growth = last.map(|before| each / before);
        held &= each <= EACH_MAX && growth.is_none_or(|growth| growth <= LINEAR);
        let growth = growth.map_or_else(String::new, |growth| format!("{growth:.2}"));
        let bytes = text.len();
        writeln!(
            out,
            "| {emitters} | {bytes} | {parse:.1?} | {whole:.1?} | {each:.3} | {growth} |"
        )?;
        last = Some(each);
    }
    if !held {
        writeln!(
            out,
            "misses its bound: {EACH_MAX} ms an emitter, and {LINEAR} times that of the row above"
        )?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
