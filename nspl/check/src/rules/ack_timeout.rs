//! ACK TIMEOUT stands where a confirmation is awaited (companion section 7).

use nspl_model::{Capabilities, ModeForm};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::article::with_article;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1208",
    title: "ACK TIMEOUT stands exactly where the mode needs one",
    fails: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The mode needs one.
pub(crate) fn missing(mode: Span, form: ModeForm) -> Diagnostic {
    RULE.fault(
        mode,
        format!(
            "MODE {} needs ACK TIMEOUT, which bounds the wait for a confirmation",
            form.words()
        ),
    )
    .help("write ACK TIMEOUT <duration> before RETRY POLICY")
}

/// The mode takes none.
pub(crate) fn barred(place: Span, sink: &Capabilities, form: ModeForm) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "MODE {} of {} emitter takes no ACK TIMEOUT",
            form.words(),
            with_article(sink.kind)
        ),
    )
    .help("leave it out; the client's own request timeout bounds the answer")
}
