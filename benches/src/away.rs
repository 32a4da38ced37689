//! Resident memory while a destination is away for minutes and its writer writes as fast as it may: an HTTP endpoint that
//! takes connections and says nothing, a Kafka broker that is paused (SIGSTOP), a Postgres whose table is locked. Flat is what
//! it is in [`memory`](crate::memory).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nervix_tests::http_endpoint::{HttpEndpoint, Reply};
use nervix_tests::kafka::Kafka;
use nervix_tests::postgres::{DATABASE, Postgres, USER};
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;

use crate::memory::{FLAT, row, while_stalled};
use crate::report::Report;
use crate::{graph, kafka, peer};

/// How long each is away.
const AWAY: Duration = Duration::from_secs(180);
/// Rows of an insert.
const ROWS: usize = 1_000;
/// A password that the server asks for.
const PASSWORD: &str = "bench";

/// Measures each destination, one after the other.
pub(crate) async fn measure(report: &mut Report) {
    let speaks = Arc::new(AtomicBool::new(true));
    let does_speak = Arc::clone(&speaks);
    let endpoint = HttpEndpoint::start(move |_, _| match does_speak.load(Ordering::SeqCst) {
        true => Reply::status(200),
        false => Reply::Hold(Vec::new()),
    })
    .await;
    let mut server = serve(&graph::requests(endpoint.port())).await;
    speaks.store(false, Ordering::SeqCst);
    sample(report, "HTTP endpoint says nothing", &mut server).await;

    let mut brokers = Kafka::start().await;
    brokers.create_topic("events", 1, &[]).await;
    let mut server = serve(&graph::records(
        (&brokers.address(), None),
        "events",
        kafka::WINDOW,
    ))
    .await;
    brokers.process(1).signal("STOP");
    sample(report, "Kafka broker is paused", &mut server).await;
    drop(brokers);

    let postgres = Postgres::start(PASSWORD).await;
    postgres
        .table("events", "id bigint, sent bigint, payload text")
        .await;
    let address = format!(
        "postgresql://{USER}:{PASSWORD}@{}/{DATABASE}?sslmode=disable",
        postgres.address()
    );
    let mut server = serve(&graph::inserts(&address, ROWS)).await;
    let (blocker, _driver) = postgres.client().await;
    must("lock", blocker.batch_execute("BEGIN; LOCK TABLE events").await);
    sample(report, "Postgres table is locked", &mut server).await;
}

/// A server that has delivered a batch already.
async fn serve(script: &str) -> Nervix {
    let server = Nervix::dev().await;
    server.exec(script);
    let put = peer::put(&server.ports().flight).await;
    must("write", put.write(peer::batch(0, 16, 1000, 0)).await);
    must("finish", put.finish().await);
    server
}

async fn sample(report: &mut Report, what: &str, server: &mut Nervix) {
    let messages: Vec<_> = (0..16)
        .map(|n| peer::message(peer::batch(n * 1024, 1024, 1000, 0)))
        .collect();
    let samples = while_stalled(server, &messages, AWAY).await;
    let minutes = AWAY.as_secs() / 60;
    let what = format!("resident while the {what} at full input, {minutes} minutes");
    row(report, &what, &samples, FLAT);
}
