//! What a direct emitter publishes is mapped (emitters.txt "Direct-emitter values").

use nspl_model::Capabilities;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1261",
    title: "A direct emitter has VALUES with one entry at least",
    fails: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
    passes: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'id' = id}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
};

/// The clause is left out.
pub(crate) fn fault(place: Span, sink: &Capabilities) -> Diagnostic {
    RULE.fault(
        place,
        format!("{} emitter has to map what it publishes", with_article(sink.kind)),
    )
    .help("write VALUES {'column' = expression, ...} before MODE")
}

/// There is no entry.
pub(crate) fn empty(place: Span) -> Diagnostic {
    RULE.fault(place, "VALUES maps nothing")
        .help("write VALUES {'column' = expression, ...}")
}
