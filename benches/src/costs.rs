//! What one more emitter and one more concrete branch cost, and that neither grows faster than linear.

use std::time::Duration;

use nervix_tests::server::Nervix;
use nervix_tests::wait::until;
use tokio::time::Instant;

use crate::report::{Report, SERVER_CORE, pin};
use crate::{graph, peer};

/// Resident memory of idle emitters at 1, 100 and 1,000.
pub(crate) async fn emitters(report: &mut Report) {
    let mut base = 0;
    for count in [1, 100, 1_000] {
        let mut server = Nervix::dev().await;
        let started = Instant::now();
        server.exec(&graph::many_emitters(count));
        let took = started.elapsed();
        let resident = settled(&mut server).await;
        if count == 1 {
            base = resident;
            continue;
        }
        let each = resident.saturating_sub(base) as f64 / (count - 1) as f64 / 1024.0;
        let what = format!("an idle emitter of {count}");
        report.row(
            &what,
            [
                format!("{each:.1} KiB each"),
                format!("applied in {took:.1?}"),
                String::new(),
            ],
            "<= 64 KiB",
        );
    }
}

/// Resident memory and throughput at 1, 1,000 and 100,000 concrete branches.
pub(crate) async fn branches(report: &mut Report) {
    let (mut base, mut thousand) = (0, 0.0);
    for count in [1_i64, 1_000, 100_000] {
        let mut server = Nervix::dev().await;
        server.exec(&graph::branched());
        pin(server.process().id(), SERVER_CORE);
        // Every branch once, then idle.
        drive(&server, count, 1).await;
        let resident = settled(&mut server).await;
        let rate = measure(&server, count).await.max(measure(&server, count).await);
        if count == 1 {
            base = resident;
        }
        if count == 1_000 {
            thousand = rate;
        }
        let each = resident.saturating_sub(base) as f64 / 1024.0 / (count - 1).max(1) as f64;
        let what = format!("{count} branches");
        let memory = if count == 1 {
            "base".to_owned()
        } else {
            format!("{each:.2} KiB each when idle")
        };
        report.row(
            &what,
            [
                memory,
                format!("{:.0} thousand rows/s", rate / 1000.0),
                String::new(),
            ],
            "<= 2 KiB",
        );
        if count == 100_000 {
            let ratio = format!("{:.2}", rate / thousand);
            report.row(
                "throughput at 100,000 branches beside 1,000",
                [String::new(), String::new(), ratio],
                ">= 0.5",
            );
        }
    }
}

async fn measure(server: &Nervix, branches: i64) -> f64 {
    let rows = 400_000;
    let started = Instant::now();
    drive(server, branches, rows / branches.min(rows)).await;
    let sent = branches * (rows / branches.min(rows));
    sent as f64 / started.elapsed().as_secs_f64()
}

/// Sends `rounds` rows to each branch, in batches of 4,096 rows over successive branches, and acknowledges all.
async fn drive(server: &Nervix, branches: i64, rounds: i64) {
    let (put, mut exchange) = peer::open(&server.ports().flight).await;
    exchange.credit(u32::MAX).await;
    let total = branches * rounds;
    let sender = put.sender();
    let mut batches = 0_u64;
    let mut messages = Vec::new();
    let mut next = 0;
    while next < total {
        let rows = (total - next).min(4_096);
        messages.push(peer::message(peer::keyed(next, rows, branches)));
        next += rows;
        batches += 1;
    }
    let writing = peer::send(&sender, &messages, messages.len());
    let answers = peer::read_answers(put, batches);
    let consuming = peer::consume(&mut exchange, usize::try_from(total).unwrap_or_default());
    tokio::join!(writing, answers, consuming);
}

/// Resident memory once it has not moved for a second.
async fn settled(server: &mut Nervix) -> u64 {
    let mut last = 0;
    let mut since = Instant::now();
    until("memory settles", || {
        let now = server.process().resident_bytes();
        if now.abs_diff(last) > 256 * 1024 {
            last = now;
            since = Instant::now();
        }
        let still = since.elapsed() > Duration::from_secs(1);
        async move { still.then_some(now) }
    })
    .await
}
