//! `TO CLICKHOUSE c INSERT TO TABLE t`: rows of a table, in JSONEachRow (emitters.txt "ClickHouse").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, ConflictRule, SinkKind, TableName};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClickHouseSinkDef {
    /// How to reach the server.
    pub client: Arc<ClientDef>,
    /// The table that is written; its columns are the fields of the output schema.
    pub table: TableName,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities::rows(SinkKind::ClickHouse, ConflictRule::Refused);
