//! Keys that OTLP cannot do without (emitters.txt "OTEL").

use nspl_model::{OtelKey, OtelNeed};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1266",
    title: "VALUES of an OTEL emitter has every required key of its signal",
    fails: direct_example!("OTEL otel LOGS VALUES {'time' = at}", ""),
    passes: direct_example!("OTEL otel LOGS VALUES {'time' = at, 'body' = id}", ""),
};

/// Keys are left out.
pub(crate) fn fault(place: Span, signal: &str, missing: &[&OtelKey]) -> Diagnostic {
    let names: Vec<String> = missing.iter().map(|key| format!("'{}'", key.name)).collect();
    let fault = RULE.fault(place, format!("VALUES of {signal} lacks {}", names.join(", ")));
    let types: Vec<String> = missing
        .iter()
        .map(|key| format!("'{}' takes {}", key.name, key.takes.words()))
        .collect();
    let delta = missing.iter().any(|key| key.need == OtelNeed::OfDelta);
    let why = if delta {
        "; every point of a DELTA stream has a start_time"
    } else {
        ""
    };
    fault.help(format!("{}{why}", types.join("; ")))
}
