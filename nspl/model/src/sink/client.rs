//! `TO CLIENT SCHEMA s`: native Arrow batches for competing consumers (emitters.txt "Client emitters").

use std::sync::Arc;

use crate::{
    Body, Capabilities, ConflictRule, HeaderRule, ModeForm, ModeRule, Presence, Schema, Shape, SinkKind,
};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientSinkDef {
    /// What consumers receive, exactly.
    pub schema: Arc<Schema>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    kind: SinkKind::Client,
    feature: "client",
    shape: Shape::Session,
    client: Presence::Barred,
    body: Body::Native,
    modes: &[ModeRule {
        form: ModeForm::Ack,
        windowed: true,
        timeout: Presence::Required,
    }],
    batch: Presence::Required,
    batch_bytes_max: None,
    bounded_by_flight: true,
    headers: HeaderRule::Refused,
    ordering_group: false,
    request_fields: false,
    conflict: ConflictRule::Refused,
    commit: false,
};
