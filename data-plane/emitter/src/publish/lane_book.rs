//! The lanes that payloads are out of.
//!
//! Invariant: a lane is known as long as a payload of it is kept, under one id; what is not known any more never has that
//! id again.

use std::sync::Arc;

use ahash::AHashMap;
use nervix_sink::{Lane, LaneId};

use crate::lane::LaneKey;
use crate::plan::Plan;

/// Lanes by key.
#[derive(Debug, Default)]
pub(crate) struct LaneBook {
    next: u64,
    lanes: AHashMap<LaneKey, (Arc<Lane>, usize)>,
}

impl LaneBook {
    /// One more payload of a lane.
    pub(crate) fn enter(&mut self, key: &LaneKey, plan: &Plan) -> Arc<Lane> {
        if let Some((lane, payloads)) = self.lanes.get_mut(key) {
            *payloads += 1;
            return Arc::clone(lane);
        }
        let lane = Arc::new(plan.lane(LaneId(self.next), key));
        self.next += 1;
        self.lanes.insert(key.clone(), (Arc::clone(&lane), 1));
        lane
    }

    /// One payload fewer.
    pub(crate) fn leave(&mut self, key: &LaneKey) {
        let left = self.lanes.get_mut(key).map(|(_, payloads)| {
            *payloads = payloads.saturating_sub(1);
            *payloads
        });
        if left == Some(0) {
            self.lanes.remove(key);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }
}
