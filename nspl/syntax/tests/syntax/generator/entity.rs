//! All entities.

use nspl_syntax::branch::Branch;
use nspl_syntax::client::{Client, Config, ConfigEntry, Mount, PoolSize};
use nspl_syntax::codec::{Codec, CodecForm, JaqFormat, Protobuf, Transformations};
use nspl_syntax::domain::{Domain, Pacing};
use nspl_syntax::emitter::{Attachment, Emitter};
use nspl_syntax::ingestor::{
    BranchedBy, Branching, Ingestor, IngestorMode, IngestorModeKind, IngestorSource, Route,
};
use nspl_syntax::relay::Relay;
use nspl_syntax::resource::{Resource, Version};
use nspl_syntax::schema::{Field, Schema};
use nspl_syntax::wire_schema::{WireField, WireFormat, WireMode, WireSchema};
use nspl_syntax::{Entity, Name};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::generator::clause::{
    batch, collect, construction, dependency, flush, general_policy, message_policy, source, window,
};
use crate::generator::expression::{assignments, data_type, expression, literal};
use crate::generator::sink::sink;
use crate::generator::{duration, external, here, maybe, name, spanned, text, whole};

pub(crate) fn field() -> BoxedStrategy<Field> {
    (name(), data_type(), any::<bool>(), any::<bool>())
        .prop_map(|(name, data_type, optional, sensitive)| Field {
            name,
            data_type,
            optional,
            sensitive,
            span: here(),
        })
        .boxed()
}

pub(crate) fn wire_field() -> BoxedStrategy<WireField> {
    (name(), wire_type(), any::<bool>())
        .prop_map(|(name, wire_type, optional)| WireField {
            name,
            wire_type,
            optional,
            span: here(),
        })
        .boxed()
}

pub(crate) fn wire_type() -> BoxedStrategy<Name> {
    select(vec!["integer", "long", "string"])
        .prop_map(Name::new)
        .boxed()
}

pub(crate) fn wire_mode() -> BoxedStrategy<WireMode> {
    prop_oneof![Just(WireMode::Strict), Just(WireMode::Loose)].boxed()
}

pub(crate) fn version() -> BoxedStrategy<Version> {
    prop_oneof![Just(Version::Latest), whole().prop_map(Version::Number)].boxed()
}

pub(crate) fn mount() -> BoxedStrategy<Mount> {
    (name(), version())
        .prop_map(|(resource, version)| Mount {
            resource,
            version,
            span: here(),
        })
        .boxed()
}

pub(crate) fn config() -> BoxedStrategy<Config> {
    let entry = (text(), literal()).prop_map(|(key, value)| ConfigEntry { key, value });
    vec(entry, 0..3)
        .prop_map(|entries| Config {
            entries,
            span: here(),
        })
        .boxed()
}

fn simple() -> BoxedStrategy<Entity> {
    let paced = (duration(), duration()).prop_map(|(period, skew)| Pacing::Paced { period, skew });
    let domain = (name(), prop_oneof![Just(Pacing::Unpaced), paced])
        .prop_map(|(name, pacing)| Domain { name, pacing });
    let schema = (name(), vec(field(), 1..4)).prop_map(|(name, fields)| Schema { name, fields });
    let branch =
        (name(), name(), duration(), maybe(whole())).prop_map(|(name, schema, ttl, max_instances)| Branch {
            name,
            schema,
            ttl,
            max_instances,
        });
    let relay = (name(), name(), maybe(name()), maybe(whole()), any::<bool>()).prop_map(
        |(name, schema, branched_by, capacity, materialized)| Relay {
            name,
            schema,
            branched_by,
            capacity,
            materialized,
        },
    );
    let wire = (
        select(WireFormat::ALL.to_vec()),
        name(),
        wire_mode(),
        vec(wire_field(), 1..3),
    );
    let wire = wire.prop_map(|(format, name, mode, fields)| WireSchema {
        format,
        name,
        mode: spanned(mode),
        fields,
    });
    prop_oneof![
        domain.prop_map(Entity::Domain),
        schema.prop_map(Entity::Schema),
        branch.prop_map(Entity::Branch),
        relay.prop_map(Entity::Relay),
        wire.prop_map(Entity::WireSchema),
        name().prop_map(|name| Entity::Resource(Resource { name })),
        client().prop_map(|client| Entity::Client(Box::new(client))),
        codec().prop_map(Entity::Codec),
    ]
    .boxed()
}

