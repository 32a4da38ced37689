//! Dependencies and error relays are of the branch of every source (emitters.txt "Branch Semantics").

use nspl_model::RelayDef;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1205",
    title: "A dependency or error relay has the same branch as every source",
    fails: "CREATE EMITTER e FROM branched TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR SEND TO failures SET reason = error.message ON GENERAL ERROR LOG;",
    passes: "CREATE EMITTER e FROM events TO CLIENT SCHEMA shipment MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 250ms MAX 30s INHERIT id BATCH MAX MESSAGES 1 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR SEND TO failures SET reason = error.message ON GENERAL ERROR LOG;",
};

/// `relay` and `source` are of different branches.
pub(crate) fn fault(place: Span, relay: &RelayDef, source: &RelayDef) -> Diagnostic {
    let message = format!(
        "RELAY {} is {}, but the source RELAY {} is {}",
        relay.name,
        branching(relay),
        source.name,
        branching(source)
    );
    RULE.fault(place, message)
        .help(format!("use a relay that is {}", branching(source)))
}

/// An ingestor's records have no branch when they fail.
pub(crate) fn of_ingestor(place: Span, relay: &RelayDef) -> Diagnostic {
    let message = format!(
        "RELAY {} is {}, but what fails in an ingestor has no branch",
        relay.name,
        branching(relay)
    );
    RULE.fault(place, message).help("use a relay that is UNBRANCHED")
}

fn branching(relay: &RelayDef) -> String {
    relay.branch.as_ref().map_or("UNBRANCHED".into(), |branch| {
        format!("BRANCHED BY {}", branch.name)
    })
}
