//! The driver of rows sinks: cutting, order, isolation, answers row by row, retained rows, pacing, drains.

use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection, RevokeReason, RowAnswer};
use nspl_model::{DataType, EmitterDef};

use crate::dice::Dice;
use crate::model::{BACKOFF, failure_schema, input, relay_def, send_to};
use crate::outside::to_postgres;
use crate::stage::{Stage, branched_stage, stage};

/// What measures as ten rows: 16 bytes around a write, 100 bytes a row.
const TEN_ROWS: u64 = 1_016;

fn unavailable() -> Failure {
    Failure::new(FailureKind::Unavailable, "the server is gone")
}

fn refused() -> Rejection {
    Rejection::new("Postgres refused the row")
}

fn ids(columns: &RecordBatch) -> Vec<i64> {
    columns.column(0).as_primitive::<Int64Type>().values().to_vec()
}

/// The ids of each write, in order.
fn wrote(stage: &Stage) -> Vec<Vec<i64>> {
    stage
        .table
        .attempts()
        .iter()
        .map(|wrote| ids(&wrote.work))
        .collect()
}

fn of_ten(def: &mut EmitterDef) {
    to_postgres(def, 10, u64::MAX);
}

/// The error records of a stage, as code, operation, message and id.
fn to_failures(def: &mut EmitterDef) {
    def.on_message_error = send_to(
        relay_def("failures", failure_schema(), None, 64),
        input("id", 0, DataType::I64),
    );
}

async fn failures(
    stage: &Stage,
    consumer: &mut nervix_relay::Consumer,
) -> Vec<(String, String, String, i64)> {
    stage.flow().await;
    let mut told = Vec::new();
    while let Some(batch) = consumer.try_recv() {
        let text = |index: usize, row: usize| {
            batch
                .records
                .column(index)
                .as_string::<i32>()
                .value(row)
                .to_owned()
        };
        let ids = batch
            .records
            .column(4)
            .as_primitive::<Int64Type>()
            .values()
            .to_vec();
        let rows = ids.into_iter().enumerate();
        told.extend(rows.map(|(row, id)| (text(1, row), text(2, row), text(3, row), id)));
        batch.share.settle(nervix_ack::Fate::Done);
    }
    told
}