fn client() -> BoxedStrategy<Client> {
    let pool = (whole(), whole()).prop_map(|(min, max)| PoolSize {
        min,
        max,
        span: here(),
    });
    let kind = select(vec!["KAFKA", "POSTGRES", "NEW_KIND"]).prop_map(Name::new);
    (name(), kind, maybe(pool), maybe(mount()), config())
        .prop_map(|(name, kind, pool, mount, config)| Client {
            name,
            kind,
            pool,
            mount,
            config,
        })
        .boxed()
}

fn transformations() -> BoxedStrategy<Transformations> {
    (maybe(text()), maybe(text()), maybe(text()))
        .prop_map(|(on_ingestion, on_emitting, on_emitting_batch)| Transformations {
            on_ingestion,
            on_emitting,
            on_emitting_batch,
            span: here(),
        })
        .boxed()
}

fn codec() -> BoxedStrategy<Codec> {
    let schemaful = (select(WireFormat::ALL.to_vec()), name(), vec(name(), 0..3)).prop_map(
        |(format, wire_schema, rfc3339)| CodecForm::Schemaful {
            format,
            wire_schema,
            rfc3339,
        },
    );
    let jaq = (select(JaqFormat::ALL.to_vec()), transformations()).prop_map(|(format, transformations)| {
        CodecForm::Jaq {
            format,
            transformations,
        }
    });
    let numbered = maybe(whole().prop_map(Version::Number));
    let protobuf = (
        name(),
        numbered,
        config(),
        text(),
        maybe(text()),
        transformations(),
    )
        .prop_map(
            |(resource, version, config, message, batch_message, transformations)| {
                CodecForm::Protobuf(Box::new(Protobuf {
                    resource,
                    version,
                    config,
                    message,
                    batch_message,
                    transformations,
                }))
            },
        );
    let form = prop_oneof![schemaful, jaq, protobuf, Just(CodecForm::Syslog)];
    (name(), name(), form)
        .prop_map(|(name, schema, form)| Codec { name, schema, form })
        .boxed()
}

fn route() -> BoxedStrategy<Route> {
    let branched = (name(), assignments()).prop_map(|(branch, keys)| BranchedBy { branch, keys });
    (name(), construction(), maybe(branched), flush(), message_policy())
        .prop_map(
            |(relay, construction, branched_by, flush, on_message_error)| Route {
                relay,
                construction,
                branching: Branching {
                    branched_by,
                    span: here(),
                },
                flush,
                on_message_error,
                span: here(),
            },
        )
        .boxed()
}

fn ingestor() -> BoxedStrategy<Ingestor> {
    let client = name().prop_map(|schema| (IngestorSource::Client { schema }, None));
    let kafka = (name(), external(), external(), maybe(whole()), name()).prop_map(
        |(client, topic, group, instances, codec)| {
            (
                IngestorSource::Kafka {
                    client,
                    topic,
                    group,
                    instances,
                },
                Some(codec),
            )
        },
    );
    let mode = prop_oneof![
        Just(IngestorModeKind::Ack),
        Just(IngestorModeKind::NoAck),
        window().prop_map(IngestorModeKind::AckWindow)
    ];
    (
        name(),
        prop_oneof![client, kafka],
        mode,
        maybe(expression()),
        vec(route(), 1..3),
        general_policy(),
    )
        .prop_map(
            |(name, (source, codec), kind, filter, routes, on_general_error)| Ingestor {
                name,
                source,
                mode: IngestorMode { kind, span: here() },
                codec,
                filter,
                routes,
                on_general_error,
            },
        )
        .boxed()
}

pub(crate) fn attachment() -> BoxedStrategy<Attachment> {
    prop_oneof![Just(Attachment::Attached), Just(Attachment::Detached)].boxed()
}

fn emitter() -> BoxedStrategy<Emitter> {
    let head = (
        maybe(attachment()),
        name(),
        vec(source(), 1..3),
        maybe(collect()),
        vec(dependency(), 0..2),
    );
    let tail = (
        sink(),
        construction(),
        maybe(batch()),
        flush(),
        message_policy(),
        general_policy(),
    );
    (head, tail)
        .prop_map(|((attachment, name, sources, collect, dependencies), tail)| {
            let (sink, construction, batch, flush, on_message_error, on_general_error) = tail;
            Emitter {
                attachment: attachment.map(spanned),
                name,
                sources,
                collect,
                dependencies,
                sink,
                construction,
                batch,
                flush,
                on_message_error,
                on_general_error,
            }
        })
        .boxed()
}

pub(crate) fn entity() -> BoxedStrategy<Entity> {
    prop_oneof![
        2 => simple(),
        1 => ingestor().prop_map(|ingestor| Entity::Ingestor(Box::new(ingestor))),
        2 => emitter().prop_map(|emitter| Entity::Emitter(Box::new(emitter))),
    ]
    .boxed()
}
