//! Where emitters deliver. A destination is known here by its definition and its [`Capabilities`], nowhere else in
//! the rooms of the language.

mod clickhouse;
mod client;
mod conflict;
mod http;
mod iceberg;
mod kafka;
mod mongodb;
mod mqtt;
mod mysql;
mod nats;
mod otel;
mod postgres;
mod pulsar;
mod rabbitmq;
mod redis;
mod sentry;
mod sqs;
mod syslog;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod zeromq;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub use clickhouse::ClickHouseSinkDef;
pub use client::ClientSinkDef;
pub use conflict::{Conflict, ConflictAction};
pub use http::HttpSinkDef;
pub use iceberg::{CommitPolicy, IcebergSinkDef, IcebergTable, ObjectStore};
pub use kafka::KafkaSinkDef;
pub use mongodb::MongoDbSinkDef;
pub use mqtt::MqttSinkDef;
pub use mysql::MySqlSinkDef;
pub use nats::NatsSinkDef;
pub use otel::{
    HistogramFields, LogFields, OtelKey, OtelMetric, OtelNeed, OtelPoints, OtelResource, OtelScope,
    OtelSignal, OtelSinkDef, OtelValue, PointFields, SpanFields, Temporality,
};
pub use postgres::PostgresSinkDef;
pub use pulsar::PulsarSinkDef;
pub use rabbitmq::RabbitMqSinkDef;
pub use redis::RedisSinkDef;
pub use sentry::SentrySinkDef;
pub use sqs::{OrderingGroup, SqsSinkDef};
pub use syslog::SyslogSinkDef;
pub use table::TableName;
pub use zeromq::ZeroMqSinkDef;

use crate::{Capabilities, ClientDef, Expr};

/// The definition of a sink.
#[derive(Clone, PartialEq, Debug)]
pub enum SinkDef {
    /// `TO CLIENT SCHEMA s`.
    Client(ClientSinkDef),
    /// `TO HTTP c METHOD e PATH e`.
    Http(HttpSinkDef),
    /// `TO KAFKA c TOPIC t`.
    Kafka(KafkaSinkDef),
    /// `TO PULSAR c TOPIC t`.
    Pulsar(PulsarSinkDef),
    /// `TO RABBITMQ c QUEUE q`.
    RabbitMq(RabbitMqSinkDef),
    /// `TO REDIS PUBSUB c CHANNEL ch`.
    Redis(RedisSinkDef),
    /// `TO MQTT c TOPIC t`.
    Mqtt(MqttSinkDef),
    /// `TO NATS c SUBJECT s`.
    Nats(NatsSinkDef),
    /// `TO ZEROMQ c`.
    ZeroMq(ZeroMqSinkDef),
    /// `TO SYSLOG c`.
    Syslog(SyslogSinkDef),
    /// `TO SQS c QUEUE q [FIFO GROUP ...]`.
    Sqs(SqsSinkDef),
    /// `TO SENTRY c`.
    Sentry(SentrySinkDef),
    /// `TO OTEL c LOGS | TRACES | METRIC ...`.
    Otel(Box<OtelSinkDef>),
    /// `TO CLICKHOUSE c INSERT TO TABLE t`.
    ClickHouse(ClickHouseSinkDef),
    /// `TO POSTGRES c INSERT TO TABLE t`.
    Postgres(PostgresSinkDef),
    /// `TO MYSQL c INSERT TO TABLE t`.
    MySql(MySqlSinkDef),
    /// `TO MONGODB c INSERT TO COLLECTION t`.
    MongoDb(MongoDbSinkDef),
    /// `TO ICEBERG ON <store> c TABLE t`.
    Iceberg(Box<IcebergSinkDef>),
}

