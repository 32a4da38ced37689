//! A topic, queue, channel, subject, table, collection or metric is one that the outside system can have.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1246",
    title: "TOPIC, CONSUMER GROUP, QUEUE, CHANNEL, SUBJECT, TABLE, COLLECTION and METRIC name what the outside system can have",
    fails: sink_example!(
        "MQTT mqtt TOPIC 'a/#' MODE QOS 0 RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "MQTT mqtt TOPIC 'a/b' MODE QOS 0 RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// The outside system can have none of this name.
pub(crate) fn fault(place: Span, clause: &str, why: &str) -> Diagnostic {
    RULE.fault(place, format!("{clause} cannot be this: {why}"))
}
