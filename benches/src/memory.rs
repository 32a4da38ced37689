//! Resident memory of the server: at rest, at full speed, and with consumers stalled. Flat means that the median of the
//! last third of the samples is within 10 % of that of the first.

use std::time::Duration;

use nervix_tests::server::Nervix;
use tokio::time::{Instant, interval};

use crate::report::Report;
use crate::{graph, peer};

const MINUTE: Duration = Duration::from_secs(60);
/// What a phase may need to fill its buffers before it counts.
const WARM_UP: Duration = Duration::from_secs(10);

/// Measures the three phases.
pub(crate) async fn measure(report: &mut Report) {
    let mut server = Nervix::dev().await;
    server.exec(&graph::straight(65_536));
    let rest = sample(&mut server, MINUTE / 3).await;
    row(report, "resident at rest", &rest);

    let (put, mut exchange) = peer::open(&server.ports().flight.clone()).await;
    exchange.credit(u32::MAX).await;
    let messages: Vec<_> = (0..16)
        .map(|n| peer::message(peer::batch(n * 1024, 1024, 1000, 0)))
        .collect();
    let sender = put.sender();
    {
        let writing = peer::send(&sender, &messages, usize::MAX);
        let answers = peer::read_answers(put, u64::MAX);
        let consuming = peer::consume(&mut exchange, usize::MAX);
        let sampling = async {
            sample(&mut server, WARM_UP).await;
            sample(&mut server, MINUTE).await
        };
        let flowing = async { tokio::join!(writing, answers, consuming) };
        let speed = tokio::select! {
            samples = sampling => samples,
            _ = flowing => Vec::new(),
        };
        row(report, "resident at full speed", &speed);
    }
    drop((exchange, sender));

    let (put, exchange) = peer::open(&server.ports().flight.clone()).await;
    let sender = put.sender();
    let stalled = {
        let writing = peer::send(&sender, &messages, usize::MAX);
        let sampling = async {
            sample(&mut server, WARM_UP).await;
            sample(&mut server, MINUTE).await
        };
        tokio::select! {
            samples = sampling => samples,
            () = writing => Vec::new(),
        }
    };
    row(report, "resident with consumers stalled for a minute", &stalled);
    drop((exchange, put));
}

async fn sample(server: &mut Nervix, time: Duration) -> Vec<u64> {
    let ends = Instant::now() + time;
    let mut ticks = interval(Duration::from_millis(250));
    let mut samples = Vec::new();
    while Instant::now() < ends {
        ticks.tick().await;
        samples.push(server.process().resident_bytes());
    }
    samples
}

fn row(report: &mut Report, what: &str, samples: &[u64]) {
    let third = samples.len() / 3;
    let (first, last) = (
        median(&samples[..third]),
        median(&samples[samples.len() - third..]),
    );
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let ratio = format!("{:.3}", last as f64 / first.max(1) as f64);
    report.row(
        what,
        [mib(last), format!("first third {}", mib(first)), ratio],
        "0.9 to 1.1",
    );
}

fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}
