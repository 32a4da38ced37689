//! A batch that a stage cannot execute: a defect of the engine, never of its records.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};

use crate::stage::{ack, delivery, ids, stage};

#[tokio::test]
async fn a_batch_that_cannot_be_executed_is_unresolved_at_once_and_nothing_of_it_stays_pending() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    let (mut batch, broken) = stage.batch(0, &[1, 2, 3], "x").await;
    // Columns that are not those of the relay's schema.
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["x"; 3]));
    batch.records = RecordBatch::try_from_iter([("id", texts.clone()), ("name", texts)]).unwrap();
    stage.sources[0].publish(batch).await.unwrap();
    stage.clock.settle().await;
    assert_eq!(broken.verdict().map(|verdict| verdict.unresolved), Some(3));
    assert_eq!(stage.handle.status().pending.messages, 0);
    let counted = stage.counters.snapshot();
    assert_eq!((counted.received.messages, counted.unresolved), (3, 3));
    stage.write(&[4]).await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [4], "it goes on");
    ack(&consumer, &next).await;
}
