//! Each counter has a number of its own, so that none can stand for another.

use nervix_sink::SessionStatus;
use nspl_model::record_error::{ErrorCode, Operation};

use crate::counters::{CounterSnapshot, FlowCount, RejectedCount};
use crate::status::{EmitterState, EmitterStatus, PendingStatus, RateStatus};

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
fn the_lines_tell_each_counter_under_its_name() {
    let status = status();
    assert_eq!(status.state_text(), "running");
    let told = status.lines();
    let lines: Vec<(&str, &str)> = told.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let consumers = "active 21 forwarded 22 granted credit 23 forwarded credit 24 suspended 25 retained batches 13 \
                     retained bytes 14 forwarded batches 27 forwarded bytes 28 awaiting application 26 retries 31 acks 29 \
                     rejections 30 timeouts 32 lost 33 stale 34";
    let metrics = "received 1 sent 2 rejected 3 filtered 4 skipped 5 unresolved 6 pending 7 retries 8 bytes 9 \
                   received/s 10.0 sent/s 11.0 bytes/s 12";
    let expected = [
        ("transient error", "none"),
        ("consumers", consumers),
        ("metrics", metrics),
    ];
    assert_eq!(lines, expected);
}
