//! From a stored snapshot to a catalog, and why that can fail.

use nervix_store::{Snapshot, StoreError};
use nspl::{Catalog, DefinitionError, model::EntityKind};

use super::key::{FORMAT_KEY, KeyKind};

/// The form of the stored entries that this release writes.
pub(super) const FORMAT: &str = "1";

/// Why a stored catalog cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The store itself.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another release wrote it.
    #[error(
        "the catalog has form {found:?}; this release reads form {FORMAT:?}: use the release that wrote it"
    )]
    Format {
        /// What it says.
        found: String,
    },
    /// An entry is of a form that this release does not know.
    #[error("the stored entry {key:?} cannot be read: it is damaged, or of a newer release")]
    Entry {
        /// Its key; never its value.
        key: String,
    },
    /// A stored statement is refused by this release.
    #[error("a stored statement is refused: {0}")]
    Statement(#[from] DefinitionError),
}

/// Refuses forms of other releases.
pub(super) fn check_format(snapshot: &Snapshot) -> Result<(), LoadError> {
    match snapshot.entries.get(FORMAT_KEY) {
        Some(entry) if entry.value == FORMAT => Ok(()),
        Some(entry) => Err(LoadError::Format {
            found: String::from_utf8_lossy(&entry.value).into_owned(),
        }),
        None if snapshot.entries.is_empty() => Ok(()),
        None => Err(LoadError::Format { found: String::new() }),
    }
}

/// The catalog of all stored statements.
pub(super) fn catalog(snapshot: &Snapshot) -> Result<Catalog, LoadError> {
    let mut statements = Vec::new();
    for (key, entry) in &snapshot.entries {
        let unreadable = || LoadError::Entry { key: key.clone() };
        let KeyKind::Entity(entity) = KeyKind::parse(key).ok_or_else(unreadable)? else {
            continue;
        };
        let text = std::str::from_utf8(&entry.value).map_err(|_| unreadable())?;
        let rank = EntityKind::ALL.iter().position(|kind| *kind == entity.key.kind);
        statements.push((rank, entity.domain, text));
    }
    statements.sort();
    Ok(nspl::restore(
        statements.iter().map(|(_, domain, text)| (&**domain, *text)),
    )?)
}
