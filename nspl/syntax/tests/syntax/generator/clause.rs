//! The clauses that several statements share.

use nspl_syntax::construction::{Construction, Inherit, InheritKind, InheritedField};
use nspl_syntax::emitter::batch::Batch;
use nspl_syntax::emitter::collect::Collect;
use nspl_syntax::emitter::dependency::{Dependency, DependencyPolicy};
use nspl_syntax::emitter::mode::{Confirmation, Mode, Retry, Window};
use nspl_syntax::emitter::source::Source;
use nspl_syntax::error_policy::{GeneralPolicy, GeneralPolicyKind, MessagePolicy, MessagePolicyKind};
use nspl_syntax::flush::{Flush, FlushKind};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};

use crate::generator::expression::{assignments, expression, invocation, map};
use crate::generator::{duration, here, maybe, name, size, whole};

pub(crate) fn flush() -> BoxedStrategy<Flush> {
    let each = (duration(), size()).prop_map(|(every, max_batch_size)| FlushKind::Each {
        every,
        max_batch_size,
    });
    prop_oneof![each, Just(FlushKind::Immediate)]
        .prop_map(|kind| Flush { kind, span: here() })
        .boxed()
}

pub(crate) fn construction() -> BoxedStrategy<Construction> {
    let all = vec(name(), 0..3).prop_map(|except| InheritKind::All { except });
    let field =
        (name(), any::<bool>()).prop_map(|(name, leak_sensitive)| InheritedField { name, leak_sensitive });
    let inherit = prop_oneof![all, vec(field, 1..3).prop_map(InheritKind::Fields)];
    let inherit = inherit.prop_map(|kind| Inherit { kind, span: here() });
    (
        maybe(inherit),
        maybe(assignments()),
        maybe(expression()),
        vec(invocation(), 0..2),
    )
        .prop_map(|(inherit, set, filter, invoke)| Construction {
            inherit,
            set: set.unwrap_or_default(),
            filter,
            invoke,
            span: here(),
        })
        .boxed()
}

pub(crate) fn message_policy() -> BoxedStrategy<MessagePolicy> {
    let send = (name(), maybe(assignments())).prop_map(|(relay, set)| MessagePolicyKind::SendTo {
        relay,
        set: set.unwrap_or_default(),
    });
    prop_oneof![
        Just(MessagePolicyKind::Ignore),
        Just(MessagePolicyKind::Log),
        send
    ]
    .prop_map(|kind| MessagePolicy { kind, span: here() })
    .boxed()
}

pub(crate) fn general_policy() -> BoxedStrategy<GeneralPolicy> {
    prop_oneof![Just(GeneralPolicyKind::Ignore), Just(GeneralPolicyKind::Log)]
        .prop_map(|kind| GeneralPolicy { kind, span: here() })
        .boxed()
}

pub(crate) fn source() -> BoxedStrategy<Source> {
    (name(), maybe(expression()))
        .prop_map(|(relay, filter)| Source {
            relay,
            filter,
            span: here(),
        })
        .boxed()
}

pub(crate) fn collect() -> BoxedStrategy<Collect> {
    (duration(), maybe(size()))
        .prop_map(|(each, max_batch_size)| Collect {
            each,
            max_batch_size,
            span: here(),
        })
        .boxed()
}

pub(crate) fn dependency() -> BoxedStrategy<Dependency> {
    let policy = prop_oneof![
        Just(DependencyPolicy::RequiredWait),
        Just(DependencyPolicy::RequiredSkip),
        map().prop_map(DependencyPolicy::Default)
    ];
    (name(), policy)
        .prop_map(|(relay, policy)| Dependency {
            relay,
            policy,
            span: here(),
        })
        .boxed()
}

pub(crate) fn window() -> BoxedStrategy<Window> {
    prop_oneof![
        Just(Window::Sequential),
        whole().prop_map(|max| Window::Parallel { max })
    ]
    .boxed()
}

pub(crate) fn mode() -> BoxedStrategy<Mode> {
    let confirmation = prop_oneof![
        Just(Confirmation::NoAck),
        maybe(window()).prop_map(Confirmation::Ack),
        (whole(), maybe(window())).prop_map(|(level, window)| Confirmation::Qos { level, window }),
        window().prop_map(Confirmation::JetStream),
        Just(Confirmation::Single),
        Just(Confirmation::Batch),
    ];
    let retry = (duration(), duration()).prop_map(|(backoff, max)| Retry {
        backoff,
        max,
        span: here(),
    });
    (confirmation, maybe(duration()), retry)
        .prop_map(|(confirmation, ack_timeout, retry)| Mode {
            confirmation,
            ack_timeout,
            retry,
            span: here(),
        })
        .boxed()
}

pub(crate) fn batch() -> BoxedStrategy<Batch> {
    (whole(), size())
        .prop_map(|(max_messages, max_size)| Batch {
            max_messages,
            max_size,
            span: here(),
        })
        .boxed()
}
