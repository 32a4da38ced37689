//! What one more idle emitter costs, and that the cost of each does not grow with their number.

use std::ops::Range;
use std::time::Duration;

use nervix_tests::server::Nervix;
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::runs::Runs;
use crate::{graph, memory};

const RUNS: usize = 5;
/// How many emitters a server has when it is measured, one count after the other: the difference of two sizes of one
/// process says what the emitters between them took, that of two processes would say how unlike these were.
const COUNTS: [usize; 3] = [1, 100, 1_000];
/// Emitters of one transaction: few, so that what stays resident is the emitters and not what a long script took.
const AT_ONCE: usize = 10;
/// Transactions that are judged and taken back before anything is measured: what they leave is the server's, not the
/// emitters'.
const WARM_UP: usize = 10;
/// How long an idle server is watched.
const IDLE: Duration = Duration::from_secs(3);
/// Resident bytes that an idle emitter may cost.
const EACH_MAX: f64 = 64.0 * 1024.0;
/// How much more each may cost at the highest count than at the middle one: linear growth, and its noise.
const LINEAR: Bound = Bound::AtMost(1.25);

/// What each of the emitters that were added to a server cost.
struct Cost {
    /// Bytes.
    resident: f64,
    /// Seconds.
    applied: f64,
    /// Share of a core that the whole server takes while idle.
    idle: f64,
}

/// Resident memory of idle emitters, the time it takes to create them, and the processor time they use while idle.
pub(crate) async fn measure(report: &mut Report) {
    let (mut one, mut hundred, mut thousand) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let [of_one, of_hundred, of_thousand] = costs().await;
        one.push(of_one);
        hundred.push(of_hundred);
        thousand.push(of_thousand);
    }
    // The first of a process pays for what all of them share, so nothing is asked of it.
    let asked = Bound::AtMost(1.0);
    for (count, costs, bound) in [
        (COUNTS[0], &one, Bound::Reported),
        (COUNTS[1], &hundred, asked),
        (COUNTS[2], &thousand, asked),
    ] {
        report.row(Row {
            what: &format!("resident memory of an idle emitter of {count}"),
            nervix: kib(&runs(costs, |cost| cost.resident)),
            beside: format!("64 KiB; idle {}", percent(&runs(costs, |cost| cost.idle))),
            ratio: Some(runs(costs, |cost| cost.resident / EACH_MAX)),
            bound,
        });
    }
    growth(report, "resident memory of", (&hundred, &thousand), kib, |cost| {
        cost.resident
    });
    growth(report, "time to create", (&hundred, &thousand), millis, |cost| {
        cost.applied
    });
}

/// A row that holds what each costs at the highest count against what it costs at the middle one.
fn growth(
    report: &mut Report,
    what: &str,
    (fewer, more): (&[Cost], &[Cost]),
    text: fn(&Runs) -> String,
    of: fn(&Cost) -> f64,
) {
    let ratios = more.iter().zip(fewer).map(|(more, fewer)| of(more) / of(fewer));
    report.row(Row {
        what: &format!("{what} each of 1,000 emitters beside each of 100"),
        nervix: text(&runs(more, of)),
        beside: text(&runs(fewer, of)),
        ratio: Some(Runs::of(ratios)),
        bound: LINEAR,
    });
}

fn runs(costs: &[Cost], of: impl Fn(&Cost) -> f64) -> Runs {
    Runs::of(costs.iter().map(of))
}

fn kib(runs: &Runs) -> String {
    runs.text(|bytes| format!("{:.1}", bytes / 1024.0)) + " KiB"
}

fn millis(runs: &Runs) -> String {
    runs.text(|seconds| format!("{:.2}", seconds * 1000.0)) + " ms"
}

fn percent(runs: &Runs) -> String {
    runs.text(|share| format!("{:.2}", share * 100.0)) + " % of a core"
}

/// What the first emitter costs, and each of those between the first count and the second, and the first and the third.
async fn costs() -> [Cost; 3] {
    let mut server = Nervix::dev().await;
    server.exec(graph::no_emitter());
    let judged = graph::emitters(0..AT_ONCE).replace("COMMIT", "REVERT");
    for _ in 0..WARM_UP {
        server.exec(&judged);
    }
    let [first, middle, last] = COUNTS;
    let empty = size(&mut server).await;
    let applied = grow(&mut server, 0..first).await;
    let of_first = cost(&mut server, empty, first, applied).await;
    let bare = size(&mut server).await;
    let mut applied = grow(&mut server, first..middle).await;
    let of_middle = cost(&mut server, bare, middle - first, applied).await;
    applied += grow(&mut server, middle..last).await;
    let of_last = cost(&mut server, bare, last - first, applied).await;
    [of_first, of_middle, of_last]
}

/// Creates these emitters; the seconds it took.
async fn grow(server: &mut Nervix, numbers: Range<usize>) -> f64 {
    let started = Instant::now();
    for first in numbers.clone().step_by(AT_ONCE) {
        server.exec(&graph::emitters(first..numbers.end.min(first + AT_ONCE)));
    }
    started.elapsed().as_secs_f64()
}

async fn cost(server: &mut Nervix, bare: f64, added: usize, applied: f64) -> Cost {
    memory::settled(server).await;
    let (before, started) = (server.process().cpu_time(), Instant::now());
    let size = size(server).await;
    let used = server.process().cpu_time() - before;
    Cost {
        resident: (size - bare) / added as f64,
        applied: applied / added as f64,
        idle: used.as_secs_f64() / started.elapsed().as_secs_f64(),
    }
}

/// Resident bytes of an idle server.
async fn size(server: &mut Nervix) -> f64 {
    memory::settled(server).await;
    Runs::of(memory::sample(server, IDLE).await).median()
}
