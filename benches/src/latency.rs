//! From DoPut to delivery at 1,000 records a second, one record a batch, beside the same way through the baseline.

use std::time::Duration;

use nervix_tests::server::Nervix;
use nervix_tests::wait::must;
use tokio::time::{Instant, MissedTickBehavior};

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{bare, graph, peer};

/// Runs of each side, taken in turns.
const RUNS: usize = 5;
const RECORDS: usize = 5_000;
const EVERY: Duration = Duration::from_millis(1);

/// Measures both sides.
pub(crate) async fn measure(report: &mut Report) {
    let mut pairs = Vec::new();
    for _ in 0..RUNS {
        pairs.push((run_nervix().await, run_bare().await));
    }
    for (name, share, bound) in [("p50", 0.50, Bound::Reported), ("p99", 0.99, Bound::AtMost(1.0))] {
        let at = |runs: &Runs| runs.share(share);
        let figures = |side: Vec<f64>| Runs::of(side).text(|micros| format!("{micros:.0}")) + " us";
        let of_allowed = |(ours, bare): &(Runs, Runs)| at(ours) / (3.0 * at(bare) + 1_000.0);
        report.row(Row {
            what: &format!("latency DoPut -> delivery at 1,000 records/s, FLUSH IMMEDIATE, {name}"),
            nervix: figures(pairs.iter().map(|(ours, _)| at(ours)).collect()),
            beside: format!(
                "bare: {}",
                figures(pairs.iter().map(|(_, bare)| at(bare)).collect())
            ),
            ratio: Some(Runs::of(pairs.iter().map(of_allowed))),
            bound,
        });
    }
}

async fn run_bare() -> Runs {
    let (_server, address) = bare::start().await;
    drive(&address).await
}

async fn run_nervix() -> Runs {
    let mut server = Nervix::dev().await;
    server.exec(&graph::straight(1_000));
    pin(server.process().id(), SERVER_CORE);
    drive(&server.ports().flight.clone()).await
}

/// Sends at the rate and gives the latencies in microseconds.
async fn drive(address: &str) -> Runs {
    let (put, mut exchange) = peer::open(address).await;
    exchange.credit(u32::MAX).await;
    let started = Instant::now();
    let sender = put.sender();
    let writing = async {
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        for n in 0..RECORDS as i64 {
            ticks.tick().await;
            let sent = i64::try_from(started.elapsed().as_nanos()).unwrap_or(i64::MAX);
            let message = peer::message(peer::batch(n, 1, 100, sent));
            must("write", sender.send(message).await);
        }
    };
    let reading = async {
        let mut latencies = Vec::with_capacity(RECORDS);
        while latencies.len() < RECORDS {
            let (delivery, batch) = peer::delivery(&mut exchange).await;
            let now = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            for sent in peer::sent(&batch) {
                let nanos = now.saturating_sub(u64::try_from(sent).unwrap_or(0));
                latencies.push(nanos as f64 / 1_000.0);
            }
            exchange.ack(&delivery.r#ref).await;
        }
        Runs::of(latencies)
    };
    let answers = peer::read_answers(put, RECORDS as u64);
    let ((), latencies, _put) = tokio::join!(writing, reading, answers);
    latencies
}
