//! The sink of an emitter: `TO <target> ... MODE ... [ENCODE USING c | WITHOUT BODY]`.
//!
//! One file per destination holds its own clauses; what every sink shares is here. Direct sinks write VALUES and the
//! clauses behind it before MODE, the others have none.

pub mod client;
pub mod conflict;
pub mod database;
pub mod http;
pub mod iceberg;
pub mod kafka;
pub mod mqtt;
pub mod nats;
pub mod otel;
pub mod pulsar;
pub mod rabbitmq;
pub mod redis;
pub mod sentry;
pub mod sqs;
pub mod syslog;
pub mod values;
pub mod zeromq;

use crate::emitter::mode;
use crate::emitter::mode::Mode;
use crate::expression::Expr;
use crate::grammar::{Rule, located, name, phrase, spanned};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::span::{Span, Spanned};
use chumsky::prelude::{Parser, choice};

use self::database::DatabaseSink;
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
    ClickHouse(DatabaseSink),
    /// `POSTGRES c INSERT TO TABLE t`
    Postgres(DatabaseSink),
    /// `MYSQL c INSERT TO TABLE t`
    MySql(DatabaseSink),
    /// `MONGODB c INSERT TO COLLECTION t`
    MongoDb(DatabaseSink),
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

/// Of each destination but CLIENT, which has no client, what `take` makes of it.
macro_rules! with_client {
    ($target:expr, $sink:ident => $take:expr) => {
        match $target {
            SinkTarget::Client(_) => None,
            SinkTarget::Http($sink) => Some($take),
            SinkTarget::Kafka($sink) => Some($take),
            SinkTarget::Pulsar($sink) => Some($take),
            SinkTarget::RabbitMq($sink) => Some($take),
            SinkTarget::Redis($sink) => Some($take),
            SinkTarget::Mqtt($sink) => Some($take),
            SinkTarget::Nats($sink) => Some($take),
            SinkTarget::ZeroMq($sink) => Some($take),
            SinkTarget::Syslog($sink) => Some($take),
            SinkTarget::Sqs($sink) => Some($take),
            SinkTarget::Sentry($sink) => Some($take),
            SinkTarget::Otel($sink) => Some($take),
            SinkTarget::ClickHouse($sink)
            | SinkTarget::Postgres($sink)
            | SinkTarget::MySql($sink)
            | SinkTarget::MongoDb($sink) => Some($take),
            SinkTarget::Iceberg($sink) => Some($take),
        }
    };
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
        with_client!(self, sink => &sink.client)
    }

    /// The CLIENT the sink uses, to be replaced.
    #[must_use]
    pub fn client_mut(&mut self) -> Option<&mut Name> {
        with_client!(self, sink => &mut sink.client)
    }

    /// COMMIT EACH, to be replaced; none where the sink has none.
    #[must_use]
    pub fn commit_mut(&mut self) -> Option<&mut iceberg::Commit> {
        match self {
            Self::Iceberg(sink) => Some(&mut sink.commit),
            _ => None,
        }
    }
}

/// A complete sink clause behind TO.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Sink> {
    let parts = target(expression)
        .then(mode::rule())
        .then(spanned(body()).or_not());
    located(parts, |(((target, values), mode), body), span| Sink {
        target,
        values,
        mode,
        body,
        span,
    })
}

