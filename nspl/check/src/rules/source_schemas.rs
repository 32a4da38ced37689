//! Every source declares the same schema (emitters.txt "Branch Semantics").

use nspl_model::RelayDef;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1204",
    title: "All relays of FROM declare the same schema",
    fails: "CREATE EMITTER e FROM events, failures TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events, latest_events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// Two sources of different schemas.
pub(crate) fn fault(place: Span, first: &RelayDef, other: &RelayDef) -> Diagnostic {
    let message = format!(
        "RELAY {} declares SCHEMA {}, but RELAY {} before it SCHEMA {}",
        other.name, other.schema.name, first.name, first.schema.name
    );
    RULE.fault(place, message)
        .help("write one emitter for each schema")
}
