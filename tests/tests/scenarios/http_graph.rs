//! The graph of the HTTP scenarios: an application writes calls, an emitter makes a request of each.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nervix_tests::error_records::error_relay;
use nervix_tests::flight::Put;
use nervix_tests::http_endpoint::HttpEndpoint;
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;

use crate::outside::writer_of;

/// The clauses of the graph, in NSPL.
#[derive(Debug, Clone)]
pub(crate) struct HttpGraph {
    pub(crate) endpoint: String,
    pub(crate) client: String,
    pub(crate) timeout_ms: u32,
    /// Codecs beside `event_body_codec`, over SCHEMA event.
    pub(crate) codecs: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) retry: &'static str,
    pub(crate) body: &'static str,
    pub(crate) construction: &'static str,
    pub(crate) invoke: &'static str,
    pub(crate) flush: &'static str,
    pub(crate) error: &'static str,
    pub(crate) general: &'static str,
}

impl HttpGraph {
    /// A graph that sends to `endpoint`.
    pub(crate) fn to(endpoint: &HttpEndpoint) -> Self {
        Self::to_url(format!("http://127.0.0.1:{}", endpoint.port()))
    }

    /// A graph that sends to this origin.
    pub(crate) fn to_url(endpoint: String) -> Self {
        Self {
            endpoint,
            client: String::new(),
            timeout_ms: 20_000,
            codecs: "",
            method: "input.request_method",
            path: "input.request_path",
            retry: "BACKOFF 10ms MAX 100ms",
            body: "ENCODE USING event_body_codec",
            construction: "INHERIT event_id, payload",
            invoke: "INVOKE write_header('Content-Type', 'application/json'),
                            write_header('X-Tenant', input.tenant)",
            flush: "FLUSH IMMEDIATE",
            error: "LOG",
            general: "LOG",
        }
    }

    /// The whole script.
    pub(crate) fn script(&self) -> String {
        let Self {
            endpoint,
            client,
            timeout_ms,
            codecs,
            ..
        } = self;
        format!(
            "CREATE DOMAIN d; USE d; START;
             BEGIN;
             CREATE SCHEMA call (id I64, event_id STRING, payload STRING, request_method STRING,
               request_path STRING, tenant STRING);
             CREATE SCHEMA event (event_id STRING, payload STRING);
             CREATE WIRE JSON SCHEMA event_wire MODE STRICT (event_id string, payload string);
             CREATE CODEC event_body_codec FROM WIRE JSON SCHEMA event_wire TO SCHEMA event;
             {codecs}
             {errors}
             CREATE CLIENT api TYPE HTTP CONFIG {{
               'endpoint' = '{endpoint}', 'timeout_ms' = {timeout_ms} {client} }};
             CREATE RELAY outgoing SCHEMA call UNBRANCHED;
             CREATE INGESTOR inbox FROM CLIENT SCHEMA call MODE ACK TO outgoing INHERIT ALL UNBRANCHED
               FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
             {emitter}
             COMMIT;",
            errors = error_relay("UNBRANCHED"),
            emitter = self.emitter(),
        )
    }

    /// The emitter alone.
    pub(crate) fn emitter(&self) -> String {
        let Self {
            method,
            path,
            retry,
            body,
            construction,
            invoke,
            flush,
            error,
            general,
            ..
        } = self;
        format!(
            "CREATE ATTACHED EMITTER outbox FROM outgoing
               TO HTTP api METHOD {method} PATH {path} MODE ACK RETRY POLICY {retry} {body}
             {construction} {invoke} {flush} ON MESSAGE ERROR {error} ON GENERAL ERROR {general};"
        )
    }

    /// A fresh server that runs it.
    pub(crate) async fn serve(&self) -> Nervix {
        let server = Nervix::dev().await;
        server.exec(&self.script());
        server
    }
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) tenant: &'a str,
}

/// A POST to this path.
pub(crate) fn post(path: &str) -> Call<'_> {
    Call {
        method: "POST",
        path,
        tenant: "acme",
    }
}

/// A batch of calls; their ids count from 1.
pub(crate) fn calls(calls: &[Call<'_>]) -> RecordBatch {
    let count = i64::try_from(calls.len()).expect("few calls");
    let texts = |text: &dyn Fn(usize, &Call<'_>) -> String| -> ArrayRef {
        let texts = calls
            .iter()
            .enumerate()
            .map(|(index, call)| text(index + 1, call));
        Arc::new(StringArray::from_iter_values(texts))
    };
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(1..=count));
    let columns = [
        ("id", ids),
        ("event_id", texts(&|id, _| format!("e{id}"))),
        ("payload", texts(&|id, _| format!("payload {id}"))),
        ("request_method", texts(&|_, call| call.method.to_owned())),
        ("request_path", texts(&|_, call| call.path.to_owned())),
        ("tenant", texts(&|_, call| call.tenant.to_owned())),
    ];
    let columns = columns.into_iter().map(|(name, column)| (name, column, false));
    must("build a batch", RecordBatch::try_from_iter_with_nullable(columns))
}

/// A writer of calls.
pub(crate) async fn writer(server: &Nervix) -> Put {
    writer_of(server, calls(&[]).schema()).await
}
