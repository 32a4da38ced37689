//! The graph most scenarios use: one ingestor, one relay, one client emitter; each clause can be replaced.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow_flight::FlightData;
use nervix_proto::client::v1::answer::Status;
pub(crate) use nervix_tests::flight::expand;
use nervix_tests::flight::{Exchange, Put, encode};
use nervix_tests::rows::ids;
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until, within};
use tokio::task::JoinSet;

/// The clauses of the graph, in NSPL.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    pub(crate) branched: bool,
    pub(crate) branch: &'static str,
    pub(crate) relay_options: &'static str,
    pub(crate) ingestor_filter: &'static str,
    pub(crate) ingestor_mode: &'static str,
    pub(crate) ingestor_construction: &'static str,
    pub(crate) ingestor_flush: &'static str,
    pub(crate) ingestor_error: &'static str,
    pub(crate) attachment: &'static str,
    pub(crate) source_filter: &'static str,
    pub(crate) collect: &'static str,
    pub(crate) output: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) construction: &'static str,
    pub(crate) batch: &'static str,
    pub(crate) flush: &'static str,
    pub(crate) emitter_error: &'static str,
    pub(crate) more: &'static str,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            branched: false,
            branch: "TTL 1h",
            relay_options: "",
            ingestor_filter: "",
            ingestor_mode: "ACK",
            ingestor_construction: "INHERIT ALL",
            ingestor_flush: "FLUSH IMMEDIATE",
            ingestor_error: "LOG",
            attachment: "ATTACHED",
            source_filter: "",
            collect: "",
            output: "event",
            mode: "ACK PARALLEL MAX 8 ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms",
            construction: "INHERIT ALL",
            batch: "BATCH MAX MESSAGES 1000 MAX SIZE 1MiB",
            flush: "FLUSH IMMEDIATE",
            emitter_error: "LOG",
            more: "",
        }
    }
}

impl Graph {
    /// One transaction that creates all of it; `more` comes first, so that the graph can refer to it.
    pub(crate) fn statements(&self) -> String {
        let (relay, keys) = if self.branched {
            (
                "BRANCHED BY by_origin",
                "BRANCHED BY by_origin SET origin = message.origin",
            )
        } else {
            ("UNBRANCHED", "UNBRANCHED")
        };
        format!(
            "BEGIN;
             CREATE SCHEMA event (id I64, origin STRING);
             CREATE SCHEMA origin_key (origin STRING);
             CREATE BRANCH by_origin SCHEMA origin_key {branch};
             {more}
             CREATE RELAY events SCHEMA event {relay} {relay_options};
             CREATE INGESTOR inbox FROM CLIENT SCHEMA event {ingestor_filter} MODE {ingestor_mode}
               TO events {ingestor_construction} {keys} {ingestor_flush}
               ON MESSAGE ERROR {ingestor_error} ON GENERAL ERROR LOG;
             {emitter}
             COMMIT;",
            branch = self.branch,
            more = self.more,
            relay_options = self.relay_options,
            ingestor_filter = self.ingestor_filter,
            ingestor_mode = self.ingestor_mode,
            ingestor_construction = self.ingestor_construction,
            ingestor_flush = self.ingestor_flush,
            ingestor_error = self.ingestor_error,
            emitter = self.emitter("outbox"),
        )
    }

    /// The emitter alone, under a name.
    pub(crate) fn emitter(&self, name: &str) -> String {
        format!(
            "CREATE {attachment} EMITTER {name} FROM events {filter} {collect}
               TO CLIENT SCHEMA {output} MODE {mode} {construction} {batch} {flush}
               ON MESSAGE ERROR {error} ON GENERAL ERROR LOG;",
            attachment = self.attachment,
            filter = self.source_filter,
            collect = self.collect,
            output = self.output,
            mode = self.mode,
            construction = self.construction,
            batch = self.batch,
            flush = self.flush,
            error = self.emitter_error,
        )
    }

    /// The whole script: domain, start, graph.
    pub(crate) fn script(&self) -> String {
        format!("CREATE DOMAIN d;\nUSE d;\nSTART;\n{}", self.statements())
    }

