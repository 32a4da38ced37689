//! The graph of the Postgres scenarios: an application writes notes, an emitter inserts them into a table.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use nervix_proto::client::v1::answer::Status;
use nervix_tests::flight::Put;
use nervix_tests::postgres::{DATABASE, Postgres, USER};
use nervix_tests::rows::read_ids;
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;

use crate::graph::{consumer_of, describe, expand};

/// The password of the role that writes.
pub(crate) const PASSWORD: &str = "s3cr3t-password";

/// The clauses of the graph, in NSPL.
#[derive(Debug, Clone)]
pub(crate) struct PostgresGraph {
    pub(crate) address: String,
    pub(crate) table: &'static str,
    pub(crate) values: &'static str,
    pub(crate) conflict: &'static str,
    pub(crate) batch: &'static str,
    pub(crate) flush: &'static str,
}

impl PostgresGraph {
    /// A graph that writes to this server.
    pub(crate) fn to(server: &Postgres) -> Self {
        Self {
            address: server.address(),
            table: "notes",
            values: "'id' = input.id, 'note' = input.note",
            conflict: "",
            batch: "BATCH MAX MESSAGES 100 MAX SIZE 1MiB",
            flush: "FLUSH IMMEDIATE",
        }
    }

    /// A fresh server that runs it. Error records leave by the emitter `failed`.
    pub(crate) async fn serve(&self) -> Nervix {
        let Self {
            address,
            table,
            values,
            conflict,
            batch,
            flush,
        } = self;
        let server = Nervix::dev().await;
        server.exec(&format!(
            "CREATE DOMAIN d; USE d; START;
             BEGIN;
             CREATE SCHEMA note (id I64, note STRING);
             CREATE SCHEMA failure (code STRING, operation STRING, message STRING, id I64);
             CREATE RELAY failures SCHEMA failure UNBRANCHED;
             CREATE EMITTER failed FROM failures TO CLIENT SCHEMA failure
               MODE ACK PARALLEL MAX 8 ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms
               INHERIT ALL BATCH MAX MESSAGES 1000 MAX SIZE 1MiB FLUSH IMMEDIATE
               ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
             CREATE CLIENT pg TYPE POSTGRES POOL SIZE MIN 1 MAX 4 CONFIG {{
               'addr' = 'postgresql://{USER}:{PASSWORD}@{address}/{DATABASE}?sslmode=disable' }};
             CREATE RELAY outgoing SCHEMA note UNBRANCHED;
             CREATE INGESTOR inbox FROM CLIENT SCHEMA note MODE ACK TO outgoing INHERIT ALL UNBRANCHED
               FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
             CREATE EMITTER outbox FROM outgoing TO POSTGRES pg INSERT TO TABLE {table}
               VALUES {{ {values} }} {conflict}
               MODE ACK RETRY POLICY BACKOFF 10ms MAX 100ms {batch} {flush}
               ON MESSAGE ERROR SEND TO failures SET code = error.code, operation = error.operation,
                 message = error.message, id = input.id
               ON GENERAL ERROR LOG;
             COMMIT;"
        ));
        server
    }
}

/// A batch of notes.
pub(crate) fn notes(notes: &[(i64, &str)]) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(notes.iter().map(|(id, _)| *id)));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(notes.iter().map(|(_, note)| *note)));
    let columns = [("id", ids, false), ("note", texts, false)];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(columns))
}

/// A writer of notes.
pub(crate) async fn writer(server: &Nervix) -> Put {
    let put = Put::open(&server.ports().flight, "d", "inbox", notes(&[]).schema()).await;
    must("open a writer", put)
}

/// Writes one batch of notes and waits for its status.
pub(crate) async fn write(server: &Nervix, batch: RecordBatch) -> Vec<Status> {
    let put = writer(server).await;
    must("write a batch", put.write(batch).await);
    finish(put).await
}

/// Waits for the statuses of everything that was written.
pub(crate) async fn finish(put: Put) -> Vec<Status> {
    let answers = expand(must("finish writing", put.finish().await));
    answers.into_iter().map(|(_, status)| status).collect()
}

/// Waits for so many error records and gives each as id and text.
pub(crate) async fn failures(server: &Nervix, count: usize) -> Vec<(i64, String)> {
    let mut failed = consumer_of(server, "failed").await;
    failed.credit(8).await;
    let mut rows = Vec::new();
    while rows.len() < count {
        let (delivery, batch) = failed.delivery().await;
        failed.ack(&delivery.r#ref).await;
        failed.outcome(&delivery.r#ref).await;
        let text = |name: &str, row: usize| {
            let column = batch.column_by_name(name).expect("a column");
            column.as_string::<i32>().value(row).to_owned()
        };
        let told = |row| {
            format!(
                "{} {} | {}",
                text("code", row),
                text("operation", row),
                text("message", row)
            )
        };
        rows.extend(
            read_ids(&batch)
                .into_iter()
                .enumerate()
                .map(|(row, id)| (id, told(row))),
        );
    }
    rows
}

/// The value of a line of DESCRIBE EMITTER outbox.
pub(crate) fn line(server: &Nervix, key: &str) -> Option<String> {
    let mut lines = describe(server).into_iter();
    lines.find(|(known, _)| known == key).map(|(_, value)| value)
}
