//! The lines of DESCRIBE EMITTER that only the executing node knows, in the order of companion section 15.

use std::time::Duration;

use nervix_sink::SessionStatus;

use super::{EmitterState, EmitterStatus, WaitingStatus};

impl EmitterStatus {
    /// The `state` line.
    pub fn state_text(&self) -> String {
        match (self.state, self.waiting.first()) {
            (EmitterState::Running, Some(waiting)) => format!("waiting for the state of {}", waiting.relay),
            (state, _) => state.word().to_owned(),
        }
    }

    /// `(key, value)` pairs from `transient error` to `metrics`.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("transient error", "none".to_owned())];
        if let Some(transient) = &self.transient_error {
            lines = vec![
                ("transient error", transient.message.to_string()),
                ("reconnect backoff", seconds(transient.backoff)),
                ("reconnect wait", seconds(transient.wait)),
            ];
        }
        if let Some(draining) = self.draining {
            lines.push(("draining", format!("for {}", seconds(draining))));
        }
        for waiting in &self.waiting {
            let WaitingStatus {
                relay,
                records,
                branches,
            } = waiting;
            let text = format!("{records} records of {branches} branches wait for the state of {relay}");
            lines.push(("waiting", text));
        }
        lines.extend(self.unconsumed().map(|text| ("waiting", text)));
        if let Some(consumers) = self.consumers() {
            lines.push(("consumers", consumers));
        }
        lines.push(("metrics", self.metrics()));
        lines
    }

    /// What waits because no consumer takes it.
    fn unconsumed(&self) -> Option<String> {
        let session = self.session.as_ref().filter(|_| self.pending.messages > 0)?;
        let lacks = match session {
            SessionStatus {
                active_consumers: 0, ..
            } => "a consumer",
            SessionStatus {
                granted_credit: 0,
                assigned_batches: 0,
                ..
            } => "credit of a consumer",
            _ => return None,
        };
        Some(format!("{} records wait for {lacks}", self.pending.messages))
    }

    fn consumers(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        Some(format!(
            "active {} forwarded {} granted credit {} forwarded credit {} suspended {} retained batches {} \
             retained bytes {} forwarded batches {} forwarded bytes {} awaiting application {} retries {} acks {} \
             rejections {} timeouts {} lost {} stale {}",
            session.active_consumers,
            session.forwarded_consumers,
            session.granted_credit,
            session.forwarded_credit,
            session.suspended_consumers,
            self.pending.retained_batches,
            self.pending.retained_bytes,
            session.forwarded_batches,
            session.forwarded_bytes,
            session.assigned_batches,
            session.retries_asked,
            session.acks,
            session.rejections,
            session.timeouts,
            session.lost,
            session.stale,
        ))
    }

    fn metrics(&self) -> String {
        let counters = &self.counters;
        format!(
            "received {} sent {} rejected {} filtered {} skipped {} unresolved {} pending {} retries {} bytes {} \
             received/s {:.1} sent/s {:.1} bytes/s {:.0}",
            counters.received.messages,
            counters.sent.messages,
            counters.rejected_messages(),
            counters.filtered,
            counters.skipped,
            counters.unresolved,
            self.pending.messages,
            counters.retries,
            counters.sent.bytes,
            self.rates.received,
            self.rates.sent,
            self.rates.sent_bytes,
        )
    }
}

fn seconds(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{}s", duration.as_secs())
    } else {
        format!("{}ms", duration.as_millis())
    }
}

#[cfg(test)]
mod tests;
