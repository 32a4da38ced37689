//! `CLICKHOUSE <client> INSERT TO TABLE <table>` (emitters.txt "ClickHouse").

use crate::name::{ExternalName, Name};

/// The ClickHouse destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClickHouseSink {
    /// The client.
    pub client: Name,
    /// The table that is written.
    pub table: ExternalName,
}
