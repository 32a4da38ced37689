//! The driver of payload sinks: windows, confirmations in any order, timeouts, retries, headers, rejections, drains.

use std::time::Duration;

use nervix_codec::Refused;
use nervix_emitter::EmitterState;
use nervix_sink::{Failure, FailureKind, Outcome, PayloadId, Rejection};
use nervix_sink_testkit::{Deed, Received};
use nspl_model::{BatchLimits, Confirmation, DataType, EmitterDef, HeaderWrite, ModeForm, Window};

use crate::model::{ACK_TIMEOUT, BACKOFF, failure_schema, input, mode, relay_def, send_to, thousand_by_id};
use crate::outside::{SLOW, UNWRITABLE, ids_of, to_kafka, with_codec};
use crate::stage::{Stage, branched_stage, stage};

pub(crate) fn parallel(window: u32) -> impl FnOnce(&mut EmitterDef) {
    move |def| {
        to_kafka(def);
        def.mode = mode(Window::Parallel(window));
    }
}

pub(crate) fn batched(max_messages: u32, max_bytes: u64) -> impl FnOnce(&mut EmitterDef) {
    move |def| {
        parallel(100)(def);
        def.batch = Some(BatchLimits {
            max_messages,
            max_bytes,
        });
    }
}

/// `MODE NO_ACK`.
pub(crate) fn accepted(def: &mut EmitterDef) {
    to_kafka(def);
    def.mode.form = ModeForm::NoAck;
    def.mode.confirmation = Confirmation::None;
}

pub(crate) fn unavailable() -> Failure {
    Failure::new(FailureKind::Unavailable, "the broker is away")
}

/// The ids of each attempt, in order.
pub(crate) fn sent(stage: &Stage) -> Vec<Vec<i64>> {
    stage
        .broker
        .received()
        .iter()
        .map(|received| ids_of(&received.bytes))
        .collect()
}

fn id_of(stage: &Stage, id: i64) -> PayloadId {
    let received = stage.broker.received();
    let found = received
        .iter()
        .rfind(|received| ids_of(&received.bytes).contains(&id));
    found.expect("it was sent").id
}

/// Everything is held back until the test answers.
pub(crate) fn hold(stage: &Stage) {
    stage.broker.on_receipt(|_| Deed::Hold);
}

