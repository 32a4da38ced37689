//! From DoPut to delivery at 1,000 records a second, one record a batch, beside the same way through the baseline.

use std::time::Duration;

use nervix_tests::server::Nervix;
use nervix_tests::wait::must;
use tokio::time::{Instant, MissedTickBehavior};

use crate::report::{Report, SERVER_CORE, pin};
use crate::{bare, graph, peer};

const RECORDS: usize = 10_000;
const EVERY: Duration = Duration::from_millis(1);

/// Measures both sides.
pub(crate) async fn measure(report: &mut Report) {
    let folder = std::env::temp_dir().join(format!("nervix-latency-{}", std::process::id()));
    must("a folder", std::fs::create_dir_all(&folder));
    let baseline = {
        let (_server, address) = bare::start(&folder).await;
        drive(&address).await
    };
    must("remove the folder", std::fs::remove_dir_all(folder));
    let mut server = Nervix::dev().await;
    server.exec(&graph::straight(1_000));
    pin(server.process().id(), SERVER_CORE);
    let nervix = drive(&server.ports().flight.clone()).await;
    for (name, share, bound) in [("p50", 0.50, "reported"), ("p99", 0.99, "<= 3 x bare + 1 ms")] {
        let pick = |sorted: &[Duration]| sorted[((sorted.len() - 1) as f64 * share) as usize];
        let (ours, theirs) = (pick(&nervix), pick(&baseline));
        let allowed = theirs * 3 + Duration::from_millis(1);
        let ratio = format!(
            "{:.2} of what is allowed",
            ours.as_secs_f64() / allowed.as_secs_f64()
        );
        let what = format!("latency at 1,000 records/s, FLUSH IMMEDIATE, {name}");
        report.row(
            &what,
            [format!("{ours:.1?}"), format!("{theirs:.1?}"), ratio],
            bound,
        );
    }
}

async fn drive(address: &str) -> Vec<Duration> {
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
            let (delivery, batch) = exchange.delivery().await;
            let now = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            for sent in peer::sent(&batch) {
                latencies.push(Duration::from_nanos(
                    now.saturating_sub(u64::try_from(sent).unwrap_or(0)),
                ));
            }
            exchange.ack(&delivery.r#ref).await;
        }
        latencies.sort();
        latencies
    };
    let answers = peer::read_answers(put, RECORDS as u64);
    let ((), latencies, _put) = tokio::join!(writing, reading, answers);
    latencies
}
