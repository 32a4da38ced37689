//! `NATS <client> SUBJECT <subject>` (emitters.txt "NATS").

use crate::name::{ExternalName, Name};

/// The NATS destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NatsSink {
    /// The client.
    pub client: Name,
    /// The subject that is written.
    pub subject: ExternalName,
}