impl SinkDef {
    /// Which destination it is.
    pub fn kind(&self) -> SinkKind {
        match self {
            SinkDef::Client(_) => SinkKind::Client,
            SinkDef::Http(_) => SinkKind::Http,
            SinkDef::Kafka(_) => SinkKind::Kafka,
            SinkDef::Pulsar(_) => SinkKind::Pulsar,
            SinkDef::RabbitMq(_) => SinkKind::RabbitMq,
            SinkDef::Redis(_) => SinkKind::Redis,
            SinkDef::Mqtt(_) => SinkKind::Mqtt,
            SinkDef::Nats(_) => SinkKind::Nats,
            SinkDef::ZeroMq(_) => SinkKind::ZeroMq,
            SinkDef::Syslog(_) => SinkKind::Syslog,
            SinkDef::Sqs(_) => SinkKind::Sqs,
            SinkDef::Sentry(_) => SinkKind::Sentry,
            SinkDef::Otel(_) => SinkKind::Otel,
            SinkDef::ClickHouse(_) => SinkKind::ClickHouse,
            SinkDef::Postgres(_) => SinkKind::Postgres,
            SinkDef::MySql(_) => SinkKind::MySql,
            SinkDef::MongoDb(_) => SinkKind::MongoDb,
            SinkDef::Iceberg(_) => SinkKind::Iceberg,
        }
    }

    /// What it writes to there, with the word of the clause in lower case, as DESCRIBE EMITTER shows it.
    pub fn target(&self) -> Option<(&'static str, Cow<'_, str>)> {
        let (word, name) = match self {
            SinkDef::Client(sink) => ("schema", &sink.schema.name),
            SinkDef::Kafka(sink) => ("topic", &sink.topic),
            SinkDef::Pulsar(sink) => ("topic", &sink.topic),
            SinkDef::RabbitMq(sink) => ("queue", &sink.queue),
            SinkDef::Redis(sink) => ("channel", &sink.channel),
            SinkDef::Mqtt(sink) => ("topic", &sink.topic),
            SinkDef::Nats(sink) => ("subject", &sink.subject),
            SinkDef::Sqs(sink) => ("queue", &sink.queue),
            SinkDef::MongoDb(sink) => ("collection", &sink.collection),
            SinkDef::Otel(sink) => return Some(sink.signal.target()),
            SinkDef::ClickHouse(sink) => return Some(("table", sink.table.to_string().into())),
            SinkDef::Postgres(sink) => return Some(("table", sink.table.to_string().into())),
            SinkDef::MySql(sink) => return Some(("table", sink.table.to_string().into())),
            SinkDef::Iceberg(sink) => return Some(("table", sink.table.to_string().into())),
            SinkDef::Http(_) | SinkDef::ZeroMq(_) | SinkDef::Syslog(_) | SinkDef::Sentry(_) => return None,
        };
        Some((word, name.into()))
    }

    /// What it asks for with every record, where each is a request of its own.
    pub fn request(&self) -> Option<RequestDef<'_>> {
        match self {
            SinkDef::Http(sink) => Some(RequestDef {
                method: &sink.method,
                path: &sink.path,
                endpoint: sink.client.text("endpoint").unwrap_or_default(),
            }),
            _ => None,
        }
    }

    /// COMMIT EACH, where records are staged before they are committed.
    pub fn commit(&self) -> Option<CommitPolicy> {
        match self {
            SinkDef::Iceberg(sink) => Some(sink.commit),
            _ => None,
        }
    }

    /// The CLIENT object that it connects by; none for `TO CLIENT`.
    pub fn client(&self) -> Option<&Arc<ClientDef>> {
        Some(match self {
            SinkDef::Client(_) => return None,
            SinkDef::Http(sink) => &sink.client,
            SinkDef::Kafka(sink) => &sink.client,
            SinkDef::Pulsar(sink) => &sink.client,
            SinkDef::RabbitMq(sink) => &sink.client,
            SinkDef::Redis(sink) => &sink.client,
            SinkDef::Mqtt(sink) => &sink.client,
            SinkDef::Nats(sink) => &sink.client,
            SinkDef::ZeroMq(sink) => &sink.client,
            SinkDef::Syslog(sink) => &sink.client,
            SinkDef::Sqs(sink) => &sink.client,
            SinkDef::Sentry(sink) => &sink.client,
            SinkDef::Otel(sink) => &sink.client,
            SinkDef::ClickHouse(sink) => &sink.client,
            SinkDef::Postgres(sink) => &sink.client,
            SinkDef::MySql(sink) => &sink.client,
            SinkDef::MongoDb(sink) => &sink.client,
            SinkDef::Iceberg(sink) => &sink.client,
        })
    }
}

