//! `MYSQL <client> INSERT TO TABLE <table> VALUES {...} [ON CONFLICT ...]` (emitters.txt "MySQL").

use crate::name::{ExternalName, Name};
use crate::sink::conflict::Conflict;

/// The MySQL destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MySqlSink {
    /// The client.
    pub client: Name,
    /// The table that is written.
    pub table: ExternalName,
    /// The conflict policy; which forms it may have is the checker's rule.
    pub conflict: Option<Conflict>,
}
