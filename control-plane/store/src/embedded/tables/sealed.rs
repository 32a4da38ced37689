//! The seals of what an embedded store holds.

use nervix_database::{seal, unseal};

use crate::StoreError;

/// What a value belongs to.
#[derive(Clone, Copy)]
pub(super) enum Of<'a> {
    /// A key and the revision that put it.
    Entry(&'a str, u64),
    /// The revision that it made.
    Commit(u64),
    /// The revision that it undoes.
    Undo(u64),
    /// A name and an index.
    Chunk((&'a str, u32)),
}

impl Of<'_> {
    fn seal<T>(self, with: impl FnOnce(&[&[u8]]) -> T) -> T {
        match self {
            Self::Entry(key, revision) => with(&[b"entry", key.as_bytes(), &revision.to_le_bytes()]),
            Self::Commit(revision) => with(&[b"commit", &revision.to_le_bytes()]),
            Self::Undo(revision) => with(&[b"undo", &revision.to_le_bytes()]),
            Self::Chunk((name, index)) => with(&[b"chunk", name.as_bytes(), &index.to_le_bytes()]),
        }
    }
}

/// The stored form of a value.
pub(super) fn sealed(of: Of<'_>, value: &[u8]) -> Vec<u8> {
    of.seal(|belongs| seal(belongs, value))
}

/// The value of a stored form.
pub(super) fn unsealed<'a>(place: &str, of: Of<'_>, stored: &'a [u8]) -> Result<&'a [u8], StoreError> {
    Ok(of.seal(|belongs| unseal(place, belongs, stored))?)
}
