//! What one more concrete branch costs: resident memory when idle, and speed when many take turns.
//!
//! Every batch that is written holds one row of each of [`TOUCHED`] branches, at 1,000 branches as at 100,000, so that
//! both sides move the same batches and differ in the number of branches alone.

use nervix_tests::server::Nervix;
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{graph, memory, peer};

/// Runs at each number of branches, taken in turns.
const RUNS: usize = 3;
const COUNTS: [i64; 3] = [1, 1_000, 100_000];
/// A number between, to tell whether the cost of each grows.
const MIDDLE: i64 = 10_000;
/// Rows of a batch, each of another branch where there are so many.
const TOUCHED: i64 = 1_000;
/// Rows of a run: each of 100,000 branches twice.
const ROWS: i64 = 200_000;
/// Resident bytes that an idle branch may cost.
const EACH_MAX: f64 = 2.0 * 1024.0;
/// How much more each may cost at the highest count than at the middle one: linear growth, and its noise.
const LINEAR: Bound = Bound::AtMost(1.25);

/// A server whose branches exist.
struct Branched {
    server: Nervix,
    count: i64,
    resident: f64,
    rates: Vec<f64>,
}

/// Memory first, with every branch idle; then the rates, in turns.
pub(crate) async fn measure(report: &mut Report) {
    let mut all = Vec::new();
    for count in COUNTS {
        all.push(branched(count).await);
    }
    let middle = branched(MIDDLE).await;
    for _ in 0..RUNS {
        for one in &mut all {
            let seconds = drive(&one.server, one.count, ROWS).await;
            one.rates.push(ROWS as f64 / seconds);
        }
    }
    let [one, thousand, many] = all.as_slice() else {
        panic!("a server for each count");
    };
    let each = |many: &Branched| (many.resident - one.resident) / (many.count - one.count) as f64;
    for branched in [thousand, &middle, many] {
        report.row(Row {
            what: &format!("resident memory of an idle branch of {}", branched.count),
            nervix: format!("{:.2} KiB", each(branched) / 1024.0),
            beside: format!(
                "2 KiB; process: {:.1} MiB",
                branched.resident / f64::from(1 << 20)
            ),
            ratio: Some(Runs::of([each(branched) / EACH_MAX])),
            bound: Bound::AtMost(1.0),
        });
    }
    report.row(Row {
        what: "resident memory of each of 100,000 branches beside each of 10,000",
        nervix: String::new(),
        beside: String::new(),
        ratio: Some(Runs::of([each(many) / each(&middle)])),
        bound: LINEAR,
    });
    let rate = |of: &Branched| {
        let rates = Runs::of(of.rates.iter().copied());
        rates.text(|rate| format!("{:.0}", rate / 1000.0)) + " thousand rows/s"
    };
    let ratio = |more: &Branched, less: &Branched| {
        let pairs = more.rates.iter().zip(&less.rates);
        Runs::of(pairs.map(|(more, less)| more / less))
    };
    report.row(Row {
        what: "throughput of 1,000 branches, one row each a batch, beside 1",
        nervix: rate(thousand),
        beside: rate(one),
        ratio: Some(ratio(thousand, one)),
        bound: Bound::Reported,
    });
    report.row(Row {
        what: "throughput of 100,000 branches, one row each a batch, beside 1,000",
        nervix: rate(many),
        beside: rate(thousand),
        ratio: Some(ratio(many, thousand)),
        bound: Bound::AtLeast(0.5),
    });
}

async fn branched(count: i64) -> Branched {
    let mut server = Nervix::dev().await;
    server.exec(&graph::branched());
    pin(server.process().id(), SERVER_CORE);
    // As many rows at each count, so that what the traffic leaves behind is the same.
    drive(&server, count, COUNTS[2]).await;
    let resident = memory::settled(&mut server).await;
    Branched {
        server,
        count,
        resident,
        rates: Vec::new(),
    }
}

/// Sends `total` rows over successive branches, acknowledges all, and says how many seconds that took.
async fn drive(server: &Nervix, branches: i64, total: i64) -> f64 {
    let firsts = (0..total).step_by(TOUCHED as usize);
    let messages: Vec<_> = firsts
        .map(|first| peer::message(peer::keyed(first, TOUCHED, branches)))
        .collect();
    let (put, mut exchange) = peer::open(&server.ports().flight).await;
    exchange.credit(u32::MAX).await;
    let sender = put.sender();
    let started = Instant::now();
    let writing = peer::send(&sender, &messages, messages.len());
    let answers = peer::read_answers(put, messages.len() as u64);
    let consuming = peer::consume(&mut exchange, total as usize);
    tokio::join!(writing, answers, consuming);
    started.elapsed().as_secs_f64()
}
