//! What one more concrete branch costs: resident memory when idle, and speed when many take turns.
//!
//! Memory is that of one server at rest as its branches grow in number, after as many rows at each, few under way at a
//! time: what it grows by is the branches and neither the high-water mark of traffic nor how unlike two processes are. Of
//! the batches that are timed, each holds one row of each of [`TOUCHED`] branches, at 1,000 branches as at 100,000, so
//! that both move the same batches and differ in the number of branches alone.

use nervix_tests::server::Nervix;
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{graph, memory, peer};

/// Servers, and then timed runs, at each number of branches; the runs in turns.
const RUNS: usize = 3;
/// The numbers of branches whose speed is held against one another.
const COUNTS: [i64; 3] = [1, 1_000, 100_000];
/// The numbers that one server grows through. What 100 cost besides is traffic, so the others are held against them.
const GROWTH: [i64; 5] = [1, 100, 1_000, 10_000, 100_000];
/// Rows of a batch, each of another branch where there are so many.
const TOUCHED: i64 = 1_000;
/// Rows of a run: each of 100,000 branches twice.
const ROWS: i64 = 200_000;
/// Resident bytes that an idle branch may cost.
const EACH_MAX: f64 = 2.0 * 1024.0;
/// How much more each may cost at the highest count than at the middle one: linear growth, and its noise.
const LINEAR: Bound = Bound::AtMost(1.25);

/// Rows of a batch where one at a time is under way, each of another branch.
const FEW: i64 = 100;

/// What is sent.
#[derive(Clone, Copy)]
struct Load {
    rows: i64,
    a_batch: i64,
    /// Batches that may be unanswered.
    ahead: usize,
}

/// A server whose branches exist.
struct Branched {
    server: Nervix,
    count: i64,
    rates: Vec<f64>,
}

/// Memory first, with every branch idle; then the rates, in turns.
pub(crate) async fn measure(report: &mut Report) {
    let mut grown = Vec::new();
    for _ in 0..RUNS {
        grown.push(sizes().await);
    }
    memory_rows(report, &grown);
    let mut all = [
        branched(COUNTS[0]).await,
        branched(COUNTS[1]).await,
        branched(COUNTS[2]).await,
    ];
    for _ in 0..RUNS {
        for one in &mut all {
            let load = Load {
                rows: ROWS,
                a_batch: TOUCHED,
                ahead: usize::MAX,
            };
            let seconds = drive(&one.server, one.count, load).await;
            one.rates.push(ROWS as f64 / seconds);
        }
    }
    let mut after = Vec::new();
    for one in &mut all {
        after.push(mib(memory::settled(&mut one.server).await));
    }
    rate_rows(report, &all);
    report.row(Row {
        what: "resident memory of the process after the timed runs, at rest",
        nervix: after.join(", ") + " MiB",
        beside: "at 1, 1,000 and 100,000 branches".to_owned(),
        ratio: None,
        bound: Bound::Reported,
    });
}

/// Resident bytes of one server at rest, at each number of branches.
async fn sizes() -> [f64; GROWTH.len()] {
    let mut server = start().await;
    let mut sizes = [0.0; GROWTH.len()];
    for (size, count) in sizes.iter_mut().zip(GROWTH) {
        populate(&server, count).await;
        *size = memory::settled(&mut server).await;
    }
    sizes
}

fn memory_rows(report: &mut Report, grown: &[[f64; GROWTH.len()]]) {
    let process = |at: usize| Runs::of(grown.iter().map(|sizes| sizes[at])).text(mib) + " MiB";
    let each =
        |sizes: &[f64; GROWTH.len()], at: usize| (sizes[at] - sizes[1]) / (GROWTH[at] - GROWTH[1]) as f64;
    report.row(Row {
        what: "resident memory of the process with 1 branch",
        nervix: process(0),
        beside: format!("with {FEW}: {}", process(1)),
        ratio: None,
        bound: Bound::Reported,
    });
    for (at, count) in GROWTH.iter().enumerate().skip(2) {
        let runs = Runs::of(grown.iter().map(|sizes| each(sizes, at)));
        report.row(Row {
            what: &format!("resident memory of an idle branch of {count}"),
            nervix: runs.text(|bytes| format!("{:.2}", bytes / 1024.0)) + " KiB",
            beside: format!("2 KiB; process: {}", process(at)),
            ratio: Some(Runs::of(grown.iter().map(|sizes| each(sizes, at) / EACH_MAX))),
            bound: Bound::AtMost(1.0),
        });
    }
    report.row(Row {
        what: "resident memory of each of 100,000 branches beside each of 10,000",
        nervix: String::new(),
        beside: String::new(),
        ratio: Some(Runs::of(
            grown.iter().map(|sizes| each(sizes, 4) / each(sizes, 3)),
        )),
        bound: LINEAR,
    });
}

fn rate_rows(report: &mut Report, [one, thousand, many]: &[Branched; 3]) {
    let rate = |of: &Branched| {
        let rates = Runs::of(of.rates.iter().copied());
        rates.text(|rate| format!("{:.0}", rate / 1000.0)) + " thousand rows/s"
    };
    let bounds = [
        (thousand, one, Bound::Reported),
        (many, thousand, Bound::AtLeast(0.5)),
    ];
    for (more, less, bound) in bounds {
        let pairs = more.rates.iter().zip(&less.rates);
        let (many, few) = (more.count, less.count);
        report.row(Row {
            what: &format!("throughput of {many} branches beside {few}, batches of 1,000 rows"),
            nervix: rate(more),
            beside: rate(less),
            ratio: Some(Runs::of(pairs.map(|(more, less)| more / less))),
            bound,
        });
    }
}

fn mib(bytes: f64) -> String {
    format!("{:.1}", bytes / f64::from(1 << 20))
}

async fn start() -> Nervix {
    let mut server = Nervix::dev().await;
    server.exec(&graph::branched());
    pin(server.process().id(), SERVER_CORE);
    server
}

/// Makes so many branches exist, by as many rows whatever their number.
async fn populate(server: &Nervix, count: i64) {
    let load = Load {
        rows: COUNTS[2],
        a_batch: FEW,
        ahead: 1,
    };
    drive(server, count, load).await;
}

/// A server with so many idle branches.
async fn branched(count: i64) -> Branched {
    let server = start().await;
    populate(&server, count).await;
    Branched {
        server,
        count,
        rates: Vec::new(),
    }
}

/// Sends rows over successive branches, acknowledges all, and says how many seconds that took.
async fn drive(server: &Nervix, branches: i64, load: Load) -> f64 {
    let messages: Vec<_> = (0..load.rows)
        .step_by(load.a_batch as usize)
        .map(|first| peer::message(peer::keyed(first, load.a_batch, branches)))
        .collect();
    let (mut put, mut exchange) = peer::open(&server.ports().flight).await;
    exchange.credit(u32::MAX).await;
    let sender = put.sender();
    let started = Instant::now();
    for messages in messages.chunks(load.ahead) {
        let rows = messages.len() * load.a_batch as usize;
        let writing = peer::send(&sender, messages, messages.len());
        let answers = peer::read_answers(put, messages.len() as u64);
        let consuming = peer::consume(&mut exchange, rows);
        ((), put, ()) = tokio::join!(writing, answers, consuming);
    }
    started.elapsed().as_secs_f64()
}
