//! BACKOFF is at most MAX (rulings section 2).

use std::time::Duration;

use nspl_model::DurationText;
use nspl_syntax::emitter::mode::Retry;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1202",
    title: "BACKOFF of a retry policy is at most its MAX",
    fails: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 1m MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The first wait is longer than the longest.
pub(crate) fn fault(tree: &Retry, backoff: Duration, max: Duration) -> Diagnostic {
    let message = format!(
        "BACKOFF {} is longer than MAX {}",
        DurationText(backoff),
        DurationText(max)
    );
    RULE.fault(tree.backoff.span, message)
        .label(tree.max.span.range(), "the longest wait")
}
