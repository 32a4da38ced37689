//! `TO POSTGRES c INSERT TO TABLE t`: rows of a table (emitters.txt "Postgres").

use std::sync::Arc;

use crate::{Build, Capabilities, ClientDef, Conflict, ConflictRule, IdentifierForm, SinkKind, TableName};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PostgresSinkDef {
    /// How to reach the server.
    pub client: Arc<ClientDef>,
    /// The table that is written; its columns are the fields of the output schema.
    pub table: TableName,
    /// ON CONFLICT.
    pub conflict: Option<Conflict>,
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    build: Build::Feature("postgres"),
    identifiers: IdentifierForm::Postgres,
    ..Capabilities::rows(SinkKind::Postgres, ConflictRule::TargetForUpdate)
};
