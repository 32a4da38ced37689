//! Where emitters deliver. A destination is known here by its definition and its [`Capabilities`], nowhere else in
//! the rooms of the language.

mod client;

use std::fmt;

pub use client::ClientSinkDef;

use crate::Capabilities;

/// The definition of a sink.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SinkDef {
    /// `TO CLIENT SCHEMA s`.
    Client(ClientSinkDef),
}

impl SinkDef {
    /// Which destination it is.
    pub fn kind(&self) -> SinkKind {
        match self {
            SinkDef::Client(_) => SinkKind::Client,
        }
    }
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

    /// What it can do; `None` while the specification's row for it is not entered yet.
    pub fn capabilities(self) -> Option<&'static Capabilities> {
        match self {
            SinkKind::Client => Some(&client::CAPABILITIES),
            _ => None,
        }
    }
}

impl fmt::Display for SinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
