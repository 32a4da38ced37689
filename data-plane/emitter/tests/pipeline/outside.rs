//! What stands behind an emitter that delivers outside: a broker in memory, and an encoder whose bytes a test can read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use futures::future::BoxFuture;
use nervix_codec::{LeftOut, Packed, Packing, PayloadEncoder, RecordFault, Refused, Rows};
use nervix_emitter::{Opened, Opener};
use nervix_sink::OpenError;
use nervix_sink_testkit::{Broker, Endpoint, Lake, Table};
use nspl_model::record_error::ErrorCode;
use nspl_model::{
    BatchLimits, ClientDef, ClientKind, CodecDef, CodecForm, CommitPolicy, ConfigValue, Confirmation,
    Content, DataType, EmitterDef, HttpSinkDef, IcebergSinkDef, IcebergTable, KafkaSinkDef, ObjectStore,
    PostgresSinkDef, SinkDef, TableName, Window,
};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::model::{input, order_schema, text};

/// Name of a codec that works in jobs.
pub(crate) const SLOW: &str = "slow";

/// Name of a codec that writes of each record the time of its snapshot alone.
pub(crate) const STAMPING: &str = "stamping";

/// An id that this encoder cannot write.
pub(crate) const UNWRITABLE: i64 = -1;
/// With it among its members a candidate has no payload.
pub(crate) const SPOILING: i64 = -2;

/// Gives the emitter the codec of this name.
pub(crate) fn with_codec(def: &mut EmitterDef, name: &str) {
    def.content = Content::Encoded(Arc::new(CodecDef {
        name: name.to_owned(),
        schema: order_schema(),
        form: CodecForm::Syslog,
    }));
}

/// Makes the emitter one to Kafka, with a codec; it keeps everything else.
pub(crate) fn to_kafka(def: &mut EmitterDef) {
    let client = ClientDef {
        name: "kafka".to_owned(),
        kind: ClientKind::Kafka,
        pool: None,
        mount: None,
        config: Vec::new(),
    };
    def.sink = SinkDef::Kafka(KafkaSinkDef {
        client: Arc::new(client),
        topic: "orders".to_owned(),
    });
    with_codec(def, "lines");
    def.batch = None;
}

/// Where jobs wait until a test lets them end; codecs called `slow` work in jobs.
#[derive(Clone, Default)]
pub(crate) struct Desk(Arc<Mutex<VecDeque<Waiting>>>);

/// Ends a job.
type Waiting = oneshot::Sender<Result<(), Refused>>;

impl Desk {
    /// How many jobs wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.lock().len()
    }

    /// Ends the oldest job.
    pub(crate) fn end(&self, ended: Result<(), Refused>) {
        let job = self.0.lock().pop_front().expect("a job waits");
        job.send(ended).expect("somebody waits for it");
    }

    fn job(&self, packed: Vec<Packed>) -> Packing {
        let (job, ended) = oneshot::channel();
        self.0.lock().push_back(job);
        Packing::Job(Box::pin(async move {
            match ended.await {
                Ok(ended) => ended.map(|()| packed),
                Err(_) => std::future::pending().await,
            }
        }))
    }
}

/// Makes the emitter one to HTTP, with a codec: `METHOD 'POST' PATH input.name`.
pub(crate) fn to_http(def: &mut EmitterDef) {
    let endpoint = ConfigValue::Text("http://api.example.com".to_owned());
    let client = ClientDef {
        name: "api".to_owned(),
        kind: ClientKind::Http,
        pool: None,
        mount: None,
        config: vec![("endpoint".to_owned(), endpoint)],
    };
    to_kafka(def);
    def.sink = SinkDef::Http(HttpSinkDef {
        client: Arc::new(client),
        method: text("POST"),
        path: input("name", 1, DataType::String),
    });
    def.mode.confirmation = Confirmation::Acked {
        window: Window::Sequential,
        timeout: None,
    };
}

/// What the table measures of one row.
pub(crate) const ROW_BYTES: u64 = 100;

