//! Error relays lead away from their sources (rulings section 3).

use std::ops::Range;

use nspl_model::EntityKey;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1206",
    title: "The graph of sources to error relays has no ring",
    fails: "CREATE EMITTER e FROM failures TO CLIENT SCHEMA failure MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT ALL BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR SEND TO failures SET reason = error.message ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR SEND TO failures SET reason = error.message ON GENERAL ERROR LOG;",
};

/// `relays[n]` leads by `emitters[n]` to the next, and the last to the first.
pub(crate) fn fault(place: Range<usize>, relays: &[String], emitters: &[EntityKey]) -> Diagnostic {
    let mut ring = String::new();
    for (relay, emitter) in relays.iter().zip(emitters) {
        ring.push_str(&format!("{relay} -> ({}) -> ", emitter.name));
    }
    ring.push_str(relays.first().map(String::as_str).unwrap_or_default());
    RULE.fault(
        place,
        format!("records that fail come back to where they failed: {ring}"),
    )
    .help("send the errors to a relay that leads to none of these, or write LOG")
}
