//! INVOKE writes headers (emitters.txt "Header invocations").

use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1247",
    title: "INVOKE calls write_header(name, value)",
    fails: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id INVOKE lower(id)"
    ),
    passes: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id INVOKE write_header('a', id)"
    ),
};

/// Another function.
pub(crate) fn other(function: &Name) -> Diagnostic {
    RULE.fault(
        function.span,
        format!("{} has no effect that INVOKE could use", function.text),
    )
    .help("write write_header(<name>, <value>)")
}

/// Not a name and a value.
pub(crate) fn arguments(place: Span, count: usize) -> Diagnostic {
    RULE.fault(
        place,
        format!("write_header takes a name and a value, and has {count} arguments here"),
    )
    .help("write write_header(<name>, <value>)")
}
