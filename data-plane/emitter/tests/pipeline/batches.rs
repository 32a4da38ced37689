//! What batches hold: one source, one branch, both limits of BATCH on the bytes that travel (`emitters.txt`, Batch
//! payloads and Client emitters).

use nervix_sink::Outcome;
use nspl_model::{BatchLimits, Window};

use crate::model::{mode, order_schema, positive, relay_def};
use crate::payloads::{batched, hold, sent};
use crate::stage::{ack, delivery, ids, is_quiet, orders, stage, stage_of};

#[tokio::test]
async fn many_small_writes_become_one_batch_of_their_lane_in_order() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    let mut written = Vec::new();
    for id in 0..50 {
        written.push(stage.write(&[id * 2, id * 2 + 1]).await);
    }
    stage.flow().await;
    let batch = delivery(&consumer).await;
    assert_eq!(ids(&batch), (0..100).collect::<Vec<i64>>());
    ack(&consumer, &batch).await;
    stage.clock.settle().await;
    assert!(
        written
            .iter()
            .all(|written| written.verdict().is_some_and(|verdict| verdict.done == 2))
    );
}

#[tokio::test]
async fn max_messages_and_max_size_bound_every_batch_and_every_row_comes_once() {
    let limits = BatchLimits {
        max_messages: 64,
        max_bytes: 900,
    };
    let stage = stage(|def| {
        def.batch = Some(limits);
        def.mode = mode(Window::Parallel(1_000));
    });
    let consumer = stage.consumer(1_000);
    let rows: Vec<i64> = (0..300).collect();
    let written = stage.write(&rows).await;
    stage.flow().await;
    let mut seen = Vec::new();
    while seen.len() < rows.len() {
        let batch = delivery(&consumer).await;
        assert!(batch.rows <= limits.max_messages);
        assert!(
            batch.payload.size_bytes() <= limits.max_bytes,
            "{} bytes",
            batch.payload.size_bytes()
        );
        seen.extend(ids(&batch));
        ack(&consumer, &batch).await;
    }
    assert_eq!(seen, rows);
    stage.clock.settle().await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(300));
}

#[tokio::test]
async fn a_row_too_large_alone_follows_on_message_error_and_its_neighbours_are_sent() {
    let stage = stage(|def| {
        def.batch = Some(BatchLimits {
            max_messages: 10,
            max_bytes: 2_000,
        });
        def.mode = mode(Window::Parallel(10));
    });
    let consumer = stage.consumer(10);
    let before = stage.write_to(0, &[1], "small").await;
    let large = stage.write_to(0, &[2], &"x".repeat(3_000)).await;
    let after = stage.write_to(0, &[3], "small").await;
    stage.flow().await;
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let batch = delivery(&consumer).await;
        seen.extend(ids(&batch));
        ack(&consumer, &batch).await;
    }
    assert_eq!(seen, [1, 3]);
    stage.clock.settle().await;
    for written in [before, large, after] {
        assert_eq!(
            written.verdict().map(|verdict| verdict.done),
            Some(1),
            "dealt with by the policy"
        );
    }
    let rejected = stage.counters.snapshot().rejected;
    let words: Vec<_> = rejected
        .iter()
        .map(|count| (count.code.as_str(), count.operation.as_str(), count.messages))
        .collect();
    assert_eq!(words, [("validation", "encode", 1)]);
}

#[tokio::test]
async fn a_slice_of_a_huge_batch_is_measured_and_sent_as_the_slice() {
    let stage = stage(|def| {
        def.batch = Some(BatchLimits {
            max_messages: 100,
            max_bytes: 4_000,
        })
    });
    let consumer = stage.consumer(8);
    let (mut batch, written) = stage.batch(0, &[7; 10], "x").await;
    let parent = orders(&(0..100_000).collect::<Vec<i64>>(), "a-name");
    batch.records = parent.slice(50_000, 10);
    stage.sources[0].publish(batch).await.unwrap();
    drop(parent);
    stage.clock.settle().await;
    assert!(
        stage.handle.status().pending.buffered_bytes < 16_384,
        "what is kept is copied out"
    );
    stage.flow().await;
    let sent = delivery(&consumer).await;
    assert_eq!(ids(&sent), (50_000..50_010).collect::<Vec<i64>>());
    assert!(
        sent.payload.size_bytes() < 2_000,
        "{} bytes",
        sent.payload.size_bytes()
    );
    ack(&consumer, &sent).await;
    stage.clock.settle().await;
    assert!(written.verdict().is_some());
}

