//! Gates and ends of the way into an ingestor.

use std::{sync::Arc, time::Duration};

use arrow::array::RecordBatch;
use nervix_ack::Share;
use nervix_budget::{Budget, Held};
use nervix_ingestor::{Arrival, IngestorTraffic};
use nspl_model::{IngestMode, Schema};

use super::{CloseReason, Inlet, InletState, QUEUE_BATCHES};

/// What the queue may hold.
const QUEUE_BYTES: u64 = 1_000;

fn inlet() -> Inlet {
    Inlet::new(
        "d",
        "i",
        Arc::new(Schema::default()),
        Arc::new(IngestorTraffic::default()),
        QUEUE_BYTES,
    )
}

#[tokio::test]
async fn a_gated_inlet_makes_writers_wait_and_an_opened_one_lets_them_in() {
    let inlet = inlet();
    inlet.set(InletState::Gated);
    let mut waits = Box::pin(inlet.opened());
    assert!(futures::poll!(&mut waits).is_pending());
    inlet.set(InletState::Open(IngestMode::Ack));
    assert_eq!(waits.await, Ok(IngestMode::Ack));
}

#[tokio::test]
async fn a_closed_inlet_says_why() {
    let inlet = inlet();
    assert_eq!(inlet.opened().await.unwrap_err().reason, CloseReason::Stopped);
    let linger = Duration::from_secs(3);
    inlet.set(InletState::Open(IngestMode::NoAck));
    let mut closed = Box::pin(inlet.closed());
    assert!(futures::poll!(&mut closed).is_pending());
    inlet.set(InletState::Closed {
        reason: CloseReason::Draining,
        linger,
    });
    assert_eq!(closed.await.linger, linger);
}

#[tokio::test]
async fn a_batch_that_waited_for_room_does_not_enter_a_gated_inlet() {
    let inlet = inlet();
    let arrival = || Arrival {
        batch: RecordBatch::new_empty(Arc::clone(inlet.arrow_schema())),
        rejected: None,
        share: Share::default(),
        held: Arc::new(Held::nothing()),
        room: Held::nothing(),
    };
    inlet.set(InletState::Open(IngestMode::Ack));
    for _ in 0..QUEUE_BATCHES {
        inlet.enter(arrival()).await.unwrap();
    }
    let mut enters = Box::pin(inlet.enter(arrival()));
    assert!(futures::poll!(&mut enters).is_pending());
    inlet.set(InletState::Gated);
    let mut queue = inlet.queue().await;
    while queue.try_recv().is_ok() {}
    assert!(futures::poll!(&mut enters).is_pending());
    assert!(queue.try_recv().is_err(), "a batch entered after the drain");
    inlet.set(InletState::Open(IngestMode::Ack));
    enters.await.unwrap();
    assert!(queue.try_recv().is_ok());
}

#[tokio::test]
async fn the_queue_is_bounded_in_bytes_and_takes_a_larger_batch_alone() {
    let (inlet, budget) = (inlet(), Budget::new(u64::MAX));
    let arrival = |bytes: u64| Arrival {
        batch: RecordBatch::new_empty(Arc::clone(inlet.arrow_schema())),
        rejected: None,
        share: Share::default(),
        held: Arc::new(budget.charge(bytes)),
        room: Held::nothing(),
    };
    inlet.set(InletState::Open(IngestMode::Ack));
    inlet.enter(arrival(5 * QUEUE_BYTES)).await.unwrap();
    let mut enters = Box::pin(inlet.enter(arrival(QUEUE_BYTES)));
    assert!(futures::poll!(&mut enters).is_pending());
    assert_eq!(inlet.queued(), 1);
    let mut queue = inlet.queue().await;
    let taken = queue.try_recv().unwrap();
    assert!(
        futures::poll!(&mut enters).is_pending(),
        "its rows have not left yet"
    );
    drop(taken);
    enters.await.unwrap();
    assert_eq!(inlet.queued(), 1);
}