#[tokio::test]
async fn each_record_is_a_payload_and_confirmed_is_acknowledged() {
    let stage = stage(parallel(10));
    let written = stage.write(&[1, 2, 3]).await;
    assert!(
        written.verdict().is_none(),
        "nothing is acknowledged before it is confirmed"
    );
    stage.flow().await;
    assert_eq!(sent(&stage), [[1], [2], [3]]);
    assert_eq!(written.verdict().expect("a verdict").done, 3);
    let status = stage.handle.status();
    assert_eq!(
        (status.counters.sent.messages, status.counters.sent.batches),
        (3, 3)
    );
    assert_eq!((status.pending.messages, status.pending.retained_batches), (0, 0));
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn sequential_sends_one_after_the_other_and_parallel_fills_its_window_in_any_order_of_answers() {
    let one = stage(parallel(1));
    hold(&one);
    one.write(&[1, 2]).await;
    one.flow().await;
    assert_eq!(sent(&one), [[1]]);
    assert!(one.broker.answer(id_of(&one, 1), Outcome::DELIVERED));
    one.clock.settle().await;
    assert_eq!(sent(&one), [[1], [2]]);

    let two = stage(parallel(2));
    hold(&two);
    let written = two.write(&[1, 2, 3, 4]).await;
    two.flow().await;
    assert_eq!(sent(&two), [[1], [2]], "a full window waits");
    assert!(two.broker.answer(id_of(&two, 2), Outcome::DELIVERED));
    two.clock.settle().await;
    assert_eq!(sent(&two), [[1], [2], [3]], "a later confirmation makes room");
    for id in [3, 4, 1] {
        assert!(two.broker.answer(id_of(&two, id), Outcome::DELIVERED), "{id}");
        two.clock.settle().await;
    }
    assert_eq!(written.verdict().expect("a verdict").done, 4);
}

#[tokio::test]
async fn a_flush_waits_until_the_one_before_it_has_completed() {
    let stage = stage(parallel(10));
    hold(&stage);
    stage.write(&[1]).await;
    stage.flow().await;
    stage.write(&[2]).await;
    stage.flow().await;
    assert_eq!(
        sent(&stage),
        [[1]],
        "the window has room, the flush is not complete"
    );
    stage.broker.answer(id_of(&stage, 1), Outcome::DELIVERED);
    stage.clock.settle().await;
    assert_eq!(sent(&stage), [[1], [2]]);
}

#[tokio::test]
async fn what_failed_is_sent_again_byte_for_byte_in_order_and_before_anything_newer() {
    let stage = stage(parallel(3));
    let mut down = true;
    stage.broker.on_receipt(move |received| match received.attempt {
        1 if received.sequence == 1 && std::mem::take(&mut down) => Deed::Take,
        1 if received.sequence < 3 => Deed::TakeInSilence(unavailable()),
        _ => Deed::Take,
    });
    let written = stage.write(&[1, 2, 3, 4]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [[1], [2], [3]]);
    let status = stage.handle.status();
    assert_eq!(status.state, EmitterState::Unavailable);
    let transient = status.transient_error.expect("a transient error");
    assert_eq!(
        (transient.message.as_str(), transient.backoff),
        ("the broker is away", BACKOFF)
    );
    assert_eq!(status.pending.awaiting_retry, 2);
    stage.clock.advance(BACKOFF - Duration::from_millis(1)).await;
    assert_eq!(sent(&stage).len(), 3, "the backoff is not over");
    stage.clock.advance(Duration::from_millis(1)).await;
    assert_eq!(sent(&stage), [[1], [2], [3], [1], [3], [4]]);
    let received = stage.broker.received();
    assert_eq!(
        (received[0].id, &received[0].bytes),
        (received[3].id, &received[3].bytes)
    );
    assert_eq!(written.verdict().expect("a verdict").done, 4);
    let status = stage.handle.status();
    assert_eq!((status.counters.retries, status.transient_error), (2, None));
    assert_eq!(status.state, EmitterState::Running);
}

#[tokio::test]
async fn the_backoff_doubles_to_its_max_is_extended_by_what_is_asked_and_starts_anew_with_each_flush() {
    let stage = stage(parallel(100));
    stage.broker.on_receipt(|received| match received.attempt {
        2 => Deed::Fail(Failure {
            retry_after: Some(Duration::from_secs(7)),
            ..unavailable()
        }),
        1..=4 => Deed::Fail(unavailable()),
        _ => Deed::Take,
    });
    for first in [0, 100] {
        stage.write(&(first..first + 50).collect::<Vec<_>>()).await;
        stage.flow().await;
        for wait in [250, 7_000, 1_000, 1_000] {
            let before = sent(&stage).len();
            let wait = Duration::from_millis(wait);
            let transient = stage.handle.status().transient_error.expect("trouble");
            assert_eq!(
                transient.backoff, wait,
                "one failed attempt of fifty payloads counts once"
            );
            stage.clock.advance(wait - Duration::from_nanos(1)).await;
            assert_eq!(sent(&stage).len(), before);
            stage.clock.advance(Duration::from_nanos(1)).await;
            assert_eq!(sent(&stage).len(), before + 50);
        }
        assert_eq!(stage.handle.status().transient_error, None);
    }
}

#[tokio::test]
async fn ack_timeout_is_ambiguous_and_a_late_answer_still_counts() {
    let stage = stage(parallel(10));
    hold(&stage);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    stage.clock.advance(ACK_TIMEOUT).await;
    let transient = stage.handle.status().transient_error.expect("trouble");
    assert_eq!(transient.kind, FailureKind::TimedOut);
    assert_eq!(
        transient.message.as_str(),
        "no confirmation came within ACK TIMEOUT 30s"
    );
    let late = id_of(&stage, 1);
    assert!(
        stage.broker.answer(late, Outcome::DELIVERED),
        "somebody still listens"
    );
    stage.clock.advance(BACKOFF).await;
    assert_eq!(
        sent(&stage),
        [[1], [2], [2]],
        "what was confirmed late is not sent again"
    );
    stage.broker.answer(id_of(&stage, 2), Outcome::DELIVERED);
    stage.clock.settle().await;
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}

#[tokio::test]
async fn the_retry_waits_for_what_is_out_so_that_order_is_kept() {
    let stage = stage(parallel(3));
    stage
        .broker
        .on_receipt(|received| match (received.sequence, received.attempt) {
            (1, 1) => Deed::Fail(unavailable()),
            (0 | 2, 1) => Deed::Hold,
            _ => Deed::Take,
        });
    stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    stage.clock.advance(BACKOFF * 4).await;
    assert_eq!(sent(&stage).len(), 3, "two are not answered");
    stage
        .broker
        .answer(id_of(&stage, 1), Outcome::Unresolved(unavailable()));
    stage
        .broker
        .answer(id_of(&stage, 3), Outcome::Unresolved(unavailable()));
    stage.clock.settle().await;
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), [[1], [2], [3], [1], [2], [3]]);
}

