//! Blobs: values too large for an entry, written in chunks under a name that is used once.
//!
//! A blob means nothing until an entry names it, so a half-written one does no harm; whoever holds the entries collects
//! blobs that none of them names.

use std::fmt;

use crate::StoreError;

/// The most bytes of one chunk.
pub const BLOB_CHUNK_BYTES_MAX: usize = 1024 * 1024;

const NAME_BYTES_MAX: usize = 64;

/// The name of a blob: 1 to 64 of `[a-z0-9-]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId(String);

impl BlobId {
    /// # Errors
    /// [`StoreError::Corrupt`] when the name has other characters or another length.
    pub fn new(name: impl Into<String>) -> Result<Self, StoreError> {
        let name = name.into();
        let fits = (1..=NAME_BYTES_MAX).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if fits {
            Ok(Self(name))
        } else {
            Err(StoreError::Corrupt {
                what: "a blob name has a wrong form".into(),
            })
        }
    }

    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
