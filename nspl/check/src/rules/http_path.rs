//! A constant PATH is one that a request can have (emitters.txt "HTTP request configuration").

use nspl_model::http::TargetFault;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1254",
    title: "A constant PATH begins with one /, is well formed, and stays on the origin of the client",
    fails: sink_example!(
        "HTTP http METHOD 'POST' PATH '//a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "HTTP http METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// No request has this target.
pub(crate) fn fault(place: Span, fault: TargetFault) -> Diagnostic {
    RULE.fault(place, format!("PATH cannot be this: {fault}"))
}
