//! `TO CLIENT SCHEMA s`: native Arrow batches for competing consumers (emitters.txt "Client emitters").

use std::sync::Arc;

use crate::{Body, Capabilities, ModeForm, ModeRule, Presence, Schema, Shape, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientSinkDef {
    /// What consumers receive, exactly.
    pub schema: Arc<Schema>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    shape: Shape::Session,
    client: Presence::Barred,
    body: Body::Native,
    batch: Presence::Required,
    bounded_by_flight: true,
    ..Capabilities::payload(SinkKind::Client, "client", &[ModeRule::confirmed(ModeForm::Ack)])
};
