//! The lines of DESCRIBE that only the executing node knows (companion.md section 15).
//!
//! Invariant: no line quotes a value of a record or a secret. What the catalog knows is added by the control plane.

use nervix_emitter::{EmitterState, EmitterStatus, PendingStatus, RateStatus};
use nervix_relay::Relay;
use nervix_sink_client::Exchange;
use nervix_source_client::{Inlet, InletState};
use nspl_model::IngestMode;

use crate::{assignments::Surroundings, directory::Outlet};

/// Key and value of one line.
type Line = (&'static str, String);

/// What this node says of an entity.
pub(crate) struct Description {
    pub(crate) lines: Vec<Line>,
    /// Of an emitter, what its lines are written from.
    pub(crate) emitter: Option<Box<EmitterStatus>>,
}

impl From<Vec<Line>> for Description {
    fn from(lines: Vec<Line>) -> Self {
        Self { lines, emitter: None }
    }
}

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

/// Lines and numbers of an emitter.
pub(crate) fn emitter(outlet: &Outlet, domain_runs: bool) -> Description {
    let handle = outlet.handle.lock().clone();
    let (status, lines) = match handle {
        Some(handle) => {
            let status = handle.status();
            let state = ("state", status.state_text());
            let lines = std::iter::once(state).chain(status.lines()).collect();
            (status, lines)
        }
        None => {
            let status = idle(outlet, domain_runs);
            let state = ("state", status.state.word().to_owned());
            let lines = std::iter::once(state).chain(consumers(&status)).collect();
            (status, lines)
        }
    };
    Description {
        lines,
        emitter: Some(Box::new(status)),
    }
}

/// The status of an emitter that has no task.
fn idle(outlet: &Outlet, domain_runs: bool) -> EmitterStatus {
    EmitterStatus {
        state: if domain_runs {
            EmitterState::Unavailable
        } else {
            EmitterState::Stopped
        },
        draining: None,
        transient_error: None,
        pending: PendingStatus::default(),
        waiting: Vec::new(),
        session: outlet.exchange.as_ref().map(Exchange::status),
        counters: outlet.counters.snapshot(),
        rates: RateStatus::default(),
    }
}

/// What consumers are there of an emitter that has no task.
fn consumers(status: &EmitterStatus) -> Option<Line> {
    let session = status.session.as_ref()?;
    let text = format!(
        "active {} forwarded {} granted credit {} acks {} rejections {} retries {}",
        session.active_consumers,
        session.forwarded_consumers,
        session.granted_credit,
        session.acks,
        session.rejections,
        session.retries_asked,
    );
    Some(("consumers", text))
}
