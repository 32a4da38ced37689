//! ON MESSAGE ERROR SEND TO (companion section 6).

use std::time::Duration;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::Int64Type;
use nervix_ack::Fate;
use nervix_clock::DomainTime;
use nspl_model::{BatchLimits, DataType, Flush, Window};

use crate::model::{
    branch_def, dividing, failure_schema, input, mode, positive, positive_thousand, relay_def, send_to,
    thousand_by_id,
};
use crate::stage::{Stage, Written, ack, delivery, failures_def, ids, is_quiet, paced_stage, stage};

fn text(records: &RecordBatch, column: usize) -> Vec<String> {
    records
        .column(column)
        .as_string::<i32>()
        .iter()
        .map(|value| value.unwrap_or("").to_owned())
        .collect()
}

fn numbers(records: &RecordBatch, column: usize) -> Vec<i64> {
    records
        .column(column)
        .as_primitive::<Int64Type>()
        .values()
        .to_vec()
}

fn routed(capacity: u32, change: impl FnOnce(&mut nspl_model::EmitterDef)) -> Stage {
    stage(|def| {
        def.on_message_error = send_to(failures_def(capacity), input("id", 0, DataType::I64));
        change(def);
    })
}

#[tokio::test]
async fn an_expression_error_in_one_row_of_a_thousand_takes_that_row_alone() {
    let stage = routed(64, |def| def.construction = dividing());
    let mut failures = stage.failures_consumer();
    let consumer = stage.consumer(8);
    let rows: Vec<i64> = (0..1_000).map(|row| if row == 417 { 0 } else { 1_000 }).collect();
    let written = stage.write(&rows).await;
    stage.flow().await;
    let batch = delivery(&consumer).await;
    assert_eq!(batch.rows, 999);
    ack(&consumer, &batch).await;
    stage.clock.settle().await;
    assert!(
        written.verdict().is_none(),
        "the error record has taken over its row"
    );
    let failed = failures.try_recv().expect("an error record");
    assert_eq!(failed.records.num_rows(), 1);
    assert_eq!(text(&failed.records, 1), ["evaluation"]);
    assert_eq!(text(&failed.records, 2), ["construct"]);
    assert_eq!(text(&failed.records, 3), ["/: division by zero"]);
    assert_eq!(numbers(&failed.records, 4), [0], "input stays readable");
    assert_eq!(
        text(&failed.records, 5),
        ["x"],
        "what was built before the failure"
    );
    failed.share.settle(Fate::Done);
    assert_eq!(
        written.verdict().map(|verdict| (verdict.rows, verdict.done)),
        Some((1_000, 1_000))
    );
}

#[tokio::test]
async fn a_reject_sends_every_member_with_one_reference_and_the_applications_reason() {
    let stage = routed(64, |_| {});
    let mut failures = stage.failures_consumer();
    let consumer = stage.consumer(8);
    let first = stage.write(&[1, 2]).await;
    let second = stage.write(&[3]).await;
    stage.flow().await;
    let batch = delivery(&consumer).await;
    consumer
        .reject(std::slice::from_ref(&batch.reference), "bad-customer")
        .await
        .unwrap();
    stage.clock.settle().await;
    stage.flow().await;
    let failed = failures.try_recv().expect("error records");
    assert_eq!(numbers(&failed.records, 4), [1, 2, 3], "joined, in order");
    assert_eq!(text(&failed.records, 1), ["external"; 3]);
    assert_eq!(text(&failed.records, 2), ["publish"; 3]);
    assert_eq!(text(&failed.records, 3), ["bad-customer"; 3]);
    assert_eq!(
        text(&failed.records, 5),
        ["x"; 3],
        "the finished record is the partial output"
    );
    let references = text(&failed.records, 0);
    assert!(references.iter().all(|reference| *reference == references[0]));
    assert!(first.verdict().is_none() && second.verdict().is_none());
    failed.share.settle(Fate::Done);
    assert!(first.verdict().is_some() && second.verdict().is_some());
}

#[tokio::test]
async fn a_failing_where_and_a_row_too_large_have_their_own_operation_and_reference() {
    let stage = routed(64, |def| {
        def.sources[0].filter = Some(positive_thousand());
        def.batch = Some(BatchLimits {
            max_messages: 10,
            max_bytes: 2_000,
        });
    });
    let mut failures = stage.failures_consumer();
    let _consumer = stage.consumer(8);
    stage.write(&[0, 0]).await;
    stage.write_to(0, &[5], &"x".repeat(3_000)).await;
    stage.flow().await;
    stage.flow().await;
    let mut operations = Vec::new();
    let mut references = std::collections::BTreeSet::new();
    while let Some(failed) = failures.try_recv() {
        operations.extend(text(&failed.records, 2));
        references.extend(text(&failed.records, 0));
        if failed.records.num_rows() == 2 {
            assert!(
                failed.records.column(5).is_null(0),
                "nothing was built when WHERE failed"
            );
        }
        failed.share.settle(Fate::Done);
    }
    operations.sort_unstable();
    assert_eq!(operations, ["encode", "filter", "filter"]);
    assert_eq!(references.len(), 3, "one reference for each failure");
}

