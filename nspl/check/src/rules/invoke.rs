//! Header writes stand where the sink has headers (rulings section 3).

use nspl_model::{Capabilities, HeaderRule, SinkKind};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1212",
    title: "INVOKE stands only in emitters whose sink has headers",
    fails: emitter_example!("INHERIT id INVOKE write_header('a', 'b')"),
    passes: emitter_example!("INHERIT id"),
};

/// The sink has no headers.
pub(crate) fn fault(place: Span, sink: &Capabilities) -> Diagnostic {
    let having = SinkKind::ALL
        .into_iter()
        .filter(|kind| kind.capabilities().headers != HeaderRule::Refused);
    let having: Vec<&str> = having.map(SinkKind::name).collect();
    RULE.fault(
        place,
        format!("{} emitter has no headers to write", with_article(sink.kind)),
    )
    .help(format!(
        "leave INVOKE out; headers are those of {} emitters",
        having.join(", ")
    ))
}

/// An ingestor writes into relays.
pub(crate) fn in_ingestor(place: Span) -> Diagnostic {
    RULE.fault(place, "an ingestor has no headers to write")
        .help("leave INVOKE out")
}
