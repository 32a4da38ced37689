//! A codec of an emitter can write (rulings section 3 "Codecs").

use nspl_model::CodecDef;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1242",
    title: "The codec of an emitter has a way to emit",
    fails: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_in",
        "INHERIT id"
    ),
    passes: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// The codec only decodes.
pub(crate) fn fault(place: Span, codec: &CodecDef) -> Diagnostic {
    RULE.fault(
        place,
        format!("CODEC {} has no ON EMITTING and cannot emit", codec.name),
    )
    .help("give the codec ON EMITTING '<jaq program>'; '.' writes the record as it is")
}