fn target<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, (SinkTarget, Option<Values>)> {
    /// A destination without VALUES.
    fn plain<'t, T: 't>(
        rule: Rule<'t, T>,
        wrap: impl Fn(T) -> SinkTarget + 't,
    ) -> Rule<'t, (SinkTarget, Option<Values>)> {
        rule.map(move |sink| (wrap(sink), None)).boxed()
    }
    /// A destination that reads its VALUES itself.
    fn direct<'t, T: 't>(
        rule: Rule<'t, (T, Option<Values>)>,
        wrap: impl Fn(T) -> SinkTarget + 't,
    ) -> Rule<'t, (SinkTarget, Option<Values>)> {
        rule.map(move |(sink, values)| (wrap(sink), values)).boxed()
    }
    let targets = vec![
        plain(client::rule(), SinkTarget::Client),
        plain(http::rule(expression), SinkTarget::Http),
        plain(kafka::rule(), SinkTarget::Kafka),
        plain(pulsar::rule(), SinkTarget::Pulsar),
        plain(rabbitmq::rule(), SinkTarget::RabbitMq),
        plain(redis::rule(), SinkTarget::Redis),
        plain(mqtt::rule(), SinkTarget::Mqtt),
        plain(nats::rule(), SinkTarget::Nats),
        plain(zeromq::rule(), SinkTarget::ZeroMq),
        plain(syslog::rule(), SinkTarget::Syslog),
        plain(sqs::rule(expression), SinkTarget::Sqs),
        plain(sentry::rule(), SinkTarget::Sentry),
        direct(otel::rule(expression), |sink| SinkTarget::Otel(Box::new(sink))),
        direct(
            database::rule(expression, database::CLICKHOUSE),
            SinkTarget::ClickHouse,
        ),
        direct(
            database::rule(expression, database::POSTGRES),
            SinkTarget::Postgres,
        ),
        direct(database::rule(expression, database::MYSQL), SinkTarget::MySql),
        direct(database::rule(expression, database::MONGODB), SinkTarget::MongoDb),
        direct(iceberg::rule(expression), SinkTarget::Iceberg),
    ];
    choice(targets).boxed()
}

fn body<'t>() -> Rule<'t, Body> {
    let codec = phrase("ENCODE USING")
        .ignore_then(name("a codec name"))
        .map(Body::Codec)
        .boxed();
    choice((codec, phrase("WITHOUT BODY").map(|_| Body::Without).boxed())).boxed()
}

impl Print for Body {
    fn print(&self, printer: &mut Printer) {
        match self {
            Self::Codec(codec) => printer.put("ENCODE USING ").node(codec),
            Self::Without => printer.put("WITHOUT BODY"),
        };
    }
}

impl Sink {
    /// Prints the clause behind TO, its inner clauses on lines of their own indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        let values = self.values.as_ref();
        match &self.target {
            SinkTarget::Client(sink) => _ = printer.node(sink),
            SinkTarget::Http(sink) => sink.print_at(printer, columns),
            SinkTarget::Kafka(sink) => _ = printer.node(sink),
            SinkTarget::Pulsar(sink) => _ = printer.node(sink),
            SinkTarget::RabbitMq(sink) => _ = printer.node(sink),
            SinkTarget::Redis(sink) => _ = printer.node(sink),
            SinkTarget::Mqtt(sink) => _ = printer.node(sink),
            SinkTarget::Nats(sink) => _ = printer.node(sink),
            SinkTarget::ZeroMq(sink) => _ = printer.node(sink),
            SinkTarget::Syslog(sink) => _ = printer.node(sink),
            SinkTarget::Sqs(sink) => _ = printer.node(sink),
            SinkTarget::Sentry(sink) => _ = printer.node(sink),
            SinkTarget::Otel(sink) => sink.print_at(printer, columns, values),
            SinkTarget::ClickHouse(sink) => sink.print_at(printer, columns, (database::CLICKHOUSE, values)),
            SinkTarget::Postgres(sink) => sink.print_at(printer, columns, (database::POSTGRES, values)),
            SinkTarget::MySql(sink) => sink.print_at(printer, columns, (database::MYSQL, values)),
            SinkTarget::MongoDb(sink) => sink.print_at(printer, columns, (database::MONGODB, values)),
            SinkTarget::Iceberg(sink) => sink.print_at(printer, columns, values),
        }
        printer.line(columns).put("MODE ").node(&self.mode);
        if let Some(body) = &self.body {
            printer.line(columns).node(&body.node);
        }
    }
}
