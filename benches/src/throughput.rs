//! DoPut to DoExchange with acknowledgements: bytes a second for batches of 1 MiB, rows a second for batches of 100 rows.

use std::time::Duration;

use arrow_flight::FlightData;
use nervix_tests::server::Nervix;
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{bare, graph, peer};

/// Runs of each side, taken in turns: what slows the machine down for a while slows both sides.
const RUNS: usize = 7;

struct Load {
    name: &'static str,
    rows: i64,
    width: usize,
    batches: usize,
    bound: Bound,
}

const LOADS: [Load; 2] = [
    Load {
        name: "1 MiB batches",
        rows: 1024,
        width: 1000,
        batches: 1_500,
        bound: Bound::AtLeast(0.6),
    },
    Load {
        name: "batches of 100 rows",
        rows: 100,
        width: 50,
        batches: 20_000,
        bound: Bound::Reported,
    },
];

/// Measures both loads.
pub(crate) async fn measure(report: &mut Report) {
    for load in &LOADS {
        let (mut nervix, mut baseline) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            baseline.push(run_bare(load).await.as_secs_f64());
            nervix.push(run_nervix(load).await.as_secs_f64());
        }
        let ratios = baseline.iter().zip(&nervix).map(|(bare, ours)| bare / ours);
        let message = peer::message(peer::batch(0, load.rows, load.width, 0));
        let bytes = (message.data_header.len() + message.data_body.len()) * load.batches;
        let rate = |seconds: &Vec<f64>| {
            let seconds = Runs::of(seconds.iter().copied()).median();
            let mib = bytes as f64 / seconds / f64::from(1 << 20);
            let rows = load.rows as f64 * load.batches as f64 / seconds;
            format!("{mib:.0} MiB/s, {:.0} thousand rows/s", rows / 1000.0)
        };
        report.row(Row {
            what: &format!("DoPut -> relay -> DoExchange with ack, {}", load.name),
            nervix: rate(&nervix),
            beside: format!("bare: {}", rate(&baseline)),
            ratio: Some(Runs::of(ratios)),
            bound: load.bound,
        });
    }
}

async fn run_bare(load: &Load) -> Duration {
    let (_server, address) = bare::start().await;
    drive(&address, load).await
}

async fn run_nervix(load: &Load) -> Duration {
    let mut server = Nervix::dev().await;
    server.exec(&graph::straight(65_536));
    pin(server.process().id(), SERVER_CORE);
    let address = server.ports().flight.clone();
    drive(&address, load).await
}

async fn drive(address: &str, load: &Load) -> Duration {
    let messages: Vec<FlightData> = (0..16_i64)
        .map(|n| peer::message(peer::batch(n * load.rows, load.rows, load.width, 0)))
        .collect();
    let (put, mut exchange) = peer::open(address).await;
    exchange.credit(u32::MAX).await;
    let sender = put.sender();
    let rows = usize::try_from(load.rows).unwrap_or_default() * load.batches;
    let started = Instant::now();
    let writing = peer::send(&sender, &messages, load.batches);
    let answers = peer::read_answers(put, load.batches as u64);
    let consuming = peer::consume(&mut exchange, rows);
    let ((), put, ()) = tokio::join!(writing, answers, consuming);
    let took = started.elapsed();
    drop((put, sender));
    took
}
