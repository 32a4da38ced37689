//! bento, a stream processor written in Go, beside the Kafka emitter, where `NERVIX_BENCH_BENTO` names its executable. It makes
//! the same records itself by its input `generate`, the fastest of those that it has, as many at a time as a flush of the
//! emitter has, and awaits that they are confirmed. The broker tells how fast they come.

use std::path::{Path, PathBuf};
use std::process::Command;

use nervix_tests::kafka::Kafka;
use nervix_tests::process::Process;
use nervix_tests::wait::{must, until_within};
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use tokio::time::{Duration, Instant};

use crate::kafka::{FLUSH, FLUSHES, WARM_UP, WIDTH};
use crate::report::{SERVER_CORE, pin};

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The executable that the environment names.
pub(crate) fn named() -> Option<PathBuf> {
    std::env::var_os("NERVIX_BENCH_BENTO").map(PathBuf::from)
}

/// Records a second.
pub(crate) async fn run(program: &Path, kafka: &Kafka, topic: &str) -> f64 {
    let folder = must("make a folder", tempfile::tempdir());
    let file = folder.path().join("bento.yaml");
    must(
        "write its settings",
        std::fs::write(&file, settings(kafka, topic)),
    );
    let mut command = Command::new(program);
    command.arg("-c").arg(&file);
    let bento = Process::start("bento", command, &folder.path().join("bento.log"));
    pin(bento.id(), SERVER_CORE);
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", kafka.address())
        .set("group.id", "watch");
    let watch: BaseConsumer = must("make a consumer", config.create());
    let (warm, begun) = arrived(&watch, topic, WARM_UP * FLUSH).await;
    let (all, ended) = arrived(&watch, topic, FLUSHES * FLUSH).await;
    (all - warm) as f64 / (ended - begun).as_secs_f64()
}

fn settings(kafka: &Kafka, topic: &str) -> String {
    let text = "x".repeat(WIDTH);
    let record = format!(r#""{{\"id\":" + counter().string() + ",\"sent\":0,\"payload\":\"{text}\"}}""#);
    format!(
        "http: {{ enabled: false }}
logger: {{ level: WARN }}
input:
  generate:
    interval: ''
    count: {count}
    batch_size: {FLUSH}
    mapping: 'root = {record}'
output:
  kafka_franz:
    seed_brokers: [ '{address}' ]
    topic: {topic}
    idempotent_write: false
    compression: none
",
        count = FLUSHES * FLUSH,
        address = kafka.address(),
    )
}

/// Waits until the topic has at least so many records: how many, and when.
async fn arrived(watch: &BaseConsumer, topic: &str, least: i64) -> (i64, Instant) {
    until_within(PATIENCE, "bento has written", || {
        let (_, count) = must("ask for the end", watch.fetch_watermarks(topic, 0, PATIENCE));
        let now = Instant::now();
        async move { (count >= least).then_some((count, now)) }
    })
    .await
}
