//! The driver of staged sinks: boundaries of a commit, what is acknowledged when, unresolved commits, refused rows, drains.

use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use nervix_clock::DomainTime;
use nervix_emitter::READ_AHEAD_BYTES;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection, RevokeReason};
use nervix_sink_testkit::Deed;
use nspl_model::{DataType, EmitterDef, Flush};

use crate::model::{BACKOFF, failure_schema, input, relay_def, send_to};
use crate::outside::{COMMIT_EACH, STAGED_ROW_BYTES, ids_in, to_iceberg};
use crate::stage::{Stage, Written, branched_stage, paced_stage, stage};

fn failure() -> Failure {
    Failure::new(FailureKind::Unavailable, "the catalog is away")
}

fn large(def: &mut EmitterDef) {
    to_iceberg(def, 512 * 1024 * 1024);
}

/// The ids of each commit that readers see.
fn visible(stage: &Stage) -> Vec<Vec<i64>> {
    stage
        .lake
        .visible()
        .iter()
        .map(|records| ids_in(records))
        .collect()
}

/// Writes and lets the flush pass, so that it is staged.
async fn staged(stage: &Stage, ids: &[i64]) -> Written {
    let written = stage.write(ids).await;
    stage.flow().await;
    written
}

#[tokio::test]
async fn a_commit_comes_when_its_time_has_passed_since_the_first_row_was_staged() {
    let stage = stage(large);
    let first = staged(&stage, &[1, 2]).await;
    stage.clock.advance(COMMIT_EACH / 2).await;
    let second = staged(&stage, &[3]).await;
    assert_eq!(stage.lake.staged_rows(), 3);
    assert!(first.verdict().is_none(), "staging is no point of completion");
    let pending = stage.handle.status().pending;
    assert_eq!(
        (pending.messages, pending.retained_batches, pending.retained_bytes),
        (3, 2, 3 * STAGED_ROW_BYTES)
    );
    let rest = COMMIT_EACH / 2 - nervix_flush::IMMEDIATE_WINDOW;
    stage.clock.advance(rest - Duration::from_nanos(1)).await;
    assert!(visible(&stage).is_empty());
    // Rows that later flushes stage join without moving it.
    stage.clock.advance(Duration::from_nanos(1)).await;
    assert_eq!(visible(&stage), [[1, 2, 3]]);
    assert_eq!(first.verdict().expect("a verdict").done, 2);
    assert!(second.is_done());
    let pending = stage.handle.status().pending;
    assert_eq!(
        (pending.messages, pending.retained_batches, pending.lanes),
        (0, 0, 0)
    );
    assert_eq!(stage.budget.used(), 0);
    // The next one counts from its own first row.
    stage.clock.advance(COMMIT_EACH).await;
    staged(&stage, &[4]).await;
    stage.clock.advance(COMMIT_EACH - Duration::from_nanos(1)).await;
    assert_eq!(visible(&stage).len(), 1);
    stage.clock.advance(Duration::from_nanos(1)).await;
    assert_eq!(visible(&stage), [vec![1, 2, 3], vec![4]]);
}

#[tokio::test]
async fn what_reaches_max_size_is_committed_at_once() {
    let stage = stage(|def| to_iceberg(def, 4 * STAGED_ROW_BYTES));
    staged(&stage, &[1, 2, 3]).await;
    assert!(visible(&stage).is_empty());
    staged(&stage, &[4]).await;
    assert_eq!(visible(&stage), [[1, 2, 3, 4]]);
    staged(&stage, &[5]).await;
    assert_eq!(stage.lake.staged_rows(), 1);
}

#[tokio::test]
async fn the_pace_of_a_domain_moves_its_commits() {
    let stage = paced_stage(DomainTime(0), 60.0, large);
    stage.write_to(0, &[1], "a").await;
    stage.flow().await;
    stage.clock.advance(Duration::from_millis(999)).await;
    assert!(visible(&stage).is_empty());
    stage.clock.advance(Duration::from_millis(1)).await;
    assert_eq!(visible(&stage), [[1]], "a minute of domain time");
}

#[tokio::test]
async fn one_flush_is_staged_at_once_and_branches_keep_their_order() {
    let stage = branched_stage(|def| {
        large(def);
        def.flush = Flush::Each {
            every: Duration::from_secs(1),
            max_bytes: 1024 * 1024,
        };
    });
    let mut written = Vec::new();
    for (id, name) in [(1, "a"), (2, "b"), (3, "a"), (4, "a")] {
        written.push(stage.write_to(0, &[id], name).await);
    }
    stage.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(stage.lake.stagings(), [4]);
    assert_eq!(stage.handle.status().pending.retained_batches, 1);
    stage.clock.advance(COMMIT_EACH).await;
    assert_eq!(visible(&stage), [[1, 2, 3, 4]]);
    assert!(written.iter().all(Written::is_done));
}

