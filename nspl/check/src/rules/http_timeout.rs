//! The client of an HTTP emitter bounds each attempt (rulings section 7).

use std::ops::Range;

use nspl_model::ClientDef;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1255",
    title: "The CLIENT of an HTTP emitter has a timeout_ms of at most 365 days",
    fails: sink_example!(
        "HTTP untimed METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "HTTP http METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// The client has no timeout, or one that is `written` and cannot be scheduled; `defined` is where the script says so.
pub(crate) fn fault(
    place: Span,
    client: &ClientDef,
    written: bool,
    defined: Option<Range<usize>>,
) -> Diagnostic {
    let what = match written {
        true => "a timeout_ms above 365 days",
        false => "no timeout_ms",
    };
    let fault = RULE
        .fault(
            place,
            format!(
                "CLIENT {} has {what}, and nothing else bounds a request",
                client.name
            ),
        )
        .help("give the client 'timeout_ms' = <milliseconds>");
    match defined {
        Some(defined) => fault.label(defined, format!("CLIENT {} is defined here", client.name)),
        None => fault,
    }
}
