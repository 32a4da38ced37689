//! `CLIENT SCHEMA <schema>`: the session sink that applications read through Arrow Flight (emitters.txt "Client
//! emitters"). It uses no CLIENT object.

use crate::name::Name;

/// The client session destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientSink {
    /// The exact output schema.
    pub schema: Name,
}
