//! Each counter has a number of its own, so that none can stand for another.

use nervix_emitter::{
    CounterSnapshot, EmitterState, EmitterStatus, FlowCount, PendingStatus, RateStatus, RejectedCount,
};
use nervix_proto::v1;
use nervix_sink::SessionStatus;
use nspl_model::record_error::{ErrorCode, Operation};
use prost::Message;

use super::described;
use crate::describe::Description;

fn status() -> EmitterStatus {
    EmitterStatus {
        state: EmitterState::Running,
        draining: None,
        transient_error: None,
        pending: PendingStatus {
            messages: 7,
            retained_batches: 13,
            retained_bytes: 14,
            ..PendingStatus::default()
        },
        waiting: Vec::new(),
        session: Some(SessionStatus {
            active_consumers: 21,
            forwarded_consumers: 22,
            granted_credit: 23,
            forwarded_credit: 24,
            suspended_consumers: 25,
            assigned_batches: 26,
            forwarded_batches: 27,
            forwarded_bytes: 28,
            acks: 29,
            rejections: 30,
            retries_asked: 31,
            timeouts: 32,
            lost: 33,
            stale: 34,
            ..SessionStatus::default()
        }),
        counters: CounterSnapshot {
            received: flow(1),
            sent: FlowCount { bytes: 9, ..flow(2) },
            rejected: vec![RejectedCount {
                code: ErrorCode::External,
                operation: Operation::Publish,
                messages: 3,
            }],
            filtered: 4,
            skipped: 5,
            unresolved: 6,
            retries: 8,
            ..CounterSnapshot::default()
        },
        rates: RateStatus {
            received: 10.0,
            sent: 11.0,
            sent_bytes: 12.0,
        },
    }
}

/// So many messages; batches and bytes are others.
fn flow(messages: u64) -> FlowCount {
    FlowCount {
        messages,
        batches: 100 + messages,
        bytes: 200 + messages,
    }
}

#[test]
fn each_counter_goes_into_its_own_field() {
    let lines = vec![("state", "running".to_owned())];
    let emitter = Some(Box::new(status()));
    let answer = described(1, Some(Description { lines, emitter }));
    let told = v1::EmitterStatus::decode(answer.emitter_status.as_slice());
    let expected = v1::EmitterStatus {
        received: 1,
        sent: 2,
        rejected: 3,
        filtered: 4,
        skipped: 5,
        unresolved: 6,
        pending: 7,
        retries: 8,
        sent_bytes: 9,
        received_per_s: 10.0,
        sent_per_s: 11.0,
        sent_bytes_per_s: 12.0,
        retained_batches: 13,
        retained_bytes: 14,
        consumers: Some(v1::ConsumersStatus {
            active: 21,
            forwarded: 22,
            granted_credit: 23,
            forwarded_credit: 24,
            suspended: 25,
            awaiting_application: 26,
            forwarded_batches: 27,
            forwarded_bytes: 28,
            acks: 29,
            rejections: 30,
            retries: 31,
            timeouts: 32,
            lost: 33,
            stale: 34,
        }),
    };
    assert_eq!(told, Ok(expected));
}

#[test]
fn what_is_no_emitter_has_lines_only_and_what_is_not_executed_is_not_found() {
    let lines = vec![("state", "running".to_owned())];
    let ingestor = described(1, Some(lines.into()));
    assert!(ingestor.found && ingestor.emitter_status.is_empty());
    assert_eq!(ingestor.lines.len(), 1);
    assert!(!described(2, None).found);
}
