//! `SYSLOG <client>` (emitters.txt "Syslog").

use crate::name::Name;

/// The Syslog destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyslogSink {
    /// The client.
    pub client: Name,
}
