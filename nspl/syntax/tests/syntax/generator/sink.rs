//! All sinks with their full clauses.

use nspl_syntax::sink::client::ClientSink;
use nspl_syntax::sink::conflict::{Conflict, ConflictAction};
use nspl_syntax::sink::database::DatabaseSink;
use nspl_syntax::sink::http::HttpSink;
use nspl_syntax::sink::iceberg::{Backend, Commit, IcebergSink};
use nspl_syntax::sink::kafka::KafkaSink;
use nspl_syntax::sink::mqtt::MqttSink;
use nspl_syntax::sink::nats::NatsSink;
use nspl_syntax::sink::otel::{Metric, MetricShape, OtelSink, Scope, Signal, Temporality};
use nspl_syntax::sink::pulsar::PulsarSink;
use nspl_syntax::sink::rabbitmq::RabbitMqSink;
use nspl_syntax::sink::redis::RedisSink;
use nspl_syntax::sink::sentry::SentrySink;
use nspl_syntax::sink::sqs::{FifoGroup, FifoGroupKind, SqsSink};
use nspl_syntax::sink::syslog::SyslogSink;
use nspl_syntax::sink::values::Values;
use nspl_syntax::sink::zeromq::ZeroMqSink;
use nspl_syntax::sink::{Body, Sink, SinkTarget};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};

use crate::generator::clause::mode;
use crate::generator::expression::{expression, map};
use crate::generator::{duration, external, here, maybe, name, size, spanned, text};

fn values() -> BoxedStrategy<Values> {
    (map(), maybe(expression()))
        .prop_map(|(map, filter)| Values {
            map,
            filter,
            span: here(),
        })
        .boxed()
}

fn conflict() -> BoxedStrategy<Option<Conflict>> {
    let action = prop_oneof![Just(ConflictAction::Update), Just(ConflictAction::Nothing)];
    maybe(
        (vec(text(), 0..3), action).prop_map(|(targets, action)| Conflict {
            targets,
            action,
            span: here(),
        }),
    )
    .boxed()
}

fn named() -> BoxedStrategy<SinkTarget> {
    let pair = || (name(), external());
    prop_oneof![
        pair().prop_map(|(client, topic)| SinkTarget::Kafka(KafkaSink { client, topic })),
        pair().prop_map(|(client, topic)| SinkTarget::Pulsar(PulsarSink { client, topic })),
        pair().prop_map(|(client, queue)| SinkTarget::RabbitMq(RabbitMqSink { client, queue })),
        pair().prop_map(|(client, channel)| SinkTarget::Redis(RedisSink { client, channel })),
        pair().prop_map(|(client, topic)| SinkTarget::Mqtt(MqttSink { client, topic })),
        pair().prop_map(|(client, subject)| SinkTarget::Nats(NatsSink { client, subject })),
        name().prop_map(|client| SinkTarget::ZeroMq(ZeroMqSink { client })),
        name().prop_map(|client| SinkTarget::Syslog(SyslogSink { client })),
        name().prop_map(|client| SinkTarget::Sentry(SentrySink { client })),
        name().prop_map(|schema| SinkTarget::Client(ClientSink { schema })),
    ]
    .boxed()
}

fn computed() -> BoxedStrategy<SinkTarget> {
    let group = prop_oneof![
        Just(FifoGroupKind::Branch),
        expression().prop_map(FifoGroupKind::Expression)
    ];
    let group = maybe(group.prop_map(|kind| FifoGroup { kind, span: here() }));
    prop_oneof![
        (name(), external(), group).prop_map(|(client, queue, group)| SinkTarget::Sqs(SqsSink {
            client,
            queue,
            group
        })),
        (name(), expression(), expression()).prop_map(|(client, method, path)| SinkTarget::Http(HttpSink {
            client,
            method,
            path
        })),
    ]
    .boxed()
}

fn signal() -> BoxedStrategy<Signal> {
    let temporality = || prop_oneof![Just(Temporality::Delta), Just(Temporality::Cumulative)];
    let shape = prop_oneof![
        Just(MetricShape::Gauge),
        (any::<bool>(), temporality()).prop_map(|(monotonic, temporality)| MetricShape::Sum {
            monotonic,
            temporality
        }),
        temporality().prop_map(|temporality| MetricShape::Histogram { temporality })
    ];
    let metric = (text(), text(), maybe(text()), shape).prop_map(|(name, unit, description, shape)| Metric {
        name,
        unit,
        description,
        shape: spanned(shape),
    });
    prop_oneof![
        Just(Signal::Logs),
        Just(Signal::Traces),
        metric.prop_map(Signal::Metric)
    ]
    .boxed()
}

fn direct() -> BoxedStrategy<SinkTarget> {
    let scope = (text(), maybe(text())).prop_map(|(name, version)| Scope {
        name,
        version,
        span: here(),
    });
    let otel = (name(), signal(), maybe(map()), maybe(map()), maybe(scope));
    let otel = otel.prop_map(|(client, signal, attributes, resource, scope)| {
        SinkTarget::Otel(Box::new(OtelSink {
            client,
            signal: spanned(signal),
            attributes,
            resource,
            scope,
        }))
    });
    let backend = prop_oneof![Just(Backend::S3), Just(Backend::Gcs), Just(Backend::AzureBlob)];
    let iceberg = (backend, name(), external(), text(), name(), commit());
    let iceberg = iceberg.prop_map(|(backend, client, table, location, catalog, commit)| {
        SinkTarget::Iceberg(IcebergSink {
            backend: spanned(backend),
            client,
            table,
            location,
            catalog,
            commit,
        })
    });
    let database = || {
        (name(), external(), conflict()).prop_map(|(client, table, conflict)| DatabaseSink {
            client,
            table,
            conflict,
        })
    };
    prop_oneof![
        otel,
        iceberg,
        database().prop_map(SinkTarget::ClickHouse),
        database().prop_map(SinkTarget::Postgres),
        database().prop_map(SinkTarget::MySql),
        database().prop_map(SinkTarget::MongoDb),
    ]
    .boxed()
}

pub(crate) fn commit() -> BoxedStrategy<Commit> {
    (duration(), size())
        .prop_map(|(each, max_size)| Commit {
            each,
            max_size,
            span: here(),
        })
        .boxed()
}

pub(crate) fn sink() -> BoxedStrategy<Sink> {
    let target = prop_oneof![
        prop_oneof![named(), computed()].prop_map(|target| (target, None)),
        (direct(), maybe(values())),
    ];
    let body = prop_oneof![name().prop_map(Body::Codec), Just(Body::Without)];
    (target, mode(), maybe(body))
        .prop_map(|((target, values), mode, body)| Sink {
            target,
            values,
            mode,
            body: body.map(spanned),
            span: here(),
        })
        .boxed()
}
