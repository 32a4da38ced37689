//! `TO MYSQL c INSERT TO TABLE t`: rows of a table (emitters.txt "MySQL").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, Conflict, ConflictRule, IdentifierForm, SinkKind, TableName};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MySqlSinkDef {
    /// How to reach the server.
    pub client: Arc<ClientDef>,
    /// The table that is written; its columns are the fields of the output schema.
    pub table: TableName,
    /// ON CONFLICT.
    pub conflict: Option<Conflict>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    identifiers: IdentifierForm::MySql,
    ..Capabilities::rows(SinkKind::MySql, ConflictRule::NoTarget)
};
