//! A constant message group is one that SQS takes (rulings section 7).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1252",
    title: "A constant FIFO GROUP has from 1 to 128 ASCII letters, digits and punctuation",
    fails: sink_example!(
        "SQS sqs QUEUE 'jobs.fifo' FIFO GROUP 'a b' MODE BATCH RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "SQS sqs QUEUE 'jobs.fifo' FIFO GROUP 'a-b' MODE BATCH RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// SQS refuses the group.
pub(crate) fn fault(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("SQS refuses this message group: {why}"))
}
