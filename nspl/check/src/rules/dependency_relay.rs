//! USING MATERIALIZED STATE names materialized relays, each once (companion section 2).

use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1213",
    title: "A dependency is a relay with materialized state, named once",
    fails: "CREATE EMITTER e FROM events USING MATERIALIZED STATE failures REQUIRED SKIP TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events USING MATERIALIZED STATE latest REQUIRED SKIP TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The relay keeps no state.
pub(crate) fn not_materialized(relay: &Name) -> Diagnostic {
    RULE.fault(
        relay.span,
        format!("RELAY {} keeps no materialized state", relay.text),
    )
    .help("create the relay WITH MATERIALIZED STATE LAST BY TIMESTAMP")
}

/// `before` is where it is named first.
pub(crate) fn doubled(relay: &Name, before: Span) -> Diagnostic {
    RULE.fault(
        relay.span,
        format!("the state of RELAY {} is asked for twice", relay.text),
    )
    .label(before.range(), "first here")
}
