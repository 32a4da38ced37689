//! What waits for a boundary while ways in wait for the node's budget.

use std::time::Duration;

use nspl_model::{Collect, DataType, EmitterDef, Flush};

use crate::model::{dividing, input, send_to};
use crate::outside::{to_iceberg, to_kafka};
use crate::stage::{Stage, delivery, failures_def, stage};

const HOUR: Duration = Duration::from_secs(3_600);
/// Far more than a test writes.
const MAX_BYTES: u64 = 4 << 20;
/// What a way in wants while the rest of the budget is less.
const WANTED: u64 = 1 << 30;

fn seldom(def: &mut EmitterDef) {
    def.flush = Flush::Each {
        every: HOUR,
        max_bytes: MAX_BYTES,
    };
}

/// Fills the node's budget, which a way in then waits for.
async fn want_room(stage: &Stage) {
    let fill = stage.budget.limit() - stage.budget.used() - WANTED / 2;
    let _full = stage.budget.charge(fill);
    let mut admit = std::pin::pin!(stage.budget.admit(WANTED));
    assert!(futures::poll!(&mut admit).is_pending());
    stage.clock.settle().await;
}

async fn leaves_where_room_is_wanted(change: impl FnOnce(&mut EmitterDef)) {
    let stage = stage(change);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert!(written.verdict().is_none(), "it waits for its time");
    want_room(&stage).await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(2));
}

#[tokio::test]
async fn a_flush_leaves_where_room_is_wanted() {
    leaves_where_room_is_wanted(|def| {
        to_kafka(def);
        seldom(def);
    })
    .await;
}

#[tokio::test]
async fn a_collection_leaves_where_room_is_wanted() {
    leaves_where_room_is_wanted(|def| {
        to_kafka(def);
        def.collect = Some(Collect {
            each: HOUR,
            max_bytes: None,
        });
        seldom(def);
    })
    .await;
}

#[tokio::test]
async fn what_is_staged_is_committed_where_room_is_wanted() {
    leaves_where_room_is_wanted(|def| to_iceberg(def, u64::MAX)).await;
}

#[tokio::test]
async fn error_records_leave_where_room_is_wanted() {
    let stage = stage(|def| {
        def.on_message_error = send_to(failures_def(64), input("id", 0, DataType::I64));
        def.construction = dividing();
        seldom(def);
    });
    let mut failures = stage.failures_consumer();
    let _written = stage.write(&[0]).await;
    assert!(failures.try_recv().is_none(), "they wait for their time");
    want_room(&stage).await;
    assert!(failures.try_recv().is_some());
}

#[tokio::test]
async fn a_destination_that_is_busy_is_not_given_more_before_its_time() {
    let stage = stage(seldom);
    let _first = stage.write(&[1]).await;
    want_room(&stage).await;
    let _second = stage.write(&[2]).await;
    want_room(&stage).await;
    let consumer = stage.consumer(10);
    assert_eq!(
        delivery(&consumer).await.rows,
        1,
        "the second waits for its own time"
    );
}
