//! What encodes says with what (emitters.txt "Codec Behavior On Emission").

use nspl_model::{Body, Capabilities};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1241",
    title: "ENCODE USING stands in every sink that publishes what a codec writes",
    fails: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ",
        "INHERIT id"
    ),
    passes: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// So is it with a METHOD of requests that have none.
pub(crate) fn of_bodiless(place: Span) -> Diagnostic {
    RULE.fault(place, "an HTTP emitter has to say what its body is")
        .help("write WITHOUT BODY behind MODE: a GET or HEAD request has no body")
}

/// The clause is left out.
pub(crate) fn fault(place: Span, sink: &Capabilities) -> Diagnostic {
    match sink.body {
        Body::CodecOrNone => RULE
            .fault(place, format!("{} emitter has to say what its body is", with_article(sink.kind)))
            .help(format!(
                "write ENCODE USING <codec> or WITHOUT BODY behind MODE; in ALTER EMITTER, SET TO {} ... with its body",
                sink.kind
            )),
        _ => RULE
            .fault(place, format!("{} emitter publishes what a codec writes, and names none", with_article(sink.kind)))
            .help("write ENCODE USING <codec> behind MODE"),
    }
}
