//! Some sinks take codecs of one form (rulings section 7).

use nspl_model::{Capabilities, CodecDef, CodecRule};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1243",
    title: "SENTRY takes codecs that write JSON, SYSLOG those FROM SYSLOG",
    fails: sink_example!(
        "SYSLOG syslog MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "SYSLOG syslog MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING frames",
        "SET facility = count, severity = count, message = id"
    ),
};

/// The sink takes no codec of this form.
pub(crate) fn fault(place: Span, sink: &Capabilities, codec: &CodecDef) -> Diagnostic {
    let (taken, remedy) = match sink.codecs {
        CodecRule::Any => ("every codec", "name another codec"),
        CodecRule::Json => (
            "codecs that write JSON alone",
            "name a CODEC ... FROM WIRE JSON SCHEMA or FROM JSON",
        ),
        CodecRule::Syslog => ("codecs of SYSLOG alone", "name a CODEC ... FROM SYSLOG"),
    };
    let message = format!(
        "{} emitter takes {taken}, and CODEC {} is none",
        with_article(sink.kind),
        codec.name
    );
    RULE.fault(place, message).help(remedy)
}
