//! `TO CLIENT SCHEMA s`: native Arrow batches for competing consumers (emitters.txt "Client emitters").

use std::sync::Arc;

use crate::{Body, Build, Capabilities, ModeForm, ModeRule, Presence, Schema, Shape, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientSinkDef {
    /// What consumers receive, exactly.
    pub schema: Arc<Schema>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    build: Build::Every,
    shape: Shape::Session,
    client: Presence::Barred,
    body: Body::Native,
    batch: Presence::Required,
    bounded_by_flight: true,
    ..Capabilities::payload(SinkKind::Client, &[ModeRule::confirmed(ModeForm::Ack)])
};
