//! Records a second of a Kafka emitter in MODE ACK PARALLEL, beside a bare producer of the same library with the same
//! settings, broker, window and flush boundary: after so many records it waits until all are confirmed. A real Kafka on the
//! core of this process takes both.

use std::collections::VecDeque;
use std::process::Command;
use std::sync::Arc;

use nervix_tests::kafka::Kafka;
use nervix_tests::process::Process;
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until_within};
use rdkafka::config::ClientConfig;
use rdkafka::producer::{FutureProducer, FutureRecord};
use tokio::time::{Duration, Instant};

use crate::bento;
use crate::bound::Bound;
use crate::report::{CLIENT_CORE, Report, Row, SERVER_CORE, pin, say};
use crate::runs::Runs;
use crate::{graph, peer};

/// Runs of each side, taken in turns.
const RUNS: usize = 5;
/// Records between two boundaries.
pub(crate) const FLUSH: i64 = 10_000;
/// Boundaries of a run.
pub(crate) const FLUSHES: i64 = 30;
/// Boundaries before the time is taken.
pub(crate) const WARM_UP: i64 = 3;
/// Records that may await confirmation.
pub(crate) const WINDOW: usize = 1_000;
/// Bytes of the text in each record, so that its JSON has 128.
pub(crate) const WIDTH: usize = 92;
/// How long the other process may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the bare producer says before its rate.
const SAYS: &str = "records/s: ";

/// Measures both sides, with the `linger.ms` of librdkafka and with none; bento beside the faster.
pub(crate) async fn measure(report: &mut Report) {
    let mut kafka = Kafka::start().await;
    pin(kafka.process(1).id(), CLIENT_CORE);
    let what = "Kafka emitter, ACK PARALLEL MAX 1000, 128 bytes of JSON a record, flushes of 10,000";
    let pairs = beside_bare(&kafka, None).await;
    compare(report, (what, "bare"), &pairs, Bound::AtLeast(0.7));
    let what = "the same, 'linger.ms' = '0' on both sides";
    let pairs = beside_bare(&kafka, Some("0")).await;
    compare(report, (what, "bare"), &pairs, Bound::Reported);
    if let Some(program) = bento::named() {
        let mut pairs = Vec::new();
        for run in 0..RUNS {
            let topics = (format!("beside_bento{run}"), format!("bento{run}"));
            kafka.create_topic(&topics.0, 1, &[]).await;
            kafka.create_topic(&topics.1, 1, &[]).await;
            let ours = run_nervix(&kafka, &topics.0, Some("0")).await;
            pairs.push((ours, bento::run(&program, &kafka, &topics.1).await));
        }
        compare(
            report,
            ("the same beside bento", "bento"),
            &pairs,
            Bound::Reported,
        );
    }
}

/// The rates of both sides, in turns.
async fn beside_bare(kafka: &Kafka, linger: Option<&str>) -> Vec<(f64, f64)> {
    let mut pairs = Vec::new();
    for run in 0..RUNS {
        let lingers = linger.unwrap_or("some");
        let (ours, theirs) = (format!("ours_{lingers}_{run}"), format!("bare_{lingers}_{run}"));
        kafka.create_topic(&ours, 1, &[]).await;
        kafka.create_topic(&theirs, 1, &[]).await;
        let rate = run_nervix(kafka, &ours, linger).await;
        pairs.push((rate, run_bare(kafka, &theirs, linger).await));
    }
    pairs
}

/// A row of the rates of this side and of another one.
fn compare(report: &mut Report, (what, other): (&str, &str), pairs: &[(f64, f64)], bound: Bound) {
    let figures = |side: &dyn Fn(&(f64, f64)) -> f64| {
        Runs::of(pairs.iter().map(side)).text(|rate| format!("{:.0}", rate / 1_000.0)) + " thousand records/s"
    };
    report.row(Row {
        what,
        nervix: figures(&|(ours, _)| *ours),
        beside: format!("{other}: {}", figures(&|(_, theirs)| *theirs)),
        ratio: Some(Runs::of(pairs.iter().map(|(ours, theirs)| ours / theirs))),
        bound,
    });
}

async fn run_nervix(kafka: &Kafka, topic: &str, linger: Option<&str>) -> f64 {
    let mut server = Nervix::dev().await;
    server.exec(&graph::records((&kafka.address(), linger), topic, WINDOW));
    pin(server.process().id(), SERVER_CORE);
    let mut put = peer::put(&server.ports().flight).await;
    let sender = put.sender();
    let message = peer::message(peer::batch(0, FLUSH, WIDTH, 0));
    let messages = std::slice::from_ref(&message);
    let sending = peer::send(&sender, messages, usize::try_from(FLUSHES).unwrap_or_default());
    let mut started = Instant::now();
    let answering = async {
        let mut answered = 0;
        while answered < FLUSHES {
            let answer = must("an answer", put.answer().await);
            let answer = must("an answer", answer.ok_or("the stream ended"));
            answered += i64::try_from(answer.last - answer.first + 1).unwrap_or_default();
            if answered <= WARM_UP {
                started = Instant::now();
            }
        }
    };
    tokio::join!(sending, answering);
    rate(started)
}

fn rate(started: Instant) -> f64 {
    ((FLUSHES - WARM_UP) * FLUSH) as f64 / started.elapsed().as_secs_f64()
}

async fn run_bare(kafka: &Kafka, topic: &str, linger: Option<&str>) -> f64 {
    let folder = must("make a folder", tempfile::tempdir());
    let mut command = Command::new(must("find this program", std::env::current_exe()));
    command
        .args(["bare-producer", &kafka.address(), topic])
        .args(linger);
    let producer = Process::start("the bare producer", command, &folder.path().join("bare.log"));
    pin(producer.id(), SERVER_CORE);
    until_within(PATIENCE, "the bare producer has written", || {
        let printed = producer.printed();
        let rate = printed
            .lines()
            .find_map(|line| line.strip_prefix(SAYS)?.parse().ok());
        async move { rate }
    })
    .await
}

/// The baseline, in a process of its own.
pub(crate) async fn produce_bare(address: &str, topic: &str, linger: Option<&str>) {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address);
    if let Some(linger) = linger {
        config.set("linger.ms", linger);
    }
    let producer: Arc<FutureProducer> = Arc::new(must("make a producer", config.create()));
    let text = "x".repeat(WIDTH);
    let mut started = Instant::now();
    for flush in 0..FLUSHES {
        if flush == WARM_UP {
            started = Instant::now();
        }
        let mut out = VecDeque::with_capacity(WINDOW);
        for id in 0..FLUSH {
            if out.len() == WINDOW
                && let Some(oldest) = out.pop_front()
            {
                confirmed(oldest).await;
            }
            // As an encoder has to write each record anew, too.
            let value = format!("{{\"id\":{id},\"sent\":0,\"payload\":\"{text}\"}}");
            let record = FutureRecord::<(), str>::to(topic).payload(&value);
            let sent = producer.send_result(record);
            out.push_back(must("hand a record over", sent.map_err(|(error, _)| error)));
        }
        for delivery in out {
            confirmed(delivery).await;
        }
    }
    say(&format!("{SAYS}{:.0}", rate(started)));
}

async fn confirmed(delivery: rdkafka::producer::DeliveryFuture) {
    let delivered = must("a report", delivery.await);
    must("a delivery", delivered.map_err(|(error, _)| error));
}
