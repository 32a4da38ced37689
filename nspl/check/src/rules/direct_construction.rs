//! Direct emitters construct by VALUES alone (emitters.txt "Direct-emitter values", rulings section 3).

use nspl_model::Capabilities;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1260",
    title: "INHERIT, SET and a WHERE behind MODE stand in transforming emitters only",
    fails: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'id' = id}",
        "INHERIT note BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
    passes: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'id' = id, 'note' = note}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
};

/// The clause constructs.
pub(crate) fn fault(place: Span, sink: &Capabilities, clause: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("{} emitter does not take {clause}", with_article(sink.kind)),
    )
    .help("map what is published in VALUES {'column' = expression, ...}")
}

/// The route's WHERE is part of the sink.
pub(crate) fn filter(place: Span, sink: &Capabilities) -> Diagnostic {
    RULE.fault(
        place,
        format!("WHERE of {} emitter stands elsewhere", with_article(sink.kind)),
    )
    .help("write it right behind the map of VALUES")
}
