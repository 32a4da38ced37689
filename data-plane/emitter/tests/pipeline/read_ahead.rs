//! A read-ahead that is full of small batches, while the time of FLUSH or COLLECT FOR has not come and the destination is
//! well.

use std::time::Duration;

use futures::FutureExt;
use nervix_emitter::{BATCH_OVERHEAD_BYTES, READ_AHEAD_BYTES};
use nspl_model::{Collect, EmitterDef, Flush};

use crate::model::mode;
use crate::outside::to_kafka;
use crate::stage::{Stage, stage};

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
