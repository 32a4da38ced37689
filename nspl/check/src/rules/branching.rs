//! A route says how its relay is branched (companion section 8).

use nspl_model::RelayDef;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1217",
    title: "A route of an ingestor is branched as its relay is",
    fails: "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK TO events INHERIT ALL BRANCHED BY by_origin SET origin = id FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    passes: "CREATE INGESTOR i FROM CLIENT SCHEMA event MODE ACK TO events INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// The route and its relay differ.
pub(crate) fn fault(place: Span, relay: &RelayDef) -> Diagnostic {
    match &relay.branch {
        None => RULE
            .fault(place, format!("RELAY {} is UNBRANCHED", relay.name))
            .help("write UNBRANCHED"),
        Some(branch) => {
            let keys: Vec<String> = branch
                .schema
                .fields
                .iter()
                .map(|key| format!("{} = ...", key.name))
                .collect();
            RULE.fault(
                place,
                format!("RELAY {} is BRANCHED BY {}", relay.name, branch.name),
            )
            .help(format!(
                "write BRANCHED BY {} SET {}",
                branch.name,
                keys.join(", ")
            ))
        }
    }
}
