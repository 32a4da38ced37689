//! A constant METHOD is one that a request can have (emitters.txt "HTTP request configuration").

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1253",
    title: "A constant METHOD is a token of at most 64 bytes, not CONNECT or TRACE, and GET and HEAD stand WITHOUT BODY",
    fails: sink_example!(
        "HTTP http METHOD 'get' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "HTTP http METHOD 'get' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s WITHOUT BODY",
        "WHERE active"
    ),
};

/// No request has this method.
pub(crate) fn fault(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("METHOD cannot be this: {why}"))
}

/// GET and HEAD carry no body.
pub(crate) fn bodiless(place: Span) -> Diagnostic {
    RULE.fault(
        place,
        "a GET or HEAD request has no body, and ENCODE USING makes one",
    )
    .help("write WITHOUT BODY in place of ENCODE USING, or another method")
}
