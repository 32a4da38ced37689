//! `CLIENT c TYPE <kind> [POOL SIZE MIN a MAX b] [MOUNT r VERSION n|LATEST] CONFIG {...}` (companion section 13).
//!
//! The kind is kept as a name: which kinds and keys there are is the checker's rule. Debug output never shows the
//! values of CONFIG.

use std::fmt;

use crate::expression::Expr;
use crate::name::{Name, Text};
use crate::quantity::Whole;
use crate::resource::Version;
use crate::span::Span;

/// The connection to an outside system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// The name of the client.
    pub name: Name,
    /// The kind behind TYPE, in upper case.
    pub kind: Name,
    /// The bounds of the connection pool.
    pub pool: Option<PoolSize>,
    /// The resource whose files the configuration may name.
    pub mount: Option<Mount>,
    /// The configuration.
    pub config: Config,
}

/// `POOL SIZE MIN a MAX b`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PoolSize {
    /// The connections kept open.
    pub min: Whole,
    /// The most connections.
    pub max: Whole,
    /// Where the clause stands.
    pub span: Span,
}

/// `MOUNT r VERSION n|LATEST`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mount {
    /// The resource.
    pub resource: Name,
    /// Its version.
    pub version: Version,
    /// Where the clause stands.
    pub span: Span,
}

/// `CONFIG { 'key' = value, ... }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The entries as written.
    pub entries: Vec<ConfigEntry>,
    /// Where the map stands, braces included.
    pub span: Span,
}

/// One entry of CONFIG.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ConfigEntry {
    /// The key without its quotes.
    pub key: Text,
    /// A string, a number, TRUE or FALSE.
    pub value: Expr,
}

impl fmt::Debug for ConfigEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigEntry")
            .field("key", &self.key.value)
            .finish_non_exhaustive()
    }
}
