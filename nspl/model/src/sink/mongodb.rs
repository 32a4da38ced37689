//! `TO MONGODB c INSERT TO COLLECTION t`: documents of a collection (emitters.txt "MongoDB").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, Conflict, ConflictRule, IdentifierForm, SinkKind};

/// The most bytes that the server takes for a database and a collection together, with the dot between them.
const NAMESPACE_BYTES_MAX: usize = 255;

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MongoDbSinkDef {
    /// How to reach the deployment, with its database.
    pub client: Arc<ClientDef>,
    /// The collection that is written; the fields of its documents are those of the output schema.
    pub collection: String,
    /// ON CONFLICT.
    pub conflict: Option<Conflict>,
}

impl MongoDbSinkDef {
    /// Why a server could never have such a collection for clients to write.
    pub fn collection_fault(collection: &str) -> Option<String> {
        let why = if collection.is_empty() {
            "a collection has a name"
        } else if collection.contains(['$', '\0']) || collection.starts_with('.') {
            "a collection's name holds no $ and no NUL, and does not begin with a dot"
        } else if collection.starts_with("system.") {
            "the collections whose names begin with system. are the server's own"
        } else if collection.len() + "d.".len() > NAMESPACE_BYTES_MAX {
            return Some(format!(
                "database and collection together have at most {NAMESPACE_BYTES_MAX} bytes"
            ));
        } else {
            return None;
        };
        Some(why.into())
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    identifiers: IdentifierForm::MongoDb,
    ..Capabilities::rows(SinkKind::MongoDb, ConflictRule::TargetRequired)
};
