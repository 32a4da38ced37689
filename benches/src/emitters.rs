//! What one more idle emitter costs, and that the cost of each does not grow with their number.

use std::time::Duration;

use nervix_tests::server::Nervix;
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::runs::Runs;
use crate::{graph, memory};

const RUNS: usize = 3;
const COUNTS: [usize; 3] = [1, 100, 1_000];
/// Emitters of one transaction: few, so that what stays resident is the emitters and not what a long script took.
const AT_ONCE: usize = 10;
/// How long an idle server is watched.
const IDLE: Duration = Duration::from_secs(3);
/// Resident bytes that an idle emitter may cost.
const EACH_MAX: f64 = 64.0 * 1024.0;
/// How much more each may cost at the highest count than at the middle one: linear growth, and its noise.
const LINEAR: Bound = Bound::AtMost(1.25);

/// One server with a number of emitters.
struct Cost {
    resident: f64,
    applied: f64,
    cpu: f64,
}

/// Resident memory of idle emitters, the time it takes to create them, and the processor time they use while idle.
pub(crate) async fn measure(report: &mut Report) {
    let mut costs: [Vec<Cost>; 3] = Default::default();
    for _ in 0..RUNS {
        for (costs, count) in costs.iter_mut().zip(COUNTS) {
            costs.push(cost(count).await);
        }
    }
    let [one, hundred, thousand] = &costs;
    let each = |many: &[Cost], count: usize| {
        let pairs = many.iter().zip(one);
        let each: Vec<f64> = pairs
            .map(|(many, one)| (many.resident - one.resident) / (count - 1) as f64)
            .collect();
        each
    };
    let (of_hundred, of_thousand) = (each(hundred, 100), each(thousand, 1_000));
    for (count, each, costs) in [(100, &of_hundred, hundred), (1_000, &of_thousand, thousand)] {
        let figure = |of: fn(&Cost) -> f64| Runs::of(costs.iter().map(of));
        report.row(Row {
            what: &format!("resident memory of an idle emitter of {count}"),
            nervix: Runs::of(each.iter().copied()).text(|bytes| format!("{:.1}", bytes / 1024.0)) + " KiB",
            beside: format!(
                "64 KiB; created in {} ms, idle {} % of a core",
                figure(|cost| cost.applied).text(|seconds| format!("{:.0}", seconds * 1000.0)),
                figure(|cost| cost.cpu).text(|share| format!("{:.2}", share * 100.0)),
            ),
            ratio: Some(Runs::of(each.iter().map(|each| each / EACH_MAX))),
            bound: Bound::AtMost(1.0),
        });
    }
    report.row(Row {
        what: "resident memory of each of 1,000 emitters beside each of 100",
        nervix: String::new(),
        beside: String::new(),
        ratio: Some(Runs::of(
            of_thousand
                .iter()
                .zip(&of_hundred)
                .map(|(more, less)| more / less),
        )),
        bound: LINEAR,
    });
    let per = |costs: &[Cost], count: f64| {
        costs
            .iter()
            .map(|cost| cost.applied / count)
            .collect::<Vec<f64>>()
    };
    let (less, more) = (per(hundred, 100.0), per(thousand, 1_000.0));
    let text = |each: &[f64]| {
        Runs::of(each.iter().copied()).text(|seconds| format!("{:.2}", seconds * 1000.0)) + " ms"
    };
    report.row(Row {
        what: "time to create each of 1,000 emitters beside each of 100",
        nervix: text(&more),
        beside: text(&less),
        ratio: Some(Runs::of(more.iter().zip(&less).map(|(more, less)| more / less))),
        bound: LINEAR,
    });
}

async fn cost(count: usize) -> Cost {
    let mut server = Nervix::dev().await;
    server.exec(graph::no_emitter());
    let started = Instant::now();
    for first in (0..count).step_by(AT_ONCE) {
        server.exec(&graph::emitters(first..count.min(first + AT_ONCE)));
    }
    let applied = started.elapsed().as_secs_f64();
    memory::settled(&mut server).await;
    let (before, started) = (server.process().cpu_time(), Instant::now());
    let samples = memory::sample(&mut server, IDLE).await;
    let used = server.process().cpu_time() - before;
    Cost {
        resident: Runs::of(samples).median(),
        applied,
        cpu: used.as_secs_f64() / started.elapsed().as_secs_f64(),
    }
}
