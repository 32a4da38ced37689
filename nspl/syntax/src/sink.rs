//! The sink of an emitter: `TO <target> ... MODE ... [ENCODE USING c | WITHOUT BODY]`.
//!
//! One file per destination holds its own clauses; what every sink shares is here. Direct sinks write VALUES and the
//! clauses behind it before MODE, the others have none.

pub mod clickhouse;
pub mod client;
pub mod conflict;
pub mod http;
pub mod iceberg;
pub mod kafka;
pub mod mongodb;
pub mod mqtt;
pub mod mysql;
pub mod nats;
pub mod otel;
pub mod postgres;
pub mod pulsar;
pub mod rabbitmq;
pub mod redis;
pub mod sentry;
pub mod sqs;
pub mod syslog;
pub mod values;
pub mod zeromq;

use crate::emitter::mode::Mode;
use crate::name::Name;
use crate::span::{Span, Spanned};

use self::values::Values;

/// A complete sink clause, without the word TO.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sink {
    /// The destination and its own clauses.
    pub target: SinkTarget,
    /// The VALUES mapping of a direct sink. `CREATE` always has it for direct sinks; `ALTER ... SET TO` may leave it out.
    pub values: Option<Values>,
    /// The MODE clause.
    pub mode: Mode,
    /// What becomes the body; none where the clause is left out.
    pub body: Option<Spanned<Body>>,
    /// Where the clause stands.
    pub span: Span,
}

/// The destinations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SinkTarget {
    /// `CLIENT SCHEMA s`
    Client(client::ClientSink),
    /// `HTTP c METHOD e PATH e`
    Http(http::HttpSink),
    /// `KAFKA c TOPIC t`
    Kafka(kafka::KafkaSink),
    /// `PULSAR c TOPIC t`
    Pulsar(pulsar::PulsarSink),
    /// `RABBITMQ c QUEUE q`
    RabbitMq(rabbitmq::RabbitMqSink),
    /// `REDIS PUBSUB c CHANNEL ch`
    Redis(redis::RedisSink),
    /// `MQTT c TOPIC t`
    Mqtt(mqtt::MqttSink),
    /// `NATS c SUBJECT s`
    Nats(nats::NatsSink),
    /// `ZEROMQ c`
    ZeroMq(zeromq::ZeroMqSink),
    /// `SYSLOG c`
    Syslog(syslog::SyslogSink),
    /// `SQS c QUEUE q [FIFO GROUP ...]`
    Sqs(sqs::SqsSink),
    /// `SENTRY c`
    Sentry(sentry::SentrySink),
    /// `OTEL c LOGS | TRACES | METRIC ...`
    Otel(Box<otel::OtelSink>),
    /// `CLICKHOUSE c INSERT TO TABLE t`
    ClickHouse(clickhouse::ClickHouseSink),
    /// `POSTGRES c INSERT TO TABLE t`
    Postgres(postgres::PostgresSink),
    /// `MYSQL c INSERT TO TABLE t`
    MySql(mysql::MySqlSink),
    /// `MONGODB c INSERT TO COLLECTION t`
    MongoDb(mongodb::MongoDbSink),
    /// `ICEBERG ON <backend> c TABLE t`
    Iceberg(iceberg::IcebergSink),
}

/// What becomes the body of a published message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// `ENCODE USING codec`
    Codec(Name),
    /// `WITHOUT BODY`
    Without,
}

impl SinkTarget {
    /// The keyword of the destination.
    #[must_use]
    pub const fn keyword(&self) -> &'static str {
        match self {
            Self::Client(_) => "CLIENT",
            Self::Http(_) => "HTTP",
            Self::Kafka(_) => "KAFKA",
            Self::Pulsar(_) => "PULSAR",
            Self::RabbitMq(_) => "RABBITMQ",
            Self::Redis(_) => "REDIS",
            Self::Mqtt(_) => "MQTT",
            Self::Nats(_) => "NATS",
            Self::ZeroMq(_) => "ZEROMQ",
            Self::Syslog(_) => "SYSLOG",
            Self::Sqs(_) => "SQS",
            Self::Sentry(_) => "SENTRY",
            Self::Otel(_) => "OTEL",
            Self::ClickHouse(_) => "CLICKHOUSE",
            Self::Postgres(_) => "POSTGRES",
            Self::MySql(_) => "MYSQL",
            Self::MongoDb(_) => "MONGODB",
            Self::Iceberg(_) => "ICEBERG",
        }
    }

    /// The CLIENT the sink uses; none for the CLIENT sink itself.
    #[must_use]
    pub fn client(&self) -> Option<&Name> {
        Some(match self {
            Self::Client(_) => return None,
            Self::Http(sink) => &sink.client,
            Self::Kafka(sink) => &sink.client,
            Self::Pulsar(sink) => &sink.client,
            Self::RabbitMq(sink) => &sink.client,
            Self::Redis(sink) => &sink.client,
            Self::Mqtt(sink) => &sink.client,
            Self::Nats(sink) => &sink.client,
            Self::ZeroMq(sink) => &sink.client,
            Self::Syslog(sink) => &sink.client,
            Self::Sqs(sink) => &sink.client,
            Self::Sentry(sink) => &sink.client,
            Self::Otel(sink) => &sink.client,
            Self::ClickHouse(sink) => &sink.client,
            Self::Postgres(sink) => &sink.client,
            Self::MySql(sink) => &sink.client,
            Self::MongoDb(sink) => &sink.client,
            Self::Iceberg(sink) => &sink.client,
        })
    }
}
