//! What an exchange reports for DESCRIBE EMITTER.

use std::time::Duration;

use nervix_sink::SessionStatus;

use super::Machine;

impl<I: Copy + Ord> Machine<I> {
    /// The status at `now`; `since` measures from an instant to now.
    pub(crate) fn status(&self, since: impl Fn(I) -> Duration) -> SessionStatus {
        let mut status = SessionStatus {
            unassigned_batches: self.lanes.unassigned() as u64,
            assigned_batches: self.live.len() as u64,
            oldest_assigned: self.live.values().map(|live| live.assigned).min().map(since),
            acks: self.counts.acks,
            rejections: self.counts.rejections,
            retries_asked: self.counts.retries_asked,
            timeouts: self.counts.timeouts,
            lost: self.counts.lost,
            stale: self.counts.stale,
            ..SessionStatus::default()
        };
        for consumer in self.consumers.iter().filter(|consumer| !consumer.closing) {
            let bytes: u64 = consumer
                .live
                .iter()
                .filter_map(|number| self.live.get(number))
                .map(|live| live.offer.payload.size_bytes())
                .sum();
            status.active_consumers += 1;
            status.granted_credit += u64::from(consumer.credit);
            status.suspended_consumers += u64::from(consumer.suspended);
            status.assigned_bytes += bytes;
            if consumer.forwarded {
                status.forwarded_consumers += 1;
                status.forwarded_credit += u64::from(consumer.credit);
                status.forwarded_batches += consumer.live.len() as u64;
                status.forwarded_bytes += bytes;
            }
        }
        status
    }
}
