//! A read-ahead that is full of small batches, while the time of FLUSH or COLLECT FOR has not come and the destination is
//! well.

use std::time::Duration;

use futures::FutureExt;
use nervix_emitter::{BATCH_OVERHEAD_BYTES, READ_AHEAD_BYTES};
use nervix_relay::RelayBatch;
use nspl_model::{BatchLimits, Collect, EmitterDef, Flush, Resolution};

use crate::model::{adding_states, branch_def, dependency, mode, positive};
use crate::outside::to_kafka;
use crate::stage::{Stage, branched_stage, stage};

const HOUR: Duration = Duration::from_secs(3_600);
/// Far more than all batches of a test have together.
const MAX_BYTES: u64 = 4 << 20;

/// More batches of a row than the read-ahead has room for; the time does not move.
async fn writes_more_than_fit(change: impl FnOnce(&mut EmitterDef)) -> Stage {
    let stage = stage(|def| {
        to_kafka(def);
        def.mode = mode(nspl_model::Window::Parallel(1_000));
        change(def);
    });
    let fitting = (READ_AHEAD_BYTES + 2 * MAX_BYTES) / BATCH_OVERHEAD_BYTES;
    for id in 0..i64::try_from(fitting + 1_000).unwrap() {
        let (batch, verdict) = stage.batch(0, &[id], "x").await;
        drop(verdict);
        publish(&stage, batch).await;
    }
    stage
}

async fn publish(stage: &Stage, batch: RelayBatch) {
    let mut publishing = Box::pin(stage.sources[0].publish(batch));
    let published = match (&mut publishing).now_or_never() {
        Some(published) => published,
        None => {
            stage.clock.settle().await;
            publishing.now_or_never().expect("the emitter reads on")
        }
    };
    published.expect("it is open");
}

/// Collections of many branches that fill the read-ahead, each far from its own bounds; the first is small.
async fn collects_more_than_fit(change: impl FnOnce(&mut EmitterDef), with_state: bool) -> Stage {
    const ROWS: i64 = 50_000;
    let stage = branched_stage(|def| {
        to_kafka(def);
        def.mode = mode(nspl_model::Window::Parallel(1_000));
        def.collect = Some(Collect {
            each: HOUR,
            max_bytes: Some(MAX_BYTES),
        });
        def.batch = Some(BatchLimits {
            max_messages: 10_000,
            max_bytes: MAX_BYTES,
        });
        change(def);
    });
    let (first, verdict) = stage.batch(0, &[0], "first").await;
    drop(verdict);
    publish(&stage, first).await;
    stage.clock.settle().await;
    let ids: Vec<i64> = (1..=ROWS).collect();
    let bytes_least = ROWS.unsigned_abs() * 8;
    for number in 0..(READ_AHEAD_BYTES + 2 * MAX_BYTES) / bytes_least {
        let name = number.to_string();
        if with_state {
            stage.write_state(0, 0, &name).await;
        }
        let (batch, verdict) = stage.batch(0, &ids, &name).await;
        drop(verdict);
        publish(&stage, batch).await;
        stage.clock.settle().await;
    }
    stage
}

#[tokio::test]
async fn a_flush_leaves_when_nothing_more_can_be_read() {
    let stage = writes_more_than_fit(|def| {
        def.flush = Flush::Each {
            every: HOUR,
            max_bytes: MAX_BYTES,
        };
    })
    .await;
    assert!(stage.handle.status().counters.sent.messages > 0);
}

#[tokio::test]
async fn a_collection_leaves_when_nothing_more_can_be_read() {
    let stage = writes_more_than_fit(|def| {
        def.collect = Some(Collect {
            each: HOUR,
            max_bytes: Some(MAX_BYTES),
        });
        def.flush = Flush::Each {
            every: HOUR,
            max_bytes: MAX_BYTES,
        };
    })
    .await;
    assert!(stage.handle.status().counters.sent.messages > 0);
}

#[tokio::test]
async fn collections_leave_until_one_of_them_comes_to_something() {
    let stage = collects_more_than_fit(|def| def.sources[0].filter = Some(positive()), false).await;
    assert!(stage.handle.status().counters.sent.messages > 0);
}

#[tokio::test]
async fn a_collection_that_waits_for_a_state_holds_up_no_other_one() {
    let waiting = |def: &mut EmitterDef| {
        def.dependencies = vec![dependency("latest", Some(branch_def()), Resolution::Wait)];
        def.construction = adding_states(&["latest"]);
    };
    let stage = collects_more_than_fit(waiting, true).await;
    assert!(stage.handle.status().counters.sent.messages > 0);
}

#[tokio::test]
async fn many_collections_leave_at_once_for_a_destination_that_takes_many() {
    const WINDOW: u32 = 100;
    /// A branch has one row; long keys fill the read-ahead with fewer of them.
    const NAME_BYTES: usize = 1_000;
    let stage = branched_stage(|def| {
        to_kafka(def);
        def.mode = mode(nspl_model::Window::Parallel(WINDOW));
        def.collect = Some(Collect {
            each: HOUR,
            max_bytes: None,
        });
    });
    stage.broker.on_receipt(|_| nervix_sink_testkit::Deed::Hold);
    let most = READ_AHEAD_BYTES / BATCH_OVERHEAD_BYTES;
    for number in 0..most {
        let name = format!("{number:0NAME_BYTES$}");
        let (batch, verdict) = stage.batch(0, &[0], &name).await;
        drop(verdict);
        let mut publishing = Box::pin(stage.sources[0].publish(batch));
        if (&mut publishing).now_or_never().is_none() {
            stage.clock.settle().await;
            if publishing.now_or_never().is_none() {
                break;
            }
        }
    }
    stage.clock.settle().await;
    assert_eq!(stage.broker.held().len(), WINDOW as usize);
}
