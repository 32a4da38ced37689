//! A batch needs a container that the codec can write (emitters.txt "Batching").

use nspl_model::{Capabilities, CodecDef};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1244",
    title: "BATCH stands only where the codec can write the members of a batch as one payload",
    fails: sink_example!(
        "SENTRY sentry MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id BATCH MAX MESSAGES 10 MAX SIZE 1MiB"
    ),
    passes: sink_example!(
        "SENTRY sentry MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_batches",
        "INHERIT id BATCH MAX MESSAGES 10 MAX SIZE 1MiB"
    ),
};

/// The sink publishes one value, and only a program can say where the members go.
pub(crate) fn no_program(place: Span, sink: &Capabilities, codec: &CodecDef) -> Diagnostic {
    let message = format!(
        "CODEC {} has no ON EMITTING BATCH, and {} emitter cannot batch without one",
        codec.name,
        with_article(sink.kind)
    );
    RULE.fault(place, message)
        .help("give the codec ON EMITTING BATCH '<jaq program>', which builds one value of the members, or leave BATCH out")
}

/// Protobuf has no self-delimiting sequence.
pub(crate) fn no_message(place: Span, codec: &CodecDef) -> Diagnostic {
    let message = format!(
        "CODEC {} has no BATCH MESSAGE, and protobuf has no other container",
        codec.name
    );
    RULE.fault(place, message)
        .help("give the codec BATCH MESSAGE '<package.Message>', or leave BATCH out")
}

/// Without a program the container is a sequence of members.
pub(crate) fn no_sequence(place: Span, codec: &CodecDef, batch: &str, member: &str) -> Diagnostic {
    let message = format!(
        "BATCH MESSAGE {batch} of CODEC {} is no sequence: it takes exactly one field, `repeated {member}`",
        codec.name
    );
    RULE.fault(place, message)
        .help("name a message of that form, or give the codec ON EMITTING BATCH '<jaq program>', which builds the value")
}
