//! TO of emitters: what every sink has in common, judged by its capabilities. What a sink alone has is judged in a file
//! of its own below.

mod client;
mod database;
mod direct;
mod http;
mod iceberg;
mod identifier;
mod named;
mod otel;
mod sqs;

use std::sync::Arc;

use nspl_model::{
    Body as BodyRule, Capabilities, CodecDef, Construction, Content, RelayDef, Schema, SinkDef, SinkKind,
};
use nspl_syntax::sink as tree;
use nspl_syntax::{Name, Spanned};

use super::Resolver;
use super::construction::Route;
use crate::expression::Environment;
use crate::rules;

/// What the emitter builds and publishes, as far as it is known.
#[derive(Default)]
pub(super) struct ResolvedBody {
    /// What the construction builds.
    pub(super) output: Option<Arc<Schema>>,
    pub(super) content: Option<Content>,
    /// How, when the sink itself says so: VALUES.
    pub(super) construction: Option<Construction>,
}

/// Where a sink stands.
#[derive(Clone, Copy)]
pub(super) struct SinkSite<'a> {
    pub(super) capabilities: &'static Capabilities,
    pub(super) body: &'a ResolvedBody,
    pub(super) route: Route<'a>,
    /// The source relays that are known.
    pub(super) sources: &'a [Arc<RelayDef>],
}

impl ResolvedBody {
    fn absent() -> ResolvedBody {
        let name = "WITHOUT BODY".to_owned();
        ResolvedBody {
            output: Some(Arc::new(Schema {
                name,
                fields: Vec::new(),
            })),
            content: Some(Content::Absent),
            ..ResolvedBody::default()
        }
    }

    /// Whether a record is built at all.
    pub(super) fn constructs(&self) -> bool {
        !matches!(self.content, Some(Content::Absent | Content::Mapped))
    }
}