#[tokio::test]
async fn a_commit_that_fails_is_called_for_again_as_it_was_and_nothing_is_staged_meanwhile() {
    let stage = stage(large);
    stage.lake.commits([Deed::Fail(failure()), Deed::Fail(failure())]);
    let first = staged(&stage, &[1]).await;
    stage.clock.advance(COMMIT_EACH).await;
    let status = stage.handle.status();
    let transient = status.transient_error.expect("a transient error");
    assert_eq!(
        (transient.message.as_str(), transient.backoff),
        ("the catalog is away", BACKOFF)
    );
    assert_eq!(status.pending.awaiting_retry, 1);
    let second = staged(&stage, &[2]).await;
    assert_eq!(stage.lake.staged_rows(), 1, "what is newer waits behind");
    stage.clock.advance(BACKOFF).await;
    assert_eq!(stage.lake.attempts().len(), 2);
    stage.clock.advance(BACKOFF * 2).await;
    let attempts = stage.lake.attempts();
    assert_eq!(attempts.len(), 3);
    assert!(
        attempts
            .iter()
            .all(|attempt| attempt.id == attempts[0].id && ids_in(&attempt.records) == [1]),
        "{attempts:?}"
    );
    assert!(first.is_done());
    assert_eq!(stage.lake.staged_rows(), 1);
    stage.clock.advance(COMMIT_EACH).await;
    assert_eq!(visible(&stage), [[1], [2]]);
    assert!(second.is_done());
    let status = stage.handle.status();
    assert_eq!((status.counters.retries, status.transient_error), (2, None));
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_neither_lost_nor_seen_twice_where_the_destination_knows_it_again()
{
    for forgets in [false, true] {
        let stage = stage(large);
        if forgets {
            stage.lake.forget();
        }
        stage.lake.commits([Deed::TakeInSilence(failure())]);
        let written = staged(&stage, &[1, 2]).await;
        stage.clock.advance(COMMIT_EACH).await;
        assert!(written.verdict().is_none(), "nobody knows");
        stage.clock.advance(BACKOFF).await;
        assert_eq!(written.verdict().expect("a verdict").done, 2);
        // An append that keeps no id is at least once.
        let times = if forgets { 2 } else { 1 };
        assert_eq!(visible(&stage), vec![vec![1, 2]; times]);
    }
}

#[tokio::test]
async fn what_could_not_be_staged_is_kept_and_tried_again() {
    let stage = stage(large);
    let mut failures = vec![failure(), failure()];
    stage.lake.on_stage(move |_| failures.pop());
    let written = staged(&stage, &[1]).await;
    assert_eq!(stage.lake.staged_rows(), 0);
    let transient = stage.handle.status().transient_error.expect("a transient error");
    assert_eq!(transient.backoff, BACKOFF);
    stage.clock.advance(BACKOFF).await;
    assert_eq!(stage.lake.staged_rows(), 0);
    stage.clock.advance(BACKOFF * 2).await;
    assert_eq!(stage.lake.staged_rows(), 1);
    assert_eq!(stage.handle.status().transient_error, None);
    assert_eq!(stage.handle.status().counters.retries, 2);
    stage.clock.advance(COMMIT_EACH).await;
    assert!(written.is_done());
    assert_eq!(visible(&stage), [[1]]);
}

#[tokio::test]
async fn a_destination_that_is_absent_at_start_is_opened_by_the_retry_policy() {
    let stage = stage(|def| to_iceberg(def, STAGED_ROW_BYTES));
    stage.lake.refuse_to_open([failure(), failure()]);
    let written = staged(&stage, &[1]).await;
    assert!(stage.handle.status().transient_error.is_some());
    stage.clock.advance(BACKOFF).await;
    stage.clock.advance(BACKOFF * 2).await;
    assert!(written.is_done());
    assert_eq!(stage.handle.status().transient_error, None);
}

#[tokio::test]
async fn a_row_that_the_table_cannot_hold_is_rejected_alone_and_its_neighbours_are_committed() {
    let stage = stage(|def| {
        large(def);
        let failures = relay_def("failures", failure_schema(), None, 64);
        def.on_message_error = send_to(failures, input("id", 0, DataType::I64));
    });
    let mut failures = stage.failures_consumer();
    stage.lake.on_row(|records, row| {
        let id = records.column(0).as_primitive::<Int64Type>().value(row);
        (id % 2 == 0).then(|| Rejection::new("the table cannot hold the row"))
    });
    let written = staged(&stage, &[1, 2, 3, 4]).await;
    let other = staged(&stage, &[6]).await;
    stage.flow().await;
    let mut rejected = Vec::new();
    while let Some(batch) = failures.try_recv() {
        let codes = batch.records.column(1).as_string::<i32>();
        assert!(codes.iter().all(|code| code == Some("external")));
        rejected.extend(ids_in(&[batch.records.project(&[4]).expect("an id")]));
        batch.share.settle(nervix_ack::Fate::Done);
    }
    assert_eq!(rejected, [2, 4, 6]);
    assert!(other.is_done(), "nothing of it waits for a commit");
    assert!(written.verdict().is_none());
    stage.clock.advance(COMMIT_EACH).await;
    assert_eq!(visible(&stage), [[1, 3]]);
    assert_eq!(written.verdict().expect("a verdict").done, 4);
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn a_commit_that_is_refused_rejects_what_is_in_it_and_nothing_else() {
    let stage = stage(|def| to_iceberg(def, 2 * STAGED_ROW_BYTES));
    stage.lake.commits([Deed::Refuse(Rejection::new("no"))]);
    let first = staged(&stage, &[1, 2]).await;
    let second = staged(&stage, &[3, 4]).await;
    assert_eq!(visible(&stage), [[3, 4]]);
    assert_eq!(first.verdict().expect("dealt with").done, 2);
    assert_eq!(second.verdict().expect("a verdict").done, 2);
    let counters = stage.handle.status().counters;
    assert_eq!((counters.sent.messages, counters.rejected_messages()), (2, 2));
}

#[tokio::test]
async fn a_drain_commits_what_is_staged_without_waiting_for_its_time() {
    let stage = stage(|def| {
        large(def);
        def.flush = Flush::Each {
            every: Duration::from_secs(10),
            max_bytes: 1024 * 1024,
        };
    });
    stage.lake.commits([Deed::Fail(failure())]);
    let first = stage.write(&[1]).await;
    stage.clock.advance(Duration::from_secs(10)).await;
    let second = stage.write(&[2]).await;
    assert_eq!(stage.lake.staged_rows(), 1);
    let handle = stage.handle.clone();
    let deadline = stage.clock.physical().now().after(Duration::from_secs(30));
    let drained = tokio::spawn(async move { handle.drain(deadline).await });
    stage.clock.settle().await;
    assert_eq!(
        ids_in(&stage.lake.attempts()[0].records),
        [1, 2],
        "one commit of both"
    );
    assert!(!drained.is_finished(), "it is not confirmed");
    stage.clock.advance(BACKOFF).await;
    assert!(first.is_done() && second.is_done());
    drained.await.expect("no panic").expect("drained");
    assert_eq!(visible(&stage), [[1, 2]]);
}

#[tokio::test]
async fn stopping_gives_back_what_is_staged_and_what_is_being_committed() {
    for commits in [false, true] {
        let stage = stage(large);
        stage.lake.commits([Deed::Hold]);
        let written = staged(&stage, &[1, 2]).await;
        if commits {
            stage.clock.advance(COMMIT_EACH).await;
            assert_eq!(stage.lake.attempts().len(), 1);
        }
        stage.handle.stop(RevokeReason::Changed).await;
        stage.clock.settle().await;
        let verdict = written.verdict().expect("a verdict");
        assert_eq!((verdict.done, verdict.unresolved), (0, 2));
        assert_eq!(stage.lake.staged_rows(), 0, "the staged files are gone");
        assert!(!stage.lake.answer(Outcome::DELIVERED), "nobody waits for it");
        assert_eq!(stage.budget.used(), 0);
    }
}

#[tokio::test]
async fn what_is_read_ahead_for_a_commit_is_bounded_and_a_full_emitter_commits_instead_of_stalling() {
    let stage = stage(|def| {
        large(def);
        // Rows are kept here for the error route.
        let failures = relay_def("failures", failure_schema(), None, 64);
        def.on_message_error = send_to(failures, input("id", 0, DataType::I64));
    });
    let megabyte = "x".repeat(1024 * 1024);
    let mut written = Vec::new();
    for id in 0..40 {
        written.push(stage.write_to(0, &[id], &megabyte).await);
        stage.flow().await;
        let buffered = stage.handle.status().pending.buffered_bytes;
        assert!(buffered <= READ_AHEAD_BYTES + 2 * 1024 * 1024, "{buffered}");
    }
    assert_eq!(visible(&stage).len(), 1, "before its time and below its size");
    assert!(written[0].is_done());
    stage.clock.advance(COMMIT_EACH).await;
    assert_eq!(visible(&stage).concat(), (0..40).collect::<Vec<_>>());
    assert_eq!(stage.budget.used(), 0);
}

#[tokio::test]
async fn rows_that_are_staged_occupy_no_memory_of_the_node() {
    let stage = stage(large);
    let megabyte = "x".repeat(1024 * 1024);
    for id in 0..40 {
        stage.write_to(0, &[id], &megabyte).await;
        stage.flow().await;
    }
    assert_eq!(stage.lake.staged_rows(), 40);
    assert!(visible(&stage).is_empty());
    assert_eq!(stage.budget.used(), 0);
    assert!(stage.handle.status().pending.buffered_bytes < 1024 * 1024);
}
