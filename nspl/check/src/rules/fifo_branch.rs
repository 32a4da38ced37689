//! FROM BRANCH needs a branch (emitters.txt "SQS").

use nspl_model::RelayDef;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1251",
    title: "FIFO GROUP FROM BRANCH stands where every source is branched",
    fails: sink_example!(
        "SQS sqs QUEUE 'jobs.fifo' FIFO GROUP FROM BRANCH MODE BATCH RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: "CREATE EMITTER e FROM branched TO SQS sqs QUEUE 'jobs.fifo' FIFO GROUP FROM BRANCH MODE BATCH RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json INHERIT id FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
};

/// A source has no branches.
pub(crate) fn fault(place: Span, relay: &RelayDef) -> Diagnostic {
    RULE.fault(
        place,
        format!("RELAY {} is UNBRANCHED and gives no branch key", relay.name),
    )
    .help("write FIFO GROUP <expression> over the input")
}
