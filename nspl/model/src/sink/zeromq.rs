//! `TO ZEROMQ c`: one single-frame message a payload (emitters.txt "ZeroMQ").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ZeroMqSinkDef {
    /// How to reach the peers.
    pub client: Arc<ClientDef>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities::payload(SinkKind::ZeroMq, &[ModeRule::NO_ACK]);