    /// A fresh server that runs it.
    pub(crate) async fn serve(&self) -> Nervix {
        let server = Nervix::dev().await;
        server.exec(&self.script());
        server
    }
}

/// The schema `(id I64, origin STRING)`.
pub(crate) fn schema() -> SchemaRef {
    ids(0..0, "").schema()
}

/// Opens a writer on the graph's ingestor.
pub(crate) async fn writer(server: &Nervix) -> Put {
    must(
        "open a writer",
        Put::open(&server.ports().flight, "d", "inbox", schema()).await,
    )
}

/// Opens a consumer on the graph's emitter.
pub(crate) async fn consumer(server: &Nervix) -> Exchange {
    consumer_of(server, "outbox").await
}

/// Opens a consumer on an emitter.
pub(crate) async fn consumer_of(server: &Nervix, emitter: &str) -> Exchange {
    must(
        "open a consumer",
        Exchange::open(&server.ports().flight, "d", emitter).await,
    )
}

/// Writes batches and returns the answers after the end of the stream, expanded to one status a position.
pub(crate) async fn write_all(server: &Nervix, batches: Vec<RecordBatch>) -> Vec<(u64, Status)> {
    let put = writer(server).await;
    for batch in batches {
        must("write a batch", put.write(batch).await);
    }
    expand(must("finish writing", put.finish().await))
}

/// Lines of `DESCRIBE EMITTER outbox`, as `(key, value)`.
pub(crate) fn describe(server: &Nervix) -> Vec<(String, String)> {
    let printed = server.exec("USE d; DESCRIBE EMITTER outbox;");
    let lines = printed.lines().filter_map(|line| line.split_once(": "));
    lines
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

/// A batch of `rows` ids from `first` on.
pub(crate) fn batch(first: i64, rows: i64) -> RecordBatch {
    ids(first..first + rows, "ATL")
}

/// Shares a schema.
pub(crate) fn shared(schema: arrow::datatypes::Schema) -> SchemaRef {
    Arc::new(schema)
}

/// Looks, one after the other, between which nothing may change where something stands still.
pub(crate) const STILL_LOOKS: u32 = 100;

/// Batches of a megabyte each that are written as fast as they go in; they end with this.
pub(crate) struct Flood {
    written: Arc<AtomicU64>,
    writing: JoinSet<Put>,
}

impl Flood {
    /// Begins to write `batches` of them.
    pub(crate) fn begin(put: Put, batches: i64) -> Self {
        let messages = (0..batches).map(|n| {
            let wide = "a payload of a thousand bytes ".repeat(33);
            encode(&schema(), ids(n * 1_000..(n + 1) * 1_000, &wide)).remove(1)
        });
        Self::of(put, messages)
    }

    /// Begins to write this message again and again, without end.
    pub(crate) fn repeating(put: Put, message: FlightData) -> Self {
        Self::of(put, std::iter::repeat(message))
    }

    fn of(put: Put, messages: impl Iterator<Item = FlightData> + Send + 'static) -> Self {
        let (written, mut writing) = (Arc::new(AtomicU64::new(0)), JoinSet::new());
        let count = Arc::clone(&written);
        writing.spawn(async move {
            for message in messages {
                if put.send(message).await.is_err() {
                    break;
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
            put
        });
        Self { written, writing }
    }

    /// Waits until some have gone in and no more do.
    ///
    /// # Panics
    /// When all of them went in.
    pub(crate) async fn stands_still(&mut self) {
        let (mut last, mut looks) = (0, 0);
        until("what is written stands still", || {
            let written = self.written.load(Ordering::Relaxed);
            looks = if written == last { looks + 1 } else { 0 };
            last = written;
            async move { (written > 0 && looks >= STILL_LOOKS).then_some(()) }
        })
        .await;
        assert!(
            self.writing.try_join_next().is_none(),
            "all of {last} batches went in, or the stream ended"
        );
    }

    /// Waits until all of them have gone in, and gives the answers, one status a position.
    ///
    /// # Panics
    /// When the stream does not end well.
    pub(crate) async fn answers(mut self) -> Vec<(u64, Status)> {
        let written = within("all batches go in", self.writing.join_next()).await;
        let put = must("write", written.expect("it is written once"));
        expand(must("finish writing", put.finish().await))
    }
}
