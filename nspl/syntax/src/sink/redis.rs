//! `REDIS PUBSUB <client> CHANNEL <channel>` (emitters.txt "Redis Pub/Sub").

use crate::name::{ExternalName, Name};

/// The Redis Pub/Sub destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RedisSink {
    /// The client.
    pub client: Name,
    /// The channel that is written.
    pub channel: ExternalName,
}