/// The fields of a request, over the finished record, and the origin that it goes to.
#[derive(Clone, Copy, Debug)]
pub struct RequestDef<'a> {
    /// Exact, non-null STRING.
    pub method: &'a Expr,
    /// Exact, non-null STRING.
    pub path: &'a Expr,
    /// Read by [`Origin::read`](crate::http::Origin::read).
    pub endpoint: &'a str,
}

/// The destinations of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "each is the product of its name")]
pub enum SinkKind {
    Client,
    Http,
    Kafka,
    Pulsar,
    RabbitMq,
    Redis,
    Mqtt,
    Nats,
    ZeroMq,
    Syslog,
    Sqs,
    Sentry,
    Otel,
    ClickHouse,
    Postgres,
    MySql,
    MongoDb,
    Iceberg,
}

impl SinkKind {
    /// Every destination.
    pub const ALL: [SinkKind; 18] = [
        SinkKind::Client,
        SinkKind::Http,
        SinkKind::Kafka,
        SinkKind::Pulsar,
        SinkKind::RabbitMq,
        SinkKind::Redis,
        SinkKind::Mqtt,
        SinkKind::Nats,
        SinkKind::ZeroMq,
        SinkKind::Syslog,
        SinkKind::Sqs,
        SinkKind::Sentry,
        SinkKind::Otel,
        SinkKind::ClickHouse,
        SinkKind::Postgres,
        SinkKind::MySql,
        SinkKind::MongoDb,
        SinkKind::Iceberg,
    ];

    /// The destination of a keyword, in its exact spelling.
    pub fn from_name(name: &str) -> Option<SinkKind> {
        SinkKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The keyword after TO.
    pub fn name(self) -> &'static str {
        match self {
            SinkKind::Client => "CLIENT",
            SinkKind::Http => "HTTP",
            SinkKind::Kafka => "KAFKA",
            SinkKind::Pulsar => "PULSAR",
            SinkKind::RabbitMq => "RABBITMQ",
            SinkKind::Redis => "REDIS",
            SinkKind::Mqtt => "MQTT",
            SinkKind::Nats => "NATS",
            SinkKind::ZeroMq => "ZEROMQ",
            SinkKind::Syslog => "SYSLOG",
            SinkKind::Sqs => "SQS",
            SinkKind::Sentry => "SENTRY",
            SinkKind::Otel => "OTEL",
            SinkKind::ClickHouse => "CLICKHOUSE",
            SinkKind::Postgres => "POSTGRES",
            SinkKind::MySql => "MYSQL",
            SinkKind::MongoDb => "MONGODB",
            SinkKind::Iceberg => "ICEBERG",
        }
    }

    /// What it can do.
    pub fn capabilities(self) -> &'static Capabilities {
        match self {
            SinkKind::Client => &client::CAPABILITIES,
            SinkKind::Http => &http::CAPABILITIES,
            SinkKind::Kafka => &kafka::CAPABILITIES,
            SinkKind::Pulsar => &pulsar::CAPABILITIES,
            SinkKind::RabbitMq => &rabbitmq::CAPABILITIES,
            SinkKind::Redis => &redis::CAPABILITIES,
            SinkKind::Mqtt => &mqtt::CAPABILITIES,
            SinkKind::Nats => &nats::CAPABILITIES,
            SinkKind::ZeroMq => &zeromq::CAPABILITIES,
            SinkKind::Syslog => &syslog::CAPABILITIES,
            SinkKind::Sqs => &sqs::CAPABILITIES,
            SinkKind::Sentry => &sentry::CAPABILITIES,
            SinkKind::Otel => &otel::CAPABILITIES,
            SinkKind::ClickHouse => &clickhouse::CAPABILITIES,
            SinkKind::Postgres => &postgres::CAPABILITIES,
            SinkKind::MySql => &mysql::CAPABILITIES,
            SinkKind::MongoDb => &mongodb::CAPABILITIES,
            SinkKind::Iceberg => &iceberg::CAPABILITIES,
        }
    }
}

impl fmt::Display for SinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