#[tokio::test]
async fn a_record_whose_error_record_cannot_be_built_is_refused() {
    let stage = stage(|def| {
        def.construction = dividing();
        // SET id = 1000 / id fails again for the very same row.
        def.on_message_error = send_to(failures_def(64), thousand_by_id());
    });
    let mut failures = stage.failures_consumer();
    let written = stage.write(&[0]).await;
    stage.flow().await;
    let verdict = written.verdict().expect("resolved at once");
    assert_eq!((verdict.rows, verdict.refused), (1, 1));
    assert!(failures.try_recv().is_none());
    let reason = verdict.reason.expect("it says why");
    assert!(
        reason.message().contains("failures") && reason.message().contains("division by zero"),
        "{reason}"
    );
}

#[tokio::test]
async fn error_records_leave_by_the_flush_of_the_emitter_apart_from_the_output() {
    let each = Duration::from_millis(100);
    let stage = routed(64, |def| {
        def.construction = dividing();
        def.flush = Flush::Each {
            every: each,
            max_bytes: 1_000_000,
        };
    });
    let mut failures = stage.failures_consumer();
    stage.write(&[0]).await;
    stage.clock.advance(each / 2).await;
    stage.write(&[0, 1]).await;
    assert!(failures.try_recv().is_none());
    stage.clock.advance(each / 2).await;
    let failed = failures.try_recv().expect("flushed");
    assert_eq!(failed.records.num_rows(), 2, "both, joined");
    failed.share.settle(Fate::Done);
}

/// A flush that no test waits for.
const HOURLY: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn the_size_boundary_of_flush_and_a_kick_release_error_records_too() {
    let stage = routed(64, |def| {
        def.construction = dividing();
        def.flush = Flush::Each {
            every: HOURLY,
            max_bytes: 300,
        };
    });
    let mut failures = stage.failures_consumer();
    stage.write(&[0]).await;
    assert!(
        failures.try_recv().is_none(),
        "one is about a hundred logical bytes"
    );
    stage.write(&[0; 3]).await;
    let failed = failures.try_recv().expect("without any time passing");
    assert_eq!(failed.records.num_rows(), 4);
    failed.share.settle(Fate::Done);
    stage.write(&[0]).await;
    assert!(failures.try_recv().is_none());
    stage.handle.kick().await;
    stage.clock.settle().await;
    let failed = failures.try_recv().expect("kicked");
    assert_eq!(failed.records.num_rows(), 1);
    failed.share.settle(Fate::Done);
}

#[tokio::test]
async fn error_records_have_the_branch_and_the_time_of_their_rows_and_branches_never_mix() {
    // 2020-01-01T00:00:00Z.
    let start = DomainTime(1_577_836_800_000_000_000);
    let stage = paced_stage(start, 60.0, |def| {
        let failures = relay_def("failures", failure_schema(), Some(branch_def()), 64);
        def.on_message_error = send_to(failures, input("id", 0, DataType::I64));
        def.construction = dividing();
        def.flush = Flush::Each {
            every: Duration::from_secs(60),
            max_bytes: 1_000_000,
        };
    });
    let mut failures = stage.failures_consumer();
    let quarter = Duration::from_millis(250);
    stage.write_to(0, &[0], "ann").await;
    stage.clock.advance(quarter).await;
    stage.write_to(0, &[0], "bob").await;
    stage.write_to(0, &[0], "ann").await;
    stage.clock.advance(quarter * 3).await;
    let late = DomainTime(start.0 + 15_000_000_000);
    for (name, times) in [("ann", vec![start, late]), ("bob", vec![late])] {
        let failed = failures.try_recv().expect("a batch for each branch");
        assert_eq!(failed.branch, Some(stage.branch(name).await));
        assert_eq!(text(&failed.records, 5), vec![name; times.len()]);
        let told = (0..times.len()).filter_map(|row| failed.timestamps.at(row));
        assert_eq!(told.collect::<Vec<_>>(), times);
        failed.share.settle(Fate::Done);
    }
    assert!(failures.try_recv().is_none());
}

#[tokio::test]
async fn a_full_error_relay_stops_neither_deliveries_nor_loses_a_record() {
    let stage = routed(1, |def| {
        def.sources[0].filter = Some(positive());
        def.construction = dividing();
        def.mode = mode(Window::Parallel(100));
        def.sources[0].filter = None;
    });
    let mut failures = stage.failures_consumer();
    let consumer = stage.consumer(1_000);
    let mut bad = Vec::new();
    for round in 1..=20_i64 {
        bad.push(stage.write(&[0]).await);
        stage.flow().await;
        let good = stage.write(&[round]).await;
        stage.flow().await;
        let next = delivery(&consumer).await;
        assert_eq!(ids(&next), [1_000 / round]);
        ack(&consumer, &next).await;
        stage.clock.settle().await;
        assert!(
            good.verdict().is_some(),
            "deliveries flow beside a full error relay"
        );
    }
    assert!(bad.iter().all(|written| written.verdict().is_none()));
    let mut seen = 0;
    while seen < 20 {
        let failed = failures.recv().await.expect("open");
        seen += failed.records.num_rows();
        failed.share.settle(Fate::Done);
        stage.clock.settle().await;
    }
    assert!(bad.iter().all(Written::is_done));
    assert!(is_quiet(&consumer).await || stage.handle.status().pending.messages == 0);
}
