//! The graph of the Postgres scenarios: an application writes notes, an emitter inserts them into a table.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nervix_tests::error_records::{SEND_TO, error_relay};
use nervix_tests::flight::Put;
use nervix_tests::postgres::{DATABASE, Postgres, USER};
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;

use crate::outside::writer_of;

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
             {errors}
             CREATE CLIENT pg TYPE POSTGRES POOL SIZE MIN 1 MAX 4 CONFIG {{
               'addr' = 'postgresql://{USER}:{PASSWORD}@{address}/{DATABASE}?sslmode=disable' }};
             CREATE RELAY outgoing SCHEMA note UNBRANCHED;
             CREATE INGESTOR inbox FROM CLIENT SCHEMA note MODE ACK TO outgoing INHERIT ALL UNBRANCHED
               FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
             CREATE EMITTER outbox FROM outgoing TO POSTGRES pg INSERT TO TABLE {table}
               VALUES {{ {values} }} {conflict}
               MODE ACK RETRY POLICY BACKOFF 10ms MAX 100ms {batch} {flush}
               ON MESSAGE ERROR {SEND_TO} ON GENERAL ERROR LOG;
             COMMIT;",
            errors = error_relay("UNBRANCHED"),
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
    writer_of(server, notes(&[]).schema()).await
}