impl Resolver<'_> {
    /// `None`: there is no such destination, which is reported.
    pub(super) fn capabilities(&mut self, tree: &tree::Sink) -> Option<&'static Capabilities> {
        let Some(kind) = SinkKind::from_name(tree.target.keyword()) else {
            let what = format!("an emitter TO {}", tree.target.keyword());
            self.faults.push(rules::unsupported::fault(tree.span, &what));
            return None;
        };
        let capabilities = kind.capabilities();
        if !self.world.can_run(self.owner, kind.name()) {
            self.faults.push(rules::kind_available::sink(
                tree.span,
                self.owner,
                kind,
                self.world.settings,
            ));
        }
        Some(capabilities)
    }

    /// ENCODE USING, WITHOUT BODY, or what the sink has in their place; `row` reads the source row.
    pub(super) fn body(
        &mut self,
        tree: &tree::Sink,
        sink: &Capabilities,
        row: &Environment<'_>,
    ) -> ResolvedBody {
        let transforms = sink.body != BodyRule::Values;
        if let Some(values) = tree.values.as_ref().filter(|_| transforms) {
            let encodes = matches!(
                tree.body.as_ref().map(|body| &body.node),
                Some(tree::Body::Codec(_))
            );
            self.faults
                .push(rules::body::fault(values.span, sink, ("VALUES", encodes)));
        }
        match (&tree.body, sink.body) {
            (Some(body), BodyRule::Native | BodyRule::Values) => {
                let clause = match body.node {
                    tree::Body::Codec(_) => "ENCODE USING",
                    tree::Body::Without => "WITHOUT BODY",
                };
                self.faults.push(rules::body::fault(
                    body.span,
                    sink,
                    (clause, tree.values.is_some()),
                ));
            }
            (Some(body), _) => return self.encoded(body, sink),
            (None, BodyRule::Codec | BodyRule::CodecOrNone) => {
                let bodiless =
                    matches!(&tree.target, tree::SinkTarget::Http(http) if http::is_written_bodiless(http));
                self.faults.push(match bodiless {
                    true => rules::body_missing::of_bodiless(tree.span),
                    false => rules::body_missing::fault(tree.span, sink),
                });
            }
            (None, _) => {}
        }
        match &tree.target {
            tree::SinkTarget::Client(client) => self.client_body(client),
            _ if !transforms => self.mapped_body(tree, sink, row),
            _ => ResolvedBody::default(),
        }
    }

    fn encoded(&mut self, body: &Spanned<tree::Body>, sink: &Capabilities) -> ResolvedBody {
        let name = match &body.node {
            tree::Body::Codec(name) => name,
            tree::Body::Without if sink.body == BodyRule::CodecOrNone => {
                return ResolvedBody::absent();
            }
            tree::Body::Without => {
                self.faults
                    .push(rules::body::fault(body.span, sink, ("WITHOUT BODY", false)));
                return ResolvedBody::default();
            }
        };
        match self.codec(name) {
            Some(codec) => {
                self.can_encode(name, &codec, sink);
                ResolvedBody {
                    output: Some(codec.schema.clone()),
                    content: Some(Content::Encoded(codec)),
                    ..ResolvedBody::default()
                }
            }
            None => ResolvedBody::default(),
        }
    }

    fn can_encode(&mut self, name: &Name, codec: &CodecDef, sink: &Capabilities) {
        if !sink.codecs.takes(codec) {
            self.faults.push(rules::sink_codec::fault(name.span, sink, codec));
        } else if !codec.emits() {
            self.faults.push(rules::codec_emits::fault(name.span, codec));
        }
    }

    /// What the sink's own clauses come to.
    pub(super) fn sink(&mut self, tree: &tree::Sink, site: SinkSite<'_>) -> Option<SinkDef> {
        let values = tree.values.as_ref();
        match &tree.target {
            tree::SinkTarget::Client(_) => Self::client_sink(site).map(SinkDef::Client),
            tree::SinkTarget::Http(http) => self.http_sink(http, site).map(SinkDef::Http),
            tree::SinkTarget::Sqs(sqs) => self.sqs_sink(sqs, site).map(SinkDef::Sqs),
            tree::SinkTarget::Kafka(kafka) => self.kafka_sink(kafka).map(SinkDef::Kafka),
            tree::SinkTarget::Pulsar(pulsar) => self.pulsar_sink(pulsar).map(SinkDef::Pulsar),
            tree::SinkTarget::RabbitMq(rabbit) => self.rabbitmq_sink(rabbit).map(SinkDef::RabbitMq),
            tree::SinkTarget::Redis(redis) => self.redis_sink(redis).map(SinkDef::Redis),
            tree::SinkTarget::Mqtt(mqtt) => self.mqtt_sink(mqtt).map(SinkDef::Mqtt),
            tree::SinkTarget::Nats(nats) => self.nats_sink(nats).map(SinkDef::Nats),
            tree::SinkTarget::ZeroMq(zeromq) => self.zeromq_sink(zeromq).map(SinkDef::ZeroMq),
            tree::SinkTarget::Syslog(syslog) => self.syslog_sink(syslog).map(SinkDef::Syslog),
            tree::SinkTarget::Sentry(sentry) => self.sentry_sink(sentry).map(SinkDef::Sentry),
            tree::SinkTarget::Otel(otel) => self.otel_sink(otel, values).map(Box::new).map(SinkDef::Otel),
            tree::SinkTarget::ClickHouse(table) => {
                self.clickhouse_sink(table, values, site).map(SinkDef::ClickHouse)
            }
            tree::SinkTarget::Postgres(table) => {
                self.postgres_sink(table, values, site).map(SinkDef::Postgres)
            }
            tree::SinkTarget::MySql(table) => self.mysql_sink(table, values, site).map(SinkDef::MySql),
            tree::SinkTarget::MongoDb(table) => self.mongodb_sink(table, values, site).map(SinkDef::MongoDb),
            tree::SinkTarget::Iceberg(iceberg) => {
                self.iceberg_sink(iceberg).map(Box::new).map(SinkDef::Iceberg)
            }
        }
    }
}
