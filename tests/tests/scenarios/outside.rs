//! What the graphs of destinations outside have in common: applications write to the ingestor `inbox`, the emitter `outbox`
//! delivers, and error records leave by the emitter `failed`.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use nervix_proto::client::v1::answer::Status;
use nervix_tests::flight::{Put, statuses};
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until};

use crate::graph::describe;

/// Opens a writer of records of this schema.
pub(crate) async fn writer_of(server: &Nervix, schema: SchemaRef) -> Put {
    let opened = Put::open(&server.ports().flight, "d", "inbox", schema).await;
    must("open a writer", opened)
}

/// Writes one batch and waits for its status.
pub(crate) async fn write(server: &Nervix, batch: RecordBatch) -> Vec<Status> {
    let put = writer_of(server, batch.schema()).await;
    must("write a batch", put.write(batch).await);
    finish(put).await
}

/// Waits for the status of each batch that was written.
pub(crate) async fn finish(put: Put) -> Vec<Status> {
    statuses(must("finish writing", put.finish().await))
}

/// The value of a line of DESCRIBE EMITTER outbox.
pub(crate) fn line(server: &Nervix, key: &str) -> Option<String> {
    let mut lines = describe(server).into_iter();
    lines.find(|(known, _)| known == key).map(|(_, value)| value)
}

/// Waits until DESCRIBE EMITTER tells of a transient error that holds `what`; gives all of it.
pub(crate) async fn trouble(server: &Nervix, what: &str) -> String {
    until(&format!("a transient error '{what}' is told"), || async {
        line(server, "transient error").filter(|told| told != "none" && told.contains(what))
    })
    .await
}

/// Waits until DESCRIBE EMITTER tells of no transient error.
pub(crate) async fn until_well(server: &Nervix) {
    until("the trouble is over", || async {
        (line(server, "transient error").as_deref() == Some("none")).then_some(())
    })
    .await;
}

/// What a family of counters says that the emitter delivered.
pub(crate) async fn delivered(server: &Nervix, family: &str) -> f64 {
    let (_, page) = server.page("/metrics").await;
    let lines = page.lines().filter(|line| {
        let labels = ["target=\"outbox\"", "direction=\"out\""];
        line.starts_with(family) && labels.iter().all(|label| line.contains(label))
    });
    let values: Vec<f64> = lines
        .filter_map(|line| line.rsplit(' ').next()?.parse().ok())
        .collect();
    assert!(!values.is_empty(), "the emitter has no {family}:\n{page}");
    values.iter().sum()
}

/// Waits until the emitter has sent so many units of work again.
pub(crate) async fn retried(server: &Nervix, times: f64) {
    until("it was tried again", || async {
        let retries = server.metric_of("nervix_emitter_retries_total", "outbox").await;
        (retries >= times).then_some(())
    })
    .await;
}
