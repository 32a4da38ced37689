//! Without a body there is nothing to construct (emitters.txt "HTTP request configuration").

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1245",
    title: "WITHOUT BODY stands without INHERIT and SET",
    fails: sink_example!(
        "HTTP http METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s WITHOUT BODY",
        "INHERIT id"
    ),
    passes: sink_example!(
        "HTTP http METHOD 'POST' PATH '/a' MODE ACK RETRY POLICY BACKOFF 250ms MAX 30s WITHOUT BODY",
        "WHERE active"
    ),
};

/// The clause constructs.
pub(crate) fn fault(place: Span, clause: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("{clause} builds a record, and WITHOUT BODY publishes none"),
    )
    .help(format!(
        "leave {clause} out, or write ENCODE USING <codec> in place of WITHOUT BODY"
    ))
}
