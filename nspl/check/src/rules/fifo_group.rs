//! FIFO GROUP belongs to FIFO queues (emitters.txt "SQS").

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, sink_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1250",
    title: "FIFO GROUP stands exactly where the name of the queue ends in .fifo",
    fails: sink_example!(
        "SQS sqs QUEUE 'jobs.fifo' MODE BATCH RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
    passes: sink_example!(
        "SQS sqs QUEUE 'jobs.fifo' FIFO GROUP label MODE BATCH RETRY POLICY BACKOFF 250ms MAX 30s ENCODE USING shipment_json",
        "INHERIT id"
    ),
};

/// A FIFO queue without a group.
pub(crate) fn missing(queue: Span) -> Diagnostic {
    RULE.fault(queue, "a queue whose name ends in .fifo needs a message group")
        .help("write FIFO GROUP FROM BRANCH or FIFO GROUP <expression> behind the queue")
}

/// A group without a FIFO queue.
pub(crate) fn barred(group: Span, queue: Span) -> Diagnostic {
    RULE.fault(group, "only a queue whose name ends in .fifo has message groups")
        .label(queue.range(), "this name does not end in .fifo")
        .help("leave FIFO GROUP out, or name the FIFO queue")
}