/// Makes the emitter one to Postgres: `VALUES { 'id' = input.id, 'name' = input.name }`, with this BATCH.
pub(crate) fn to_postgres(def: &mut EmitterDef, max_messages: u32, max_bytes: u64) {
    let client = ClientDef {
        name: "pg".to_owned(),
        kind: ClientKind::Postgres,
        pool: Some((0, 1)),
        mount: None,
        config: Vec::new(),
    };
    def.sink = SinkDef::Postgres(PostgresSinkDef {
        client: Arc::new(client),
        table: TableName::parse("orders").expect("a name"),
        conflict: None,
    });
    def.content = Content::Mapped;
    def.batch = Some(BatchLimits {
        max_messages,
        max_bytes,
    });
    def.mode.confirmation = Confirmation::Acked {
        window: Window::Sequential,
        timeout: None,
    };
}

/// What the lake measures of one staged row; no more than its logical size in the storm.
pub(crate) const STAGED_ROW_BYTES: u64 = 16;

/// COMMIT EACH of emitters that stage.
pub(crate) const COMMIT_EACH: Duration = Duration::from_secs(60);

/// Makes the emitter one to Iceberg: `VALUES { 'id' = input.id, 'name' = input.name }`, COMMIT EACH 1m with this MAX SIZE.
pub(crate) fn to_iceberg(def: &mut EmitterDef, max_bytes: u64) {
    let client = |name: &str, kind| {
        Arc::new(ClientDef {
            name: name.to_owned(),
            kind,
            pool: None,
            mount: None,
            config: Vec::new(),
        })
    };
    def.sink = SinkDef::Iceberg(Box::new(IcebergSinkDef {
        store: ObjectStore::S3,
        client: client("s3", ClientKind::S3),
        catalog: client("catalog", ClientKind::IcebergRest),
        table: IcebergTable::parse("orders").expect("a name"),
        location: "s3://bucket/orders".to_owned(),
        commit: CommitPolicy {
            each: COMMIT_EACH,
            max_bytes,
        },
    }));
    def.content = Content::Mapped;
    def.batch = None;
    def.mode.confirmation = Confirmation::Acked {
        window: Window::Sequential,
        timeout: None,
    };
}

/// Opens sinks on the table.
pub(crate) struct OutsideRows(pub(crate) Table);

impl Opener for OutsideRows {
    fn open(&self) -> BoxFuture<'static, Result<Opened, OpenError>> {
        let opened = self.0.open().map(|sink| Opened { sink, encoder: None });
        Box::pin(std::future::ready(opened))
    }
}

/// Opens sinks on the lake.
pub(crate) struct OutsideStaged(pub(crate) Lake);

impl Opener for OutsideStaged {
    fn open(&self) -> BoxFuture<'static, Result<Opened, OpenError>> {
        let opened = self.0.open().map(|sink| Opened { sink, encoder: None });
        Box::pin(std::future::ready(opened))
    }
}

/// Opens sinks on the endpoint.
pub(crate) struct OutsideRequests {
    endpoint: Endpoint,
    encoder: Option<Arc<dyn PayloadEncoder>>,
}

impl OutsideRequests {
    pub(crate) fn new(endpoint: &Endpoint, desk: &Desk, def: &EmitterDef) -> Self {
        let has_body = def.content != Content::Absent;
        Self {
            endpoint: endpoint.clone(),
            encoder: has_body.then(|| encoder(def, None, desk)),
        }
    }
}

impl Opener for OutsideRequests {
    fn open(&self) -> BoxFuture<'static, Result<Opened, OpenError>> {
        let encoder = self.encoder.clone();
        let opened = self.endpoint.open().map(|sink| Opened { sink, encoder });
        Box::pin(std::future::ready(opened))
    }
}

fn encoder(def: &EmitterDef, limits: Option<BatchLimits>, desk: &Desk) -> Arc<dyn PayloadEncoder> {
    let named = |name: &str| matches!(&def.content, Content::Encoded(codec) if codec.name == name);
    if named(STAMPING) {
        return Arc::new(Stamps { limits });
    }
    let desk = named(SLOW).then(|| desk.clone());
    Arc::new(Lines { limits, desk })
}

/// Opens sinks on the broker.
pub(crate) struct Outside {
    broker: Broker,
    emitter: String,
    encoder: Arc<dyn PayloadEncoder>,
}

impl Outside {
    pub(crate) fn new(broker: &Broker, desk: &Desk, def: &EmitterDef) -> Self {
        Self {
            broker: broker.clone(),
            emitter: def.name.clone(),
            encoder: encoder(def, def.batch, desk),
        }
    }
}

