//! The lines of DESCRIBE that only the executing node knows (companion.md section 15).
//!
//! Invariant: no line quotes a value of a record or a secret. What the catalog knows is added by the control plane.

use nervix_source_client::{Inlet, InletState};
use nspl_model::IngestMode;

use crate::directory::Outlet;

/// Key and value of one line.
type Line = (&'static str, String);

/// Lines of an ingestor.
pub(crate) fn ingestor(inlet: &Inlet) -> Vec<Line> {
    let state = match inlet.state() {
        InletState::Open(IngestMode::Ack | IngestMode::AckWindow(_) | IngestMode::NoAck) => "running",
        InletState::Gated => "paused",
        InletState::Closed { .. } => "stopped",
    };
    let traffic = inlet.traffic();
    let rejected: u64 = traffic.rejected().iter().map(|(_, _, count)| count).sum();
    let metrics = format!(
        "received {} published {} filtered {} rejected {} error records {} queued batches {} bytes {}",
        traffic.written.messages(),
        traffic.published.messages(),
        traffic.filtered(),
        rejected,
        traffic.errors.messages(),
        inlet.queued(),
        traffic.written.bytes(),
    );
    vec![("state", state.to_owned()), ("metrics", metrics)]
}

/// Lines of an emitter.
pub(crate) fn emitter(outlet: &Outlet, domain_runs: bool) -> Vec<Line> {
    let handle = outlet.handle.lock().clone();
    match handle {
        Some(handle) => {
            let status = handle.status();
            let mut lines = vec![("state", status.state.word().to_owned())];
            lines.extend(status.lines());
            lines
        }
        None => {
            let state = if domain_runs { "unavailable" } else { "stopped" };
            let session = outlet.exchange.status();
            let consumers = format!(
                "active {} forwarded {} granted credit {} acks {} rejections {} retries {}",
                session.active_consumers,
                session.forwarded_consumers,
                session.granted_credit,
                session.acks,
                session.rejections,
                session.retries_asked,
            );
            vec![("state", state.to_owned()), ("consumers", consumers)]
        }
    }
}
