//! Resident memory of the server: at rest, at full speed, and with consumers stalled. Flat means that the median of the
//! last third of the samples is within 10 % of that of the first.

use std::time::Duration;

use arrow_flight::FlightData;
use nervix_tests::flight::Exchange;
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until};
use tokio::time::{Instant, interval};

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{graph, peer};

const MINUTE: Duration = Duration::from_secs(60);
/// What a phase may need to fill its buffers before it counts.
const WARM_UP: Duration = Duration::from_secs(10);
pub(crate) const FLAT: Bound = Bound::Within(0.9, 1.1);

/// Measures the phases, one after the other on one server.
pub(crate) async fn measure(report: &mut Report) {
    let mut server = Nervix::dev().await;
    server.exec(&graph::straight(65_536));
    pin(server.process().id(), SERVER_CORE);
    let rest = sample(&mut server, MINUTE / 3).await;
    row(report, "resident at rest", &rest, FLAT);

    let messages: Vec<_> = (0..16)
        .map(|n| peer::message(peer::batch(n * 1024, 1024, 1000, 0)))
        .collect();
    let (put, mut exchange) = peer::open(&server.ports().flight.clone()).await;
    exchange.credit(u32::MAX).await;
    let sender = put.sender();
    {
        let writing = peer::send(&sender, &messages, usize::MAX);
        let answers = peer::read_answers(put, u64::MAX);
        let consuming = peer::consume(&mut exchange, usize::MAX);
        let flowing = async { tokio::join!(writing, answers, consuming) };
        let speed = while_going(&mut server, flowing, MINUTE).await;
        row(report, "resident at full speed, 1 MiB batches", &speed, FLAT);
    }
    // The same consumer neither reads nor answers any more; its window is full and its credit is not.
    let stalled = while_stalled(&mut server, &messages, MINUTE).await;
    row(
        report,
        "resident with a consumer that stopped reading, a minute",
        &stalled,
        FLAT,
    );
    drop((exchange, sender));

    let address = server.ports().flight.clone();
    let exchange = must("open a consumer", Exchange::open(&address, "d", "outbox").await);
    let stalled = while_stalled(&mut server, &messages, MINUTE).await;
    row(
        report,
        "resident with a consumer that grants no credit, a minute",
        &stalled,
        FLAT,
    );
    drop(exchange);

    let after = sample(&mut server, MINUTE / 3).await;
    row(
        report,
        "resident at rest again, consumers gone, records waiting",
        &after,
        Bound::Reported,
    );
}

/// Samples for this time while a writer writes as fast as it may.
pub(crate) async fn while_stalled(server: &mut Nervix, messages: &[FlightData], time: Duration) -> Vec<f64> {
    let mut put = peer::put(&server.ports().flight.clone()).await;
    let writing = async {
        for message in messages.iter().cycle() {
            if put.send(message.clone()).await.is_err() {
                break;
            }
        }
        let end = loop {
            match put.answer().await {
                Ok(Some(_)) => {}
                end => break end,
            }
        };
        panic!("the stream ended while writing: {end:?}")
    };
    while_going::<()>(server, writing, time).await
}

async fn while_going<T>(server: &mut Nervix, going: impl Future<Output = T>, time: Duration) -> Vec<f64> {
    let sampling = async {
        sample(server, WARM_UP).await;
        sample(server, time).await
    };
    tokio::select! {
        samples = sampling => samples,
        _ = going => panic!("the traffic ended before it was measured"),
    }
}

/// Resident bytes, four times a second.
pub(crate) async fn sample(server: &mut Nervix, time: Duration) -> Vec<f64> {
    let ends = Instant::now() + time;
    let mut ticks = interval(Duration::from_millis(250));
    let mut samples = Vec::new();
    while Instant::now() < ends {
        ticks.tick().await;
        samples.push(server.process().resident_bytes() as f64);
    }
    samples
}

/// Resident bytes of a server at rest, once they have not moved for a second.
pub(crate) async fn settled(server: &mut Nervix) -> f64 {
    let mut last = 0;
    let mut since = Instant::now();
    until("memory settles", || {
        let now = server.process().resident_bytes();
        if now.abs_diff(last) > 256 * 1024 {
            last = now;
            since = Instant::now();
        }
        let still = since.elapsed() > Duration::from_secs(1);
        async move { still.then_some(now as f64) }
    })
    .await
}

pub(crate) fn row(report: &mut Report, what: &str, samples: &[f64], bound: Bound) {
    let third = samples.len() / 3;
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / f64::from(1 << 20));
    let median = |samples: &[f64]| Runs::of(samples.iter().copied()).median();
    let (first, last) = (
        median(&samples[..third]),
        median(&samples[samples.len() - third..]),
    );
    report.row(Row {
        what,
        nervix: mib(last) + " in the last third",
        beside: mib(first) + " in the first",
        ratio: Some(Runs::of([last / first])),
        bound,
    });
}