impl Opener for Outside {
    fn open(&self) -> BoxFuture<'static, Result<Opened, OpenError>> {
        let encoder = Arc::clone(&self.encoder);
        let sink = self.broker.open(&self.emitter);
        Box::pin(std::future::ready(sink.map(|sink| Opened {
            sink,
            encoder: Some(encoder),
        })))
    }
}

/// The time of the snapshot of each record as decimal text, each with a line end; with limits, all of them together.
struct Stamps {
    limits: Option<BatchLimits>,
}

impl PayloadEncoder for Stamps {
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing {
        let stamps = rows
            .iter()
            .flat_map(|rows| std::iter::repeat_n(rows.snapshot_ns, rows.records.num_rows()));
        let stamps: Vec<i64> = stamps.collect();
        let members = self.limits.map_or(1, |limits| limits.max_messages as usize);
        let payload = |stamps: &[i64]| Packed::Payload {
            rows: stamps.len(),
            left_out: Vec::new(),
            bytes: lines(stamps),
        };
        Packing::Done(stamps.chunks(members).take(payloads_max).map(payload).collect())
    }
}

/// Ids as decimal text, each with a line end.
struct Lines {
    limits: Option<BatchLimits>,
    desk: Option<Desk>,
}

impl PayloadEncoder for Lines {
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing {
        let ids: Vec<i64> = rows
            .iter()
            .flat_map(|rows| {
                rows.records
                    .column(0)
                    .as_primitive::<Int64Type>()
                    .values()
                    .to_vec()
            })
            .collect();
        let mut packed = Vec::new();
        let mut at = 0;
        while at < ids.len() && packed.len() < payloads_max {
            let next = self.next(&ids[at..]);
            at += next.rows();
            packed.push(next);
        }
        match &self.desk {
            Some(desk) => desk.job(packed),
            None => Packing::Done(packed),
        }
    }
}

impl Lines {
    fn next(&self, ids: &[i64]) -> Packed {
        if ids[0] == UNWRITABLE {
            return Packed::rejected(fault(ErrorCode::Evaluation, "cannot be written"));
        }
        let Some(limits) = self.limits else {
            return Packed::Payload {
                rows: 1,
                left_out: Vec::new(),
                bytes: lines(&ids[..1]),
            };
        };
        let mut rows = ids.len().min(limits.max_messages as usize);
        loop {
            let bytes = lines(&ids[..rows]);
            if bytes.len() as u64 > limits.max_bytes {
                if rows == 1 {
                    let fault = fault(ErrorCode::Validation, "text payload exceeds MAX SIZE");
                    return Packed::rejected(fault);
                }
                rows = rows.div_ceil(2);
                continue;
            }
            // What cannot be written at the end of the candidate is left to the next one.
            while ids[rows - 1] == UNWRITABLE {
                rows -= 1;
            }
            let left_out = (0..rows)
                .filter(|row| ids[*row] == UNWRITABLE)
                .map(|row| LeftOut {
                    row,
                    fault: fault(ErrorCode::Evaluation, "cannot be written"),
                });
            let left_out = left_out.collect();
            if ids[..rows].contains(&SPOILING) {
                return Packed::Rejected {
                    rows,
                    left_out,
                    fault: fault(ErrorCode::Evaluation, "has no payload"),
                };
            }
            return Packed::Payload {
                rows,
                left_out,
                bytes: lines(&ids[..rows]),
            };
        }
    }
}

fn lines(ids: &[i64]) -> Bytes {
    let written = ids.iter().filter(|id| **id != UNWRITABLE);
    written.map(|id| format!("{id}\n")).collect::<String>().into()
}

fn fault(code: ErrorCode, cause: &'static str) -> RecordFault {
    RecordFault {
        code,
        fields: Vec::new(),
        cause: cause.into(),
    }
}

/// The ids in a payload.
pub(crate) fn ids_of(bytes: &Bytes) -> Vec<i64> {
    let text = std::str::from_utf8(bytes).expect("text");
    text.lines().map(|line| line.parse().expect("an id")).collect()
}

/// The ids of rows, in order.
pub(crate) fn ids_in(records: &[RecordBatch]) -> Vec<i64> {
    let ids = records
        .iter()
        .flat_map(|records| records.column(0).as_primitive::<Int64Type>().values().to_vec());
    ids.collect()
}
