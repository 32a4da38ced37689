//! What one more concrete branch costs: resident memory when idle, and speed when many take turns.
//!
//! Memory is taken after as many rows at each number, few under way at a time, so that it is the branches' and not the
//! high-water mark of traffic. Of the batches that are timed, each holds one row of each of [`TOUCHED`] branches, at
//! 1,000 branches as at 100,000, so that both move the same batches and differ in the number of branches alone.

use nervix_tests::server::Nervix;
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{graph, memory, peer};

/// Servers, and then timed runs, at each number of branches; the runs in turns.
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

/// Rows of a batch where one at a time is under way, each of another branch: what so many branches cost besides is
/// traffic, so they are what the others are held against.
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
    /// Bytes, of several servers.
    resident: Runs,
    rates: Vec<f64>,
}

/// Memory first, with every branch idle; then the rates, in turns.
pub(crate) async fn measure(report: &mut Report) {
    let mut all = [
        branched(COUNTS[0]).await,
        branched(COUNTS[1]).await,
        branched(COUNTS[2]).await,
    ];
    let (few, middle) = (branched(FEW).await, branched(MIDDLE).await);
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
    memory_rows(report, &all, [&few, &middle]);
    rate_rows(report, &all);
    report.row(Row {
        what: "resident memory of the process after the timed runs, at rest",
        nervix: after.join(", ") + " MiB",
        beside: "at 1, 1,000 and 100,000 branches".to_owned(),
        ratio: None,
        bound: Bound::Reported,
    });
}

fn memory_rows(report: &mut Report, [one, thousand, many]: &[Branched; 3], [few, middle]: [&Branched; 2]) {
    let each =
        |more: &Branched| (more.resident.median() - few.resident.median()) / (more.count - few.count) as f64;
    report.row(Row {
        what: "resident memory of the process with 1 branch",
        nervix: one.resident.text(mib) + " MiB",
        beside: format!("with {FEW}: {} MiB", few.resident.text(mib)),
        ratio: None,
        bound: Bound::Reported,
    });
    for branched in [thousand, middle, many] {
        report.row(Row {
            what: &format!("resident memory of an idle branch of {}", branched.count),
            nervix: format!("{:.2} KiB", each(branched) / 1024.0),
            beside: format!("2 KiB; process: {} MiB", branched.resident.text(mib)),
            ratio: Some(Runs::of([each(branched) / EACH_MAX])),
            bound: Bound::AtMost(1.0),
        });
    }
    report.row(Row {
        what: "resident memory of each of 100,000 branches beside each of 10,000",
        nervix: String::new(),
        beside: String::new(),
        ratio: Some(Runs::of([each(many) / each(middle)])),
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

/// One of several servers, with the memory of them all.
async fn branched(count: i64) -> Branched {
    let mut residents = Vec::new();
    loop {
        let (server, resident) = idle(count).await;
        residents.push(resident);
        if residents.len() == RUNS {
            return Branched {
                server,
                count,
                resident: Runs::of(residents),
                rates: Vec::new(),
            };
        }
    }
}

/// A server with so many idle branches, and its resident bytes.
async fn idle(count: i64) -> (Nervix, f64) {
    let mut server = Nervix::dev().await;
    server.exec(&graph::branched());
    pin(server.process().id(), SERVER_CORE);
    let load = Load {
        rows: COUNTS[2],
        a_batch: FEW,
        ahead: 1,
    };
    drive(&server, count, load).await;
    let resident = memory::settled(&mut server).await;
    (server, resident)
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
