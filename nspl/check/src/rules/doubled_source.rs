//! A relay is listed once in FROM.

use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1203",
    title: "FROM lists each relay once",
    fails: "CREATE EMITTER e FROM events, events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events, latest_events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// `before` is where the relay is listed first.
pub(crate) fn fault(relay: &Name, before: Span) -> Diagnostic {
    RULE.fault(relay.span, format!("FROM lists RELAY {} twice", relay.text))
        .label(before.range(), "first listed here")
        .help("join the conditions of both with OR in one WHERE")
}
