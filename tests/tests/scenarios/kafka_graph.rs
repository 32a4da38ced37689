//! The graph of the Kafka scenarios: an application writes events, an emitter makes a record of each.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nervix_tests::error_records::{SEND_TO, error_relay};
use nervix_tests::flight::Put;
use nervix_tests::kafka::{Kafka, Read};
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;

use crate::outside::writer_of;

/// The topic that the emitter writes.
pub(crate) const TOPIC: &str = "events.out";

/// The clauses of the graph, in NSPL.
#[derive(Debug, Clone)]
pub(crate) struct KafkaGraph {
    pub(crate) servers: String,
    /// Statements before it.
    pub(crate) before: String,
    pub(crate) mount: &'static str,
    /// More of CONFIG, each with a comma before it.
    pub(crate) client: String,
    pub(crate) mode: String,
    /// Codecs beside `body_json`, over SCHEMA body.
    pub(crate) codecs: &'static str,
    pub(crate) codec: &'static str,
    pub(crate) batch: &'static str,
    pub(crate) relay: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) invoke: &'static str,
}

impl KafkaGraph {
    /// A graph that writes in plain text, one record after the other.
    pub(crate) fn to(kafka: &Kafka) -> Self {
        Self::to_servers(kafka.address())
    }

    /// A graph that finds its brokers there.
    pub(crate) fn to_servers(servers: String) -> Self {
        Self {
            servers,
            before: String::new(),
            mount: "",
            client: ", 'reconnect.backoff.max.ms' = 500".to_owned(),
            mode: ack("PARALLEL MAX 1000", "30s"),
            codecs: "",
            codec: "body_json",
            batch: "",
            relay: "UNBRANCHED",
            keys: "UNBRANCHED",
            invoke: "",
        }
    }

    /// The same with more of CONFIG.
    pub(crate) fn with(mut self, client: &str) -> Self {
        self.client.push_str(client);
        self
    }

    /// The same in another mode.
    pub(crate) fn in_mode(mut self, mode: String) -> Self {
        self.mode = mode;
        self
    }

    /// A fresh server that runs it.
    pub(crate) async fn serve(&self) -> Nervix {
        let server = Nervix::dev().await;
        server.exec(&self.script());
        server
    }

    /// The whole script.
    pub(crate) fn script(&self) -> String {
        let Self {
            servers,
            before,
            mount,
            client,
            mode,
            codecs,
            codec,
            batch,
            relay,
            keys,
            invoke,
        } = self;
        format!(
            "CREATE DOMAIN d; USE d; START;
             {before}
             BEGIN;
             CREATE SCHEMA event (id I64, note STRING, tenant STRING OPTIONAL);
             CREATE SCHEMA tenant_key (tenant STRING OPTIONAL);
             CREATE BRANCH by_tenant SCHEMA tenant_key TTL 1h;
             CREATE SCHEMA body (id I64, note STRING);
             CREATE WIRE JSON SCHEMA body_wire MODE STRICT (id integer, note string);
             CREATE CODEC body_json FROM WIRE JSON SCHEMA body_wire TO SCHEMA body;
             {codecs}
             {errors}
             CREATE CLIENT brokers TYPE KAFKA {mount} CONFIG {{ 'bootstrap.servers' = '{servers}' {client} }};
             CREATE RELAY events SCHEMA event {relay};
             CREATE INGESTOR inbox FROM CLIENT SCHEMA event MODE ACK TO events INHERIT ALL {keys}
               FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
             CREATE EMITTER outbox FROM events
               TO KAFKA brokers TOPIC '{TOPIC}' MODE {mode} ENCODE USING {codec}
               INHERIT id, note {invoke} {batch} FLUSH IMMEDIATE
               ON MESSAGE ERROR {SEND_TO} ON GENERAL ERROR LOG;
             COMMIT;",
            errors = error_relay(relay),
        )
    }
}

/// MODE ACK with a window, a time-out and a retry policy that does not hold a test up.
pub(crate) fn ack(window: &str, timeout: &str) -> String {
    format!("ACK {window} ACK TIMEOUT {timeout} RETRY POLICY BACKOFF 10ms MAX 100ms")
}

/// MODE ACK with a window, where a backoff would outlast any test: for what is no failure.
pub(crate) fn without_backoff() -> String {
    "ACK PARALLEL MAX 1000 ACK TIMEOUT 30s RETRY POLICY BACKOFF 1h MAX 1h".to_owned()
}

/// An event: id, note and tenant.
pub(crate) type Event<'a> = (i64, &'a str, Option<&'a str>);

/// A batch of events.
pub(crate) fn events(events: &[Event<'_>]) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(events.iter().map(|event| event.0)));
    let notes: ArrayRef = Arc::new(StringArray::from_iter_values(events.iter().map(|event| event.1)));
    let tenants: ArrayRef = Arc::new(events.iter().map(|event| event.2).collect::<StringArray>());
    let named = [
        ("id", ids, false),
        ("note", notes, false),
        ("tenant", tenants, true),
    ];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(named))
}

/// Events that differ in their ids alone.
pub(crate) fn numbered(ids: std::ops::Range<i64>) -> RecordBatch {
    let rows: Vec<Event<'_>> = ids.map(|id| (id, "n", None)).collect();
    events(&rows)
}

/// A writer of events.
pub(crate) async fn writer(server: &Nervix) -> Put {
    writer_of(server, events(&[]).schema()).await
}

/// The ids of what was read, in its order.
pub(crate) fn ids_of(read: &[Read]) -> Vec<i64> {
    let id = |record: &Read| -> i64 {
        let value: serde_json::Value = must("JSON", serde_json::from_slice(&record.value));
        must("an id", value["id"].as_i64().ok_or("none"))
    };
    read.iter().map(id).collect()
}
