//! `TO REDIS PUBSUB c CHANNEL ch`: one PUBLISH a payload (emitters.txt "Redis Pub/Sub").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RedisSinkDef {
    /// How to reach the server.
    pub client: Arc<ClientDef>,
    /// The channel that is written.
    pub channel: String,
}

impl RedisSinkDef {
    /// Why it cannot be meant as a channel; Redis itself takes any bytes.
    pub fn channel_fault(channel: &str) -> Option<String> {
        channel.is_empty().then(|| "a channel has a name".into())
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities::payload(SinkKind::Redis, &[ModeRule::NO_ACK]);
