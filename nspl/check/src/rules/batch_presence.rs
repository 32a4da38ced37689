//! BATCH stands where the sink needs it and nowhere else (rulings section 3).

use nspl_model::Capabilities;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1209",
    title: "BATCH is there when the sink requires it, and not when the sink refuses it",
    fails: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The sink requires the clause.
pub(crate) fn missing(place: Span, sink: &Capabilities) -> Diagnostic {
    RULE.fault(
        place,
        format!("{} emitter has to bound its batches", with_article(sink.kind)),
    )
    .help("write BATCH MAX MESSAGES n MAX SIZE b before FLUSH")
}

/// The sink takes none.
pub(crate) fn barred(place: Span, sink: &Capabilities) -> Diagnostic {
    RULE.fault(
        place,
        format!("{} emitter takes no BATCH clause", with_article(sink.kind)),
    )
    .help("leave the clause out")
}
