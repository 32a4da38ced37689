//! The lines of DESCRIBE that only the executing node knows (companion.md section 15).
//!
//! Invariant: no line quotes a value of a record or a secret. What the catalog knows is added by the control plane.

use nervix_relay::Relay;
use nervix_source_client::{Inlet, InletState};
use nspl_model::IngestMode;

use crate::{assignments::Surroundings, directory::Outlet};

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

/// Lines of a relay.
pub(crate) fn relay(relay: &Relay) -> Vec<Line> {
    let mut lines = vec![
        ("buffered", format!("{} batches", relay.buffered())),
        ("publishers waiting", relay.waiting().to_string()),
    ];
    if let Some(state) = relay.materialized() {
        let size = state.size();
        let text = format!(
            "rows {} bytes {} forgotten {} batches not durable {}",
            size.rows,
            size.bytes,
            size.forgotten,
            relay.unwritten(),
        );
        lines.push(("materialized state", text));
    }
    lines
}

/// Lines of the node that executes a domain.
pub(crate) fn node(node: &Surroundings) -> Vec<Line> {
    let (budget, states) = (&node.budget, &node.state_budget.states);
    let pressure = match budget.waiting() {
        0 => "none waits".to_owned(),
        waiting => format!("{waiting} ways in wait"),
    };
    let memory = format!("held {} of {} bytes, {pressure}", budget.used(), budget.limit());
    let status = node.states.status();
    let durable = match status.failure {
        None => format!("commits {} rows {}", status.commits, status.rows),
        Some(error) => format!("not durable: {error}"),
    };
    let held = format!("held {} of {} bytes, {durable}", states.used(), states.limit());
    vec![("memory", memory), ("materialized states", held)]
}

/// Lines of an emitter.
pub(crate) fn emitter(outlet: &Outlet, domain_runs: bool) -> Vec<Line> {
    let handle = outlet.handle.lock().clone();
    match handle {
        Some(handle) => {
            let status = handle.status();
            let mut lines = vec![("state", status.state_text())];
            lines.extend(status.lines());
            lines
        }
        None => {
            let state = if domain_runs { "unavailable" } else { "stopped" };
            let mut lines = vec![("state", state.to_owned())];
            if let Some(exchange) = &outlet.exchange {
                let session = exchange.status();
                let consumers = format!(
                    "active {} forwarded {} granted credit {} acks {} rejections {} retries {}",
                    session.active_consumers,
                    session.forwarded_consumers,
                    session.granted_credit,
                    session.acks,
                    session.rejections,
                    session.retries_asked,
                );
                lines.push(("consumers", consumers));
            }
            lines
        }
    }
}
