//! The CLIENT of a clause is of the kind that the clause connects by.

use nspl_model::{ClientDef, ClientKind};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1240",
    title: "The CLIENT of a sink or source is of its kind",
    fails: sink_example!(
        "KAFKA redis TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "KAFKA kafka TOPIC t MODE NO_ACK RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// The CLIENT is of another kind.
pub(crate) fn fault(place: Span, client: &ClientDef, kind: ClientKind) -> Diagnostic {
    let message = format!(
        "CLIENT {} is of TYPE {}, and {kind} is needed here",
        client.name, client.kind
    );
    RULE.fault(place, message)
        .help(format!("name a CLIENT of TYPE {kind}"))
}
