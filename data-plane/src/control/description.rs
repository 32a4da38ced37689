//! What a worker says of an entity: the lines of DESCRIBE, and the numbers of an emitter as fields.

use nervix_emitter::EmitterStatus;
use nervix_proto::{v1, worker};
use nervix_sink::SessionStatus;
use prost::Message;

use crate::describe::Description;

/// The answer to `Describe`.
pub(crate) fn described(id: u64, description: Option<Description>) -> worker::v1::DescribeResult {
    let Some(Description { lines, emitter }) = description else {
        return worker::v1::DescribeResult {
            id,
            ..Default::default()
        };
    };
    let lines = lines.into_iter().map(|(key, value)| worker::v1::Line {
        key: key.to_owned(),
        value,
    });
    worker::v1::DescribeResult {
        id,
        found: true,
        lines: lines.collect(),
        emitter_status: emitter.map_or_else(Vec::new, |status| emitter_status(&status).encode_to_vec()),
    }
}

fn emitter_status(status: &EmitterStatus) -> v1::EmitterStatus {
    let EmitterStatus {
        pending,
        counters,
        rates,
        ..
    } = status;
    v1::EmitterStatus {
        received: counters.received.messages,
        sent: counters.sent.messages,
        rejected: counters.rejected_messages(),
        filtered: counters.filtered,
        skipped: counters.skipped,
        unresolved: counters.unresolved,
        pending: pending.messages,
        retries: counters.retries,
        sent_bytes: counters.sent.bytes,
        received_per_s: rates.received,
        sent_per_s: rates.sent,
        sent_bytes_per_s: rates.sent_bytes,
        retained_batches: pending.retained_batches,
        retained_bytes: pending.retained_bytes,
        consumers: status.session.as_ref().map(consumers),
    }
}

fn consumers(session: &SessionStatus) -> v1::ConsumersStatus {
    v1::ConsumersStatus {
        active: session.active_consumers,
        forwarded: session.forwarded_consumers,
        granted_credit: session.granted_credit,
        forwarded_credit: session.forwarded_credit,
        suspended: session.suspended_consumers,
        awaiting_application: session.assigned_batches,
        forwarded_batches: session.forwarded_batches,
        forwarded_bytes: session.forwarded_bytes,
        acks: session.acks,
        rejections: session.rejections,
        retries: session.retries_asked,
        timeouts: session.timeouts,
        lost: session.lost,
        stale: session.stale,
    }
}

#[cfg(test)]
mod tests;
