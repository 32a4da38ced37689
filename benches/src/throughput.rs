//! DoPut to DoExchange with acknowledgements: bytes a second for batches of 1 MiB, rows a second for batches of 100 rows.

use std::time::Duration;

use arrow_flight::FlightData;
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;
use tokio::time::Instant;

use crate::report::{Report, SERVER_CORE, pin};
use crate::{bare, graph, peer};

/// Runs of each side, taken in turns; the best of each counts, since a noisy neighbour only slows down.
const RUNS: usize = 5;

struct Load {
    name: &'static str,
    rows: i64,
    width: usize,
    batches: usize,
    bound: &'static str,
}

const LOADS: [Load; 2] = [
    Load {
        name: "1 MiB batches",
        rows: 1024,
        width: 1000,
        batches: 1_500,
        bound: ">= 0.6, goal 0.8",
    },
    Load {
        name: "batches of 100 rows",
        rows: 100,
        width: 50,
        batches: 20_000,
        bound: "reported",
    },
];

/// Measures both loads.
pub(crate) async fn measure(report: &mut Report) {
    for load in &LOADS {
        let (mut nervix, mut baseline) = (Duration::MAX, Duration::MAX);
        for _ in 0..RUNS {
            baseline = baseline.min(run_bare(load).await);
            nervix = nervix.min(run_nervix(load).await);
        }
        let message = peer::message(peer::batch(0, load.rows, load.width, 0));
        let bytes = (message.data_header.len() + message.data_body.len()) * load.batches;
        let rate = |took: Duration| {
            let mib = bytes as f64 / took.as_secs_f64() / f64::from(1 << 20);
            let rows = load.rows as f64 * load.batches as f64 / took.as_secs_f64();
            format!("{mib:.0} MiB/s, {:.0} thousand rows/s", rows / 1000.0)
        };
        let ratio = baseline.as_secs_f64() / nervix.as_secs_f64();
        let what = format!("DoPut -> relay -> DoExchange with ack, {}", load.name);
        report.row(
            &what,
            [rate(nervix), rate(baseline), format!("{ratio:.2}")],
            load.bound,
        );
    }
}

async fn run_bare(load: &Load) -> Duration {
    let folder = must("a folder", tempfile());
    let (_server, address) = bare::start(&folder).await;
    let took = drive(&address, load).await;
    must("remove the folder", std::fs::remove_dir_all(folder));
    took
}

fn tempfile() -> std::io::Result<std::path::PathBuf> {
    let folder = std::env::temp_dir().join(format!("nervix-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
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