#[tokio::test]
async fn successive_batches_of_a_lane_are_written_together_within_max_messages() {
    let stage = stage(of_ten);
    let first = stage.write(&[1, 2, 3]).await;
    let second = stage.write(&(4..=15).collect::<Vec<_>>()).await;
    stage.flow().await;
    assert_eq!(wrote(&stage), [(1..=10).collect::<Vec<_>>(), (11..=15).collect()]);
    assert_eq!(first.verdict().expect("a verdict").done, 3);
    assert_eq!(second.verdict().expect("a verdict").done, 12);
    assert_eq!(stage.table.measured(), 15, "each row is measured once");
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn rows_of_two_branches_are_never_written_together() {
    let stage = branched_stage(of_ten);
    stage.write_to(0, &[1, 2], "a").await;
    stage.write_to(0, &[3], "b").await;
    stage.write_to(0, &[4], "a").await;
    stage.flow().await;
    assert_eq!(wrote(&stage), [vec![1, 2], vec![3], vec![4]]);
}

#[tokio::test]
async fn a_candidate_that_measures_too_much_is_halved_and_exactly_max_size_is_sent() {
    let rows = |count: i64, size: u64| async move {
        let stage = stage(|def| to_postgres(def, 1_000, size));
        let written = stage.write(&(1..=count).collect::<Vec<_>>()).await;
        stage.flow().await;
        assert_eq!(written.verdict().expect("a verdict").done, count as u32);
        assert_eq!(
            stage.table.measured(),
            count as usize,
            "each row is measured once"
        );
        stage
            .table
            .attempts()
            .iter()
            .map(|wrote| wrote.work.num_rows())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(10, TEN_ROWS).await, [10]);
    // 11 is halved to 6; of the other 5 nothing is.
    assert_eq!(rows(11, TEN_ROWS).await, [6, 5]);
    // 25 to 13 to 7, then 18 to 9, then 9.
    assert_eq!(rows(25, TEN_ROWS).await, [7, 9, 9]);
    assert_eq!(rows(10, TEN_ROWS - 1).await, [5, 5]);
}

#[tokio::test]
async fn rows_are_measured_again_when_their_measures_have_changed() {
    let stage = stage(|def| to_postgres(def, 8, 516));
    stage.table.answers([RowAnswer::Unresolved(unavailable())]);
    stage.write(&(1..=10).collect::<Vec<_>>()).await;
    stage.flow().await;
    assert_eq!(wrote(&stage), [vec![1, 2, 3, 4]], "8 rows are halved");
    stage.table.measures(200);
    stage.clock.advance(BACKOFF).await;
    let rows: Vec<usize> = wrote(&stage).iter().map(Vec::len).collect();
    assert_eq!(
        rows,
        [4, 4, 2, 2, 2],
        "the same rows again, then as many as fit now"
    );
}

#[tokio::test]
async fn a_row_that_measures_too_much_alone_is_rejected_and_names_the_limit() {
    let stage = stage(|def| {
        to_postgres(def, 10, 115);
        to_failures(def);
    });
    let mut consumer = stage.failures_consumer();
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert!(wrote(&stage).is_empty());
    let told = failures(&stage, &mut consumer).await;
    let message = "Table insert of one row measures 116 bytes, above MAX SIZE 115B";
    let expected = |id| {
        (
            "validation".to_owned(),
            "encode".to_owned(),
            message.to_owned(),
            id,
        )
    };
    assert_eq!(told, [expected(1), expected(2)]);
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}

#[tokio::test]
async fn the_destinations_own_limits_bound_every_write() {
    let stage = stage(|def| {
        of_ten(def);
        to_failures(def);
    });
    stage.table.limit(Some(4), Some(316));
    stage.write(&(1..=6).collect::<Vec<_>>()).await;
    stage.flow().await;
    // 4 of them measure 416: halved.
    assert_eq!(wrote(&stage), [vec![1, 2], vec![3, 4], vec![5, 6]]);
    stage.table.limit(None, Some(100));
    let mut consumer = stage.failures_consumer();
    stage.write(&[7]).await;
    stage.flow().await;
    let message =
        "Table insert of one row measures 116 bytes, above the 100 bytes that the destination takes";
    let expected = ("external".to_owned(), "publish".to_owned(), message.to_owned(), 7);
    assert_eq!(failures(&stage, &mut consumer).await, [expected]);
}

#[tokio::test]
async fn rows_at_fault_are_found_one_by_one_and_their_neighbours_land() {
    for isolate in [
        RowAnswer::Isolate(refused()),
        RowAnswer::All(Outcome::Rejected(refused())),
    ] {
        let stage = stage(|def| {
            of_ten(def);
            to_failures(def);
        });
        let mut consumer = stage.failures_consumer();
        stage.table.on_write(move |columns| {
            if ids(columns).contains(&2) {
                isolate.clone()
            } else {
                RowAnswer::All(Outcome::DELIVERED)
            }
        });
        let written = stage.write(&[1, 2, 3]).await;
        stage.write(&[4]).await;
        stage.flow().await;
        assert_eq!(
            wrote(&stage),
            [vec![1, 2, 3, 4], vec![1], vec![2], vec![3], vec![4]]
        );
        let told = failures(&stage, &mut consumer).await;
        let expected = (
            "external".to_owned(),
            "publish".to_owned(),
            "Postgres refused the row".to_owned(),
            2,
        );
        assert_eq!(told, [expected]);
        assert_eq!(written.verdict().expect("a verdict").done, 3);
        assert_eq!(stage.handle.status().counters.retries, 0, "isolation is no retry");
        assert_eq!(stage.budget.used(), 0);
    }
}

#[tokio::test]
async fn a_connection_that_is_lost_between_two_isolated_rows_rejects_neither() {
    let stage = stage(|def| {
        of_ten(def);
        to_failures(def);
    });
    let mut consumer = stage.failures_consumer();
    stage.table.answers([
        RowAnswer::Isolate(refused()),
        RowAnswer::All(Outcome::DELIVERED),
        RowAnswer::Unresolved(unavailable()),
    ]);
    let written = stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    assert_eq!(wrote(&stage), [vec![1, 2, 3], vec![1], vec![2]]);
    let status = stage.handle.status();
    assert_eq!(
        status.transient_error.expect("it is told").message.as_str(),
        "the server is gone"
    );
    stage.clock.advance(BACKOFF).await;
    assert_eq!(wrote(&stage)[3..], [vec![2], vec![3]], "goes on where it was");
    assert!(failures(&stage, &mut consumer).await.is_empty());
    assert_eq!(written.verdict().expect("a verdict").done, 3);
}

#[tokio::test]
async fn an_unresolved_write_carries_the_same_rows_again_before_anything_newer() {
    let stage = stage(of_ten);
    stage.table.answers([
        RowAnswer::Unresolved(unavailable()),
        RowAnswer::All(Outcome::Unresolved(unavailable())),
    ]);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    let status = stage.handle.status();
    assert_eq!(
        (status.pending.retained_batches, status.pending.awaiting_retry),
        (1, 1)
    );
    assert!(stage.budget.used() > 0, "what is retained is accounted for");
    stage.write(&[3]).await;
    stage.flow().await;
    stage.clock.advance(BACKOFF).await;
    assert_eq!(
        stage.handle.status().transient_error.expect("still").backoff,
        BACKOFF * 2
    );
    stage.clock.advance(BACKOFF * 2).await;
    assert_eq!(wrote(&stage), [vec![1, 2], vec![1, 2], vec![1, 2], vec![3]]);
    assert_eq!(written.verdict().expect("a verdict").done, 2);
    let status = stage.handle.status();
    assert_eq!((status.counters.retries, status.transient_error), (2, None));
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn a_retry_carries_only_the_rows_that_were_not_answered_for() {
    let stage = stage(|def| {
        of_ten(def);
        to_failures(def);
    });
    let mut consumer = stage.failures_consumer();
    let asked = Failure {
        retry_after: Some(Duration::from_secs(3)),
        ..unavailable()
    };
    stage.table.answers([RowAnswer::Each(vec![
        Outcome::DELIVERED,
        Outcome::Unresolved(unavailable()),
        Outcome::Rejected(refused()),
        Outcome::DELIVERED,
        Outcome::Unresolved(asked),
    ])]);
    let written = stage.write(&[1, 2, 3, 4, 5]).await;
    stage.flow().await;
    assert_eq!(
        failures(&stage, &mut consumer)
            .await
            .iter()
            .map(|told| told.3)
            .collect::<Vec<_>>(),
        [3]
    );
    stage.clock.advance(BACKOFF).await;
    assert_eq!(
        wrote(&stage).len(),
        1,
        "the longest wait that was asked for counts"
    );
    stage.clock.advance(Duration::from_secs(3)).await;
    assert_eq!(wrote(&stage)[1..], [vec![2, 5]]);
    assert_eq!(written.verdict().expect("a verdict").done, 5);
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn answers_for_another_number_of_rows_are_no_answers() {
    let stage = stage(of_ten);
    stage.table.answers([RowAnswer::Each(vec![Outcome::DELIVERED])]);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert!(written.verdict().is_none());
    stage.clock.advance(BACKOFF).await;
    assert_eq!(wrote(&stage), [vec![1, 2], vec![1, 2]]);
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}

#[tokio::test]
async fn the_backoff_begins_anew_with_each_flush_and_a_drain_writes_again_at_once() {
    let stage = stage(of_ten);
    stage.table.answers([RowAnswer::Unresolved(unavailable())]);
    stage.write(&[1]).await;
    stage.flow().await;
    stage.clock.advance(BACKOFF).await;
    stage.table.answers([RowAnswer::Unresolved(unavailable())]);
    stage.write(&[2]).await;
    stage.flow().await;
    let told = stage.handle.status().transient_error.expect("it is told");
    assert_eq!(told.backoff, BACKOFF, "the flush before it completed");
    let deadline = stage.clock.physical().now().after(Duration::from_secs(60));
    assert_eq!(stage.handle.drain(deadline).await, Ok(()));
    assert_eq!(wrote(&stage), [vec![1], vec![1], vec![2], vec![2]]);
}

#[tokio::test]
async fn stopping_gives_everything_back_unresolved_and_holds_nothing() {
    let stage = stage(of_ten);
    stage.table.answers([
        RowAnswer::Isolate(refused()),
        RowAnswer::Unresolved(unavailable()),
    ]);
    let written = stage.write(&[1, 2]).await;
    let behind = stage.write(&[3]).await;
    stage.flow().await;
    stage.handle.stop(RevokeReason::Stopped).await;
    let verdict = written.verdict().expect("a verdict");
    assert_eq!((verdict.done, verdict.unresolved), (0, 2));
    assert_eq!(behind.verdict().expect("a verdict").unresolved, 1);
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn whatever_is_answered_each_row_ends_once_and_in_order() {
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let limit = 316 + 100 * u64::from(u32::try_from(dice.roll(8)).expect("small"));
        let stage = stage(|def| to_postgres(def, 10, limit));
        stage.table.on_write(move |columns| {
            let rows = columns.num_rows();
            match dice.roll(6) {
                0 => RowAnswer::Unresolved(unavailable()),
                1 => RowAnswer::Isolate(refused()),
                2 => {
                    let outcomes = (0..rows).map(|_| match dice.roll(4) {
                        0 => Outcome::Unresolved(unavailable()),
                        1 => Outcome::Rejected(refused()),
                        _ => Outcome::DELIVERED,
                    });
                    RowAnswer::Each(outcomes.collect())
                }
                _ => RowAnswer::All(Outcome::DELIVERED),
            }
        });
        let mut verdicts = Vec::new();
        for batch in 0..10_i64 {
            let ids: Vec<i64> = (0..20).map(|row| batch * 20 + row).collect();
            verdicts.push(stage.write(&ids).await);
            stage.flow().await;
        }
        for _ in 0..2_000 {
            stage.clock.advance(Duration::from_secs(1)).await;
            if stage.handle.status().pending.messages == 0 {
                break;
            }
        }
        for written in verdicts {
            assert_eq!(written.verdict().expect("a verdict").done, 20, "seed {seed}");
        }
        let mut newest = -1;
        let mut open: Vec<i64> = Vec::new();
        for write in wrote(&stage) {
            assert!(write.is_sorted() && write.len() <= 10, "seed {seed}: {write:?}");
            if write.iter().all(|id| *id > newest) {
                open = write.clone();
                newest = *open.last().expect("a row");
            } else {
                assert!(
                    write.iter().all(|id| open.contains(id)),
                    "seed {seed}: {write:?} of {open:?}"
                );
            }
        }
        let counters = stage.handle.status().counters;
        assert_eq!(
            counters.sent.messages + counters.rejected_messages(),
            200,
            "seed {seed}"
        );
        assert_eq!(stage.budget.used(), 0, "seed {seed}");
    }
}
