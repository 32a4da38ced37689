//! The VALUES sets of OTEL are closed (emitters.txt "OTEL").

use nspl_model::OtelKey;
use nspl_syntax::Text;

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1265",
    title: "The keys of VALUES of an OTEL emitter are those of its signal",
    fails: direct_example!(
        "OTEL otel LOGS VALUES {'time' = at, 'body' = id, 'severity' = label}",
        ""
    ),
    passes: direct_example!(
        "OTEL otel LOGS VALUES {'time' = at, 'body' = id, 'severity_text' = label}",
        ""
    ),
};

/// The signal has no such key.
pub(crate) fn fault(key: &Text, signal: &str, keys: &[OtelKey]) -> Diagnostic {
    let fault = RULE.fault(key.span, format!("VALUES of {signal} has no '{}'", key.value));
    let names = || keys.iter().map(|key| key.name);
    match nearest(&key.value, names()) {
        Some(near) => fault.help(format!("there is '{near}'")),
        None => fault.help(format!(
            "one of {}; anything else is an entry of ATTRIBUTES",
            names().collect::<Vec<_>>().join(", ")
        )),
    }
}
