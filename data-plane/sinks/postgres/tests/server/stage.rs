//! Sinks as an emitter would open them, without an emitter.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::ArrayRef;
use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema};
use arrow::record_batch::RecordBatch;
use nervix_budget::Budget;
use nervix_clock::PhysicalClock;
use nervix_sink::{
    Failure, Labels, OpenError, OpenSink, Outcome, RowAnswer, RowSink, Rows, SinkClient, SinkContext, World,
};
use nervix_tests::postgres::{DATABASE, Postgres, USER};
use nspl_model::{
    Attachment, BatchLimits, ClientDef, ClientKind, ConfigValue, Confirmation, Conflict, Construction,
    Content, DataType, EmitterDef, Field, Flush, GeneralPolicy, MessagePolicy, Mode, ModeForm,
    PostgresSinkDef, RetryPolicy, Schema, SinkDef, TableName, Window,
};

pub(crate) const PASSWORD: &str = "p4ss/w@rd";

/// A server with its defaults.
pub(crate) async fn server() -> Postgres {
    Postgres::start(PASSWORD).await
}

/// The address of a server for a role, without encryption.
pub(crate) fn plain(server: &Postgres) -> String {
    address(&server.address(), USER, "sslmode=disable")
}

pub(crate) fn address(host: &str, user: &str, parameters: &str) -> String {
    let password = PASSWORD.replace('/', "%2F").replace('@', "%40");
    format!("postgresql://{user}:{password}@{host}/{DATABASE}?{parameters}")
}

/// A client with this pool and these settings.
pub(crate) fn client_def(pool: (u32, u32), settings: &[(&str, &str)]) -> Arc<ClientDef> {
    let config = settings.iter();
    let config = config.map(|(key, value)| ((*key).to_owned(), ConfigValue::Text((*value).to_owned())));
    Arc::new(ClientDef {
        name: "pg".to_owned(),
        kind: ClientKind::Postgres,
        pool: Some(pool),
        mount: None,
        config: config.collect(),
    })
}

pub(crate) fn world() -> World {
    World {
        clock: PhysicalClock::system(),
        budget: Budget::new(u64::MAX),
        scratch: std::env::temp_dir(),
        node: "n1".into(),
    }
}

/// What emitters share that write to this server.
pub(crate) fn connect(server: &Postgres, pool: (u32, u32)) -> Arc<dyn SinkClient> {
    let def = client_def(pool, &[("addr", &plain(server))]);
    nervix_sink_postgres::connect(&def, world()).expect("a client")
}

/// An emitter that writes these columns.
pub(crate) fn emitter(
    table: &str,
    columns: &[(&str, DataType)],
    conflict: Option<Conflict>,
) -> Arc<EmitterDef> {
    let fields = columns.iter().map(|(name, data_type)| Field {
        name: (*name).to_owned(),
        data_type: data_type.clone(),
        optional: true,
        sensitive: false,
    });
    Arc::new(EmitterDef {
        domain: "d".to_owned(),
        name: "outbox".to_owned(),
        attachment: Attachment::Attached,
        sources: Vec::new(),
        collect: None,
        dependencies: Vec::new(),
        sink: SinkDef::Postgres(PostgresSinkDef {
            client: client_def((0, 1), &[]),
            table: TableName::parse(table).expect("a table"),
            conflict,
        }),
        output: Arc::new(Schema {
            name: "row".to_owned(),
            fields: fields.collect(),
        }),
        construction: Construction::default(),
        content: Content::Mapped,
        headers: Vec::new(),
        batch: Some(BatchLimits {
            max_messages: 1_000,
            max_bytes: u64::MAX,
        }),
        flush: Flush::Immediate,
        mode: Mode {
            form: ModeForm::Ack,
            confirmation: Confirmation::Acked {
                window: Window::Sequential,
                timeout: None,
            },
            retry: RetryPolicy {
                backoff: Duration::from_millis(100),
                max: Duration::from_secs(1),
            },
        },
        on_message_error: MessagePolicy::Ignore,
        on_general_error: GeneralPolicy::Ignore,
    })
}

/// Opens the sink of an emitter.
pub(crate) async fn open(client: &dyn SinkClient, def: Arc<EmitterDef>) -> Result<Box<dyn RowSink>, Failure> {
    let world = world();
    let labels = Labels {
        domain: "d".into(),
        emitter: "outbox".into(),
        node: Arc::clone(&world.node),
    };
    match client.open(def, SinkContext { world, labels }).await {
        Ok(OpenSink::Rows(sink)) => Ok(sink),
        Ok(other) => panic!("a sink of the {} shape", other.shape()),
        Err(OpenError::Unavailable(failure)) => Err(failure),
        Err(error) => panic!("{error}"),
    }
}

/// Rows of these columns.
pub(crate) fn rows(columns: &[(&str, ArrayRef)]) -> Rows {
    let fields: Vec<ArrowField> = columns
        .iter()
        .map(|(name, array)| ArrowField::new(*name, array.data_type().clone(), true))
        .collect();
    let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
    let columns = RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), arrays).expect("rows");
    Rows {
        columns,
        isolated: false,
    }
}

/// Expects that rows were written.
pub(crate) fn written(answer: &RowAnswer) {
    assert_eq!(*answer, RowAnswer::All(Outcome::DELIVERED));
}

/// Expects that rows are at fault, and gives the message.
pub(crate) fn refused(answer: RowAnswer) -> String {
    match answer {
        RowAnswer::Isolate(rejection) => rejection.message.as_str().to_owned(),
        other => panic!("not refused: {other:?}"),
    }
}

/// Expects that nobody knows, and gives the failure.
pub(crate) fn unresolved(answer: RowAnswer) -> Failure {
    match answer {
        RowAnswer::Unresolved(failure) => failure,
        other => panic!("not unresolved: {other:?}"),
    }
}
