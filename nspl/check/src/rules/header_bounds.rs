//! The headers of a record are bounded (emitters.txt "HTTP request configuration", "SQS").

use nspl_model::HeaderOverflow;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1249",
    title: "A record has at most 10 attributes on SQS; on HTTP 128 headers with 32 KiB of names and values",
    fails: sink_example!(
        "SQS sqs QUEUE jobs MODE SINGLE RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id INVOKE write_header('h0', id), write_header('h1', id), write_header('h2', id), write_header('h3', id), write_header('h4', id), write_header('h5', id), write_header('h6', id), write_header('h7', id), write_header('h8', id), write_header('h9', id), write_header('h10', id)"
    ),
    passes: sink_example!(
        "SQS sqs QUEUE jobs MODE SINGLE RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id INVOKE write_header('h0', id), write_header('h1', id), write_header('h2', id), write_header('h3', id), write_header('h4', id), write_header('h5', id), write_header('h6', id), write_header('h7', id), write_header('h8', id), write_header('h9', id)"
    ),
};

/// The write crosses a bound, whatever the record.
pub(crate) fn fault(place: Span, overflow: &HeaderOverflow) -> Diagnostic {
    RULE.fault(place, format!("this header is too much: {overflow}"))
        .help("write fewer or shorter headers")
}