#[tokio::test]
async fn a_batch_of_many_rows_is_split_and_acknowledged_as_a_whole() {
    let stage = stage(|def| {
        def.batch = Some(BatchLimits {
            max_messages: 65_536,
            max_bytes: 1024 * 1024,
        });
        def.mode = mode(Window::Parallel(1_000));
    });
    let consumer = stage.consumer(1_000);
    let rows: Vec<i64> = (0..200_000).collect();
    let written = stage.write(&rows).await;
    stage.flow().await;
    let mut seen = Vec::new();
    while seen.len() < rows.len() {
        assert!(written.verdict().is_none());
        let batch = delivery(&consumer).await;
        assert!(batch.payload.size_bytes() <= 1024 * 1024);
        seen.extend(ids(&batch));
        ack(&consumer, &batch).await;
    }
    assert_eq!(seen, rows);
    stage.clock.settle().await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(200_000));
}

#[tokio::test]
async fn a_batch_of_no_rows_and_one_that_where_empties_are_done_and_send_nothing() {
    let stage = stage(|def| def.sources[0].filter = Some(positive()));
    let consumer = stage.consumer(8);
    let filtered = stage.write(&[-1, -2]).await;
    stage.flow().await;
    assert_eq!(filtered.verdict().map(|verdict| verdict.done), Some(2));
    let some = stage.write(&[-1, 5]).await;
    stage.flow().await;
    let batch = delivery(&consumer).await;
    assert_eq!(ids(&batch), [5]);
    ack(&consumer, &batch).await;
    stage.clock.settle().await;
    assert_eq!(some.verdict().map(|verdict| verdict.done), Some(2));
    assert!(is_quiet(&consumer).await || stage.counters.snapshot().sent.messages == 1);
    let counters = stage.counters.snapshot();
    assert_eq!(
        (
            counters.received.messages,
            counters.filtered,
            counters.sent.messages
        ),
        (4, 3, 1)
    );
    assert_eq!(stage.handle.status().pending.messages, 0);
}

#[tokio::test]
async fn where_of_one_source_is_asked_of_its_own_rows_alone() {
    let sources = ["orders", "replays"].map(|name| relay_def(name, order_schema(), None, 64));
    let stage = stage_of(&sources, 64 * 1024 * 1024, |def| {
        def.sources[0].filter = Some(positive());
    });
    let consumer = stage.consumer(8);
    let written = [
        stage.write_to(0, &[-1, 1], "x").await,
        stage.write_to(1, &[-2, 2], "x").await,
    ];
    stage.flow().await;
    let mut came = Vec::new();
    for _ in &written {
        let batch = delivery(&consumer).await;
        came.push((batch.source.to_string(), ids(&batch)));
        ack(&consumer, &batch).await;
        stage.clock.settle().await;
    }
    came.sort();
    assert_eq!(
        came,
        [
            ("orders".to_owned(), vec![1]),
            ("replays".to_owned(), vec![-2, 2])
        ]
    );
    for written in written {
        assert_eq!(written.verdict().map(|verdict| verdict.done), Some(2));
    }
    assert_eq!(stage.counters.snapshot().filtered, 1);
}

#[tokio::test]
async fn a_window_counts_payloads_and_counters_count_records() {
    let stage = stage(|def| {
        batched(2, 1_000)(def);
        def.mode = mode(Window::Parallel(1));
    });
    hold(&stage);
    let written = stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [[1, 2]], "one payload is out, of two records");
    for held in 1..=2 {
        let [out] = stage.broker.held()[..] else {
            panic!("one is out");
        };
        assert!(stage.broker.answer(out, Outcome::DELIVERED));
        stage.clock.settle().await;
        assert_eq!(stage.counters.snapshot().sent.batches, held);
    }
    assert_eq!(
        sent(&stage),
        [vec![1, 2], vec![3]],
        "a partial payload leaves like a full one"
    );
    assert_eq!(stage.counters.snapshot().sent.messages, 3);
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(3));
}
