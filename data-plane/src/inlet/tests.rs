//! Gates and ends of the way into an ingestor.

use std::{sync::Arc, time::Duration};

use nspl_model::{IngestMode, Schema};

use super::{CloseReason, Inlet, InletState};
use crate::traffic::IngestorTraffic;

fn inlet() -> Inlet {
    Inlet::new(
        "d",
        "i",
        Arc::new(Schema::default()),
        Arc::new(IngestorTraffic::default()),
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
