//! Offers for tests.

use std::sync::Arc;

use bytes::Bytes;
use nervix_budget::Held;
use nervix_sink::{Headers, Lane, LaneId, Offer, Payload, PayloadId};

/// An attempt of the payload with this sequence, `bytes` long.
pub(crate) fn offer(lane: u64, sequence: u64, bytes: usize, attempt: u32) -> Offer {
    let lane = Lane {
        id: LaneId(lane),
        source: "orders".into(),
        branch: format!("b{lane}").into(),
        key: None,
    };
    let payload = Payload {
        id: PayloadId(sequence.into()),
        lane: Arc::new(lane),
        sequence,
        rows: 1,
        head: Bytes::new(),
        body: Bytes::from(vec![0; bytes]),
        headers: Headers::default(),
        held: Held::nothing(),
    };
    Offer {
        payload: Arc::new(payload),
        attempt,
    }
}
