//! All statements.

use nspl_syntax::alter::client::AlterClient;
use nspl_syntax::alter::emitter::AlterEmitter;
use nspl_syntax::alter::relay::AlterRelay;
use nspl_syntax::alter::schema::{AlterSchema, AlterWireSchema, Modifier};
use nspl_syntax::alter::{Alter, AlterOperations};
use nspl_syntax::domain::{Start, StartAt};
use nspl_syntax::expression::Number;
use nspl_syntax::node::{NodeAction, NodeStatement};
use nspl_syntax::resource::UploadResource;
use nspl_syntax::show::{Describe, Show};
use nspl_syntax::wire_schema::WireFormat;
use nspl_syntax::{Create, EntityRef, Kind, Statement};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::generator::clause::{batch, collect, flush, mode, source};
use crate::generator::entity::{attachment, config, entity, field, mount, wire_field, wire_mode, wire_type};
use crate::generator::expression::{data_type, expression};
use crate::generator::sink::{commit, sink};
use crate::generator::{external, here, maybe, name, spanned, text, whole};

fn alter_emitter() -> BoxedStrategy<AlterEmitter> {
    prop_oneof![
        source().prop_map(AlterEmitter::AddFrom),
        name().prop_map(AlterEmitter::DropFrom),
        (name(), expression()).prop_map(|(relay, filter)| AlterEmitter::SetWhere { relay, filter }),
        name().prop_map(AlterEmitter::DropWhere),
        sink().prop_map(|sink| AlterEmitter::SetTo(Box::new(sink))),
        mode().prop_map(AlterEmitter::SetMode),
        name().prop_map(AlterEmitter::SetClient),
        name().prop_map(AlterEmitter::SetEncode),
        Just(AlterEmitter::DropEncode(here())),
        collect().prop_map(AlterEmitter::SetCollect),
        Just(AlterEmitter::DropCollect(here())),
        attachment().prop_map(|attachment| AlterEmitter::SetAttachment(spanned(attachment))),
        batch().prop_map(AlterEmitter::SetBatch),
        Just(AlterEmitter::DropBatch(here())),
        flush().prop_map(AlterEmitter::SetFlush),
        commit().prop_map(AlterEmitter::SetCommit),
    ]
    .boxed()
}

fn alter_schema() -> BoxedStrategy<AlterSchema> {
    let modifier = prop_oneof![Just(Modifier::Optional), Just(Modifier::Sensitive)];
    prop_oneof![
        field().prop_map(AlterSchema::Add),
        name().prop_map(AlterSchema::Drop),
        (name(), name()).prop_map(|(field, to)| AlterSchema::Rename { field, to }),
        (name(), data_type()).prop_map(|(field, data_type)| AlterSchema::SetType { field, data_type }),
        (name(), modifier, any::<bool>()).prop_map(|(field, modifier, present)| AlterSchema::Modify {
            field,
            modifier,
            present
        }),
    ]
    .boxed()
}

fn alter_wire() -> BoxedStrategy<AlterWireSchema> {
    prop_oneof![
        wire_field().prop_map(AlterWireSchema::Add),
        name().prop_map(AlterWireSchema::Drop),
        (name(), name()).prop_map(|(field, to)| AlterWireSchema::Rename { field, to }),
        (name(), wire_type()).prop_map(|(field, wire_type)| AlterWireSchema::SetType { field, wire_type }),
        (name(), any::<bool>()).prop_map(|(field, present)| AlterWireSchema::SetOptional { field, present }),
        wire_mode().prop_map(|mode| AlterWireSchema::Mode(spanned(mode))),
    ]
    .boxed()
}

fn alter() -> BoxedStrategy<Alter> {
    let capacity = whole().prop_map(|capacity| AlterRelay::SetCapacity {
        capacity,
        span: here(),
    });
    let client = prop_oneof![
        config().prop_map(AlterClient::SetConfig),
        mount().prop_map(AlterClient::SetMount)
    ];
    let operations = prop_oneof![
        4 => vec(alter_emitter(), 1..4).prop_map(AlterOperations::Emitter),
        1 => vec(capacity, 1..2).prop_map(AlterOperations::Relay),
        1 => vec(alter_schema(), 1..4).prop_map(AlterOperations::Schema),
        1 => (select(WireFormat::ALL.to_vec()), vec(alter_wire(), 1..4))
            .prop_map(|(format, operations)| AlterOperations::WireSchema(format, operations)),
        1 => vec(client, 1..3).prop_map(AlterOperations::Client),
    ];
    (name(), operations)
        .prop_map(|(name, operations)| Alter { name, operations })
        .boxed()
}

fn reference() -> BoxedStrategy<EntityRef> {
    (select(Kind::ALL.to_vec()), name())
        .prop_map(|(kind, name)| EntityRef { kind, name })
        .boxed()
}

fn start() -> BoxedStrategy<Start> {
    let instant = prop_oneof![Just(StartAt::Now(here())), text().prop_map(StartAt::Instant)];
    let rate = "[0-9]{1,3}(\\.[0-9])?".prop_map(|text| spanned(Number { text }));
    maybe((instant, maybe(rate)))
        .prop_map(|at| {
            let (at, rate) = at.map_or((None, None), |(at, rate)| (Some(at), rate));
            Start {
                at,
                rate,
                span: here(),
            }
        })
        .boxed()
}

fn small() -> BoxedStrategy<Statement> {
    let described = reference().prop_map(|target| match target.kind {
        Kind::Domain => Describe::Domain(Some(target.name)),
        _ => Describe::Entity(target),
    });
    let shown = prop_oneof![
        reference().prop_map(Show::Create),
        select(Kind::ALL.to_vec()).prop_map(Show::List),
        Just(Show::ClusterStatus)
    ];
    let node = (select(NodeAction::ALL.to_vec()), external())
        .prop_map(|(action, node)| NodeStatement { action, node });
    prop_oneof![
        reference().prop_map(Statement::Drop),
        shown.prop_map(Statement::Show),
        prop_oneof![described, Just(Describe::Domain(None))].prop_map(Statement::Describe),
        name().prop_map(Statement::Use),
        start().prop_map(Statement::Start),
        select(vec![
            Statement::Stop,
            Statement::Begin,
            Statement::Commit,
            Statement::Revert
        ]),
        (name(), text()).prop_map(|(name, folder)| Statement::Upload(UploadResource { name, folder })),
        node.prop_map(Statement::Node),
    ]
    .boxed()
}

pub(crate) fn statement() -> BoxedStrategy<Statement> {
    let create = (any::<bool>(), entity()).prop_map(|(if_not_exists, entity)| Create {
        if_not_exists,
        entity,
    });
    prop_oneof![6 => create.prop_map(Statement::Create), 3 => alter().prop_map(Statement::Alter), 2 => small()].boxed()
}
