//! DEFAULT binds constants (companion section 2).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1319",
    title: "The values of DEFAULT are constants",
    fails: "CREATE EMITTER e FROM events USING MATERIALIZED STATE latest DEFAULT {'origin' = id} TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events USING MATERIALIZED STATE latest DEFAULT {'origin' = 'none'} TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The value depends on something.
pub(crate) fn fault(place: Span) -> Diagnostic {
    RULE.fault(place, "a constant is expected here")
        .help("a literal, such as 'none', 0 or '2026-01-01T00:00:00Z' AS DATETIME")
}
