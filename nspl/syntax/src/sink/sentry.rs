//! `SENTRY <client>` (emitters.txt "Sentry").

use crate::name::Name;

/// The Sentry destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SentrySink {
    /// The client.
    pub client: Name,
}