#[tokio::test]
async fn a_rejection_concerns_its_payload_alone_with_one_reference() {
    let failures = relay_def("failures", failure_schema(), None, 64);
    let stage = stage(|def| {
        batched(2, 1_000)(def);
        def.on_message_error = send_to(failures.clone(), input("id", 0, DataType::I64));
    });
    stage
        .broker
        .on_receipt(|received| match ids_of(&received.bytes).contains(&3) {
            true => Deed::Refuse(Rejection::new("message of 9 bytes exceeds the limit of 8 bytes")),
            false => Deed::Take,
        });
    let mut watch = stage.failures_consumer();
    stage.write(&[1, 2, 3, 4, 5]).await;
    stage.flow().await;
    stage.flow().await;
    let batch = watch.try_recv().expect("error records");
    let column = |index: usize| {
        let array = arrow::array::AsArray::as_string::<i32>(batch.records.column(index).as_ref());
        array
            .iter()
            .map(|text| text.unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(batch.records.num_rows(), 2);
    assert_eq!(column(0)[0], column(0)[1], "one reference");
    assert_eq!(
        (column(1)[0].as_str(), column(2)[0].as_str()),
        ("external", "publish")
    );
    assert_eq!(column(3)[0], "message of 9 bytes exceeds the limit of 8 bytes");
    assert_eq!(sent(&stage), [vec![1, 2], vec![3, 4], vec![5]]);
    assert_eq!(stage.handle.status().counters.rejected_messages(), 2);
}

#[tokio::test]
async fn a_record_that_cannot_be_written_is_rejected_alone_and_its_neighbours_are_packed() {
    let stage = stage(batched(10, 8));
    let written = stage.write(&[1, UNWRITABLE, 2, UNWRITABLE, 123_456_789, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [vec![1, 2], vec![3]]);
    let status = stage.handle.status();
    let rejected: Vec<_> = status
        .counters
        .rejected
        .iter()
        .map(|rejected| {
            (
                rejected.code.as_str(),
                rejected.operation.as_str(),
                rejected.messages,
            )
        })
        .collect();
    assert_eq!(
        rejected,
        [("evaluation", "encode", 2), ("validation", "encode", 1)]
    );
    assert_eq!(
        written.verdict().expect("a verdict").done,
        6,
        "the policy has dealt with them"
    );
}

#[tokio::test]
async fn a_mode_without_confirmations_counts_when_the_client_was_flushed() {
    let stage = stage(accepted);
    stage.broker.fail_flushes(vec![unavailable()]);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert_eq!((stage.broker.flushes(), sent(&stage).len()), (1, 2));
    assert!(written.verdict().is_none(), "the flush failed");
    stage.clock.advance(BACKOFF).await;
    assert_eq!((stage.broker.flushes(), sent(&stage).len()), (2, 4));
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}

#[tokio::test]
async fn a_destination_that_is_absent_at_start_is_opened_by_the_retry_policy() {
    let mut stage = stage(parallel(10));
    stage.clock.settle().await;
    assert_eq!(
        stage.broker.opened(),
        1,
        "a run opens its sink before there is anything to send"
    );
    stage.broker.refuse_to_open(vec![unavailable(), unavailable()]);
    stage.handle.stop(nervix_sink::RevokeReason::Changed).await;
    stage.restart();
    let written = stage.write(&[1]).await;
    stage.flow().await;
    let status = stage.handle.status();
    assert_eq!(
        status.transient_error.expect("trouble").message.as_str(),
        "the broker is away"
    );
    assert!(sent(&stage).is_empty());
    stage.clock.advance(BACKOFF).await;
    assert_eq!(
        stage.handle.status().transient_error.expect("trouble").backoff,
        BACKOFF * 2
    );
    stage.clock.advance(BACKOFF * 2).await;
    assert_eq!(sent(&stage), [[1]]);
    assert_eq!(written.verdict().expect("a verdict").done, 1);
}

#[tokio::test]
async fn headers_and_branches_seal_payloads_and_travel_with_them() {
    let write = |name: &str, value: nspl_model::Expr| HeaderWrite {
        name: nspl_model::Expr {
            kind: nspl_model::ExprKind::Literal(nspl_model::Literal::String(name.to_owned())),
            ..input("name", 1, DataType::String)
        },
        value,
    };
    let stage = branched_stage(|def| {
        batched(10, 1_000)(def);
        def.headers = vec![
            write("n", input("name", 1, DataType::String)),
            write("n", input("name", 1, DataType::String)),
        ];
    });
    stage.write_to(0, &[1, 2], "a").await;
    stage.write_to(0, &[3], "a").await;
    stage.write_to(0, &[4], "b").await;
    stage.write_to(0, &[5], "a").await;
    stage.flow().await;
    assert_eq!(
        sent(&stage),
        [vec![1, 2, 3], vec![4], vec![5]],
        "arrival order, sealed by branch"
    );
    let described = |received: &Received| {
        let headers: Vec<String> = received
            .headers
            .iter()
            .map(|header| format!("{}={}", header.name, header.value))
            .collect();
        (received.key.as_deref().map(<[u8]>::to_vec), headers)
    };
    let received = stage.broker.received();
    assert_eq!(
        described(&received[0]),
        (Some(b"a".to_vec()), vec!["n=a".into(), "n=a".into()])
    );
    assert_eq!(
        described(&received[1]),
        (Some(b"b".to_vec()), vec!["n=b".into(), "n=b".into()])
    );
}

#[tokio::test]
async fn a_record_whose_headers_fail_is_published_in_no_part_and_different_headers_seal() {
    let stage = stage(|def| {
        batched(10, 1_000)(def);
        let thousandth = nspl_model::Expr {
            kind: nspl_model::ExprKind::Cast {
                operand: Box::new(thousand_by_id()),
                on_error: nspl_model::CastError::Fail,
            },
            ..input("name", 1, DataType::String)
        };
        def.headers = vec![HeaderWrite {
            name: input("name", 1, DataType::String),
            value: thousandth,
        }];
    });
    let written = stage.write(&[0, 1, 501, 600, 0, 700]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [vec![1], vec![501, 600, 700]]);
    let values: Vec<String> = stage
        .broker
        .received()
        .iter()
        .map(|received| received.headers[0].value.to_string())
        .collect();
    assert_eq!(values, ["1000", "1"]);
    let status = stage.handle.status();
    let rejected = &status.counters.rejected[0];
    assert_eq!(
        (
            rejected.code.as_str(),
            rejected.operation.as_str(),
            rejected.messages
        ),
        ("evaluation", "invoke", 2)
    );
    assert_eq!(written.verdict().expect("a verdict").done, 6);
    assert_eq!(stage.budget.used(), 0);
}

fn slow(def: &mut EmitterDef) {
    parallel(10)(def);
    with_codec(def, SLOW);
}

#[tokio::test]
async fn a_slow_codec_works_beside_the_task_which_reads_on() {
    let stage = stage(slow);
    stage.write(&[1, 2]).await;
    stage.flow().await;
    assert_eq!((stage.desk.waiting(), sent(&stage).len()), (1, 0));
    stage.write(&[3]).await;
    stage.flow().await;
    assert_eq!(
        stage.handle.status().counters.received.messages,
        3,
        "the task is not stalled"
    );
    assert_eq!(stage.desk.waiting(), 1, "one job at a time");
    stage.desk.end(Ok(()));
    stage.clock.settle().await;
    assert_eq!(sent(&stage), [[1], [2]]);
    stage.desk.end(Ok(()));
    stage.clock.settle().await;
    assert_eq!(sent(&stage), [[1], [2], [3]]);
}

#[tokio::test]
async fn a_job_that_the_node_refuses_is_retried_as_a_failed_publish() {
    let stage = stage(slow);
    let written = stage.write(&[1]).await;
    stage.flow().await;
    let message = "every extension worker is busy".into();
    stage.desk.end(Err(Refused { message }));
    stage.clock.settle().await;
    let transient = stage.handle.status().transient_error.expect("trouble");
    assert_eq!(
        (transient.kind, transient.backoff),
        (FailureKind::NodeBusy, BACKOFF)
    );
    assert_eq!(stage.desk.waiting(), 0, "not before the backoff");
    stage.clock.advance(BACKOFF).await;
    stage.desk.end(Ok(()));
    stage.clock.settle().await;
    assert_eq!(written.verdict().expect("a verdict").done, 1);
    assert_eq!(stage.handle.status().transient_error, None);
}
