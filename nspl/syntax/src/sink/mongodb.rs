//! `MONGODB <client> INSERT TO COLLECTION <collection> VALUES {...} [ON CONFLICT ...]` (emitters.txt "MongoDB").

use crate::name::{ExternalName, Name};
use crate::sink::conflict::Conflict;

/// The MongoDB destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MongoDbSink {
    /// The client.
    pub client: Name,
    /// The collection that is written.
    pub collection: ExternalName,
    /// The conflict policy; which forms it may have is the checker's rule.
    pub conflict: Option<Conflict>,
}
