//! Constant names and values of headers are such that the destination takes them (rulings section 7).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1248",
    title: "A constant name or value of a header is one that the destination takes",
    fails: sink_example!(
        "HTTP http METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id INVOKE write_header('Host', id)"
    ),
    passes: sink_example!(
        "HTTP http METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id INVOKE write_header('X-Host', id)"
    ),
};

/// The destination refuses the name.
pub(crate) fn name(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("no header can have this name: {why}"))
}

/// The destination refuses the value.
pub(crate) fn value(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("no header can have this value: {why}"))
}
