//! When rows leave: FLUSH EACH, FLUSH IMMEDIATE, COLLECT FOR, and a kick (companion sections 10 and 11).

use std::time::Duration;

use nspl_model::{Collect, Flush, Window};

use crate::model::{mode, order_schema, relay_def};
use crate::stage::{ack, branched_stage, delivery, ids, is_quiet, stage, stage_of};

const EACH: Duration = Duration::from_millis(100);

#[tokio::test]
async fn flush_each_counts_from_the_first_row_of_an_empty_buffer() {
    let stage = stage(|def| {
        def.flush = Flush::Each {
            every: EACH,
            max_bytes: 1_000_000,
        }
    });
    let consumer = stage.consumer(8);
    stage.clock.advance(EACH * 3).await;
    stage.write(&[1]).await;
    stage.clock.advance(EACH - Duration::from_millis(1)).await;
    stage.write(&[2]).await;
    assert!(is_quiet(&consumer).await);
    stage.clock.advance(Duration::from_millis(1)).await;
    let first = delivery(&consumer).await;
    assert_eq!(ids(&first), [1, 2]);
    ack(&consumer, &first).await;
    stage.clock.advance(EACH * 5).await;
    stage.write(&[3]).await;
    stage.clock.advance(EACH - Duration::from_micros(1)).await;
    assert!(!stage.clock.advance_to_next().await || stage.exchange.status().assigned_batches == 1);
    assert_eq!(ids(&delivery(&consumer).await), [3]);
}

#[tokio::test]
async fn the_size_boundary_of_flush_wins_when_it_is_reached_first() {
    let stage = stage(|def| {
        def.flush = Flush::Each {
            every: EACH,
            max_bytes: 100,
        }
    });
    let consumer = stage.consumer(8);
    stage.write(&[1, 2]).await;
    assert!(is_quiet(&consumer).await, "2 rows are 30 logical bytes");
    stage.write(&[3; 10]).await;
    assert_eq!(delivery(&consumer).await.rows, 12, "without any time passing");
}

#[tokio::test]
async fn flush_immediate_waits_a_hundred_microseconds() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    stage.write(&[1]).await;
    stage.clock.advance(Duration::from_micros(99)).await;
    assert!(is_quiet(&consumer).await);
    stage.write(&[2]).await;
    stage.clock.advance(Duration::from_micros(1)).await;
    assert_eq!(ids(&delivery(&consumer).await), [1, 2]);
}

#[tokio::test]
async fn collect_keeps_sources_and_branches_apart_and_has_its_own_timer_for_each() {
    let sources = [
        relay_def("orders", order_schema(), None, 64),
        relay_def("replays", order_schema(), None, 64),
    ];
    let stage = stage_of(&sources, 1 << 26, |def| {
        def.collect = Some(Collect {
            each: EACH,
            max_bytes: None,
        });
        def.mode = mode(Window::Parallel(8));
    });
    let consumer = stage.consumer(8);
    stage.write_to(0, &[1], "x").await;
    stage.clock.advance(EACH / 2).await;
    stage.write_to(1, &[10], "x").await;
    stage.write_to(0, &[2], "x").await;
    stage.clock.advance(EACH / 2).await;
    assert!(is_quiet(&consumer).await, "the output still has its own flush");
    stage.flow().await;
    let first = delivery(&consumer).await;
    assert_eq!((ids(&first), &*first.source), (vec![1, 2], "orders"));
    assert!(is_quiet(&consumer).await);
    stage.clock.advance(EACH / 2).await;
    stage.flow().await;
    let second = delivery(&consumer).await;
    assert_eq!((ids(&second), &*second.source), (vec![10], "replays"));
}

#[tokio::test]
async fn the_size_boundary_of_collect_releases_one_branch_alone() {
    let stage = branched_stage(|def| {
        def.collect = Some(Collect {
            each: EACH,
            max_bytes: Some(200),
        });
        def.mode = mode(Window::Parallel(8));
    });
    let consumer = stage.consumer(8);
    stage.write_to(0, &[1], "quiet").await;
    stage.write_to(0, &[2; 20], "busy").await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [2; 20]);
    assert!(is_quiet(&consumer).await);
    stage.clock.advance(EACH).await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [1]);
}

#[tokio::test]
async fn a_kick_flushes_what_is_pending_and_a_new_flush_policy_keeps_it() {
    let stage = stage(|def| {
        def.flush = Flush::Each {
            every: Duration::from_secs(3_600),
            max_bytes: 1_000_000,
        }
    });
    let consumer = stage.consumer(8);
    stage.write(&[1]).await;
    stage.handle.kick().await;
    let first = delivery(&consumer).await;
    assert_eq!(ids(&first), [1]);
    ack(&consumer, &first).await;
    stage.write(&[2]).await;
    stage
        .handle
        .set_flush(Flush::Each {
            every: EACH,
            max_bytes: 1_000_000,
        })
        .await;
    let second = delivery(&consumer).await;
    assert_eq!(ids(&second), [2], "installed with a kick");
    ack(&consumer, &second).await;
    stage.write(&[3]).await;
    stage.clock.advance(EACH).await;
    assert_eq!(ids(&delivery(&consumer).await), [3], "the new cadence holds");
}
