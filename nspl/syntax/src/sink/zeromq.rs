//! `ZEROMQ <client>` (emitters.txt "ZeroMQ").

use crate::name::Name;

/// The ZeroMQ destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ZeroMqSink {
    /// The client.
    pub client: Name,
}
