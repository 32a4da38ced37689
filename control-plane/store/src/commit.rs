//! A commit: changes of entries that take effect together, and their stored form.
//!
//! Stored form (version 1): a byte 1, the number of changes as u32, then for each change a byte (1 put, 2 delete), the key
//! and for a put the value, each with its length as u32 before it; integers are little-endian.

use std::fmt;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::{Revision, StoreError};

/// The most bytes that keys and values of one commit may have together.
pub const COMMIT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// The most bytes of one key.
pub const KEY_BYTES_MAX: usize = 1024;

const FORM: u8 = 1;
const PUT: u8 = 1;
const DELETE: u8 = 2;

/// One change of one entry.
#[derive(Clone, PartialEq, Eq)]
pub enum Change {
    /// The entry holds this value from now on.
    Put {
        /// The entry's name.
        key: String,
        /// Its new bytes.
        value: Bytes,
    },
    /// The entry is gone; one that is not there stays away.
    Delete {
        /// The entry's name.
        key: String,
    },
}

impl fmt::Debug for Change {
    /// Values may hold secrets: only their size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put { key, value } => f
                .debug_struct("Put")
                .field("key", key)
                .field("bytes", &value.len())
                .finish(),
            Self::Delete { key } => f.debug_struct("Delete").field("key", key).finish(),
        }
    }
}

/// Changes that take effect together, for exactly one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// What the changes were made for; the commit is refused when the store has moved on.
    pub base: Revision,
    /// In order; a later change of a key wins.
    pub changes: Vec<Change>,
}

impl Commit {
    /// Refuses what no store takes.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] past [`COMMIT_BYTES_MAX`] or [`KEY_BYTES_MAX`].
    pub fn check(&self) -> Result<(), StoreError> {
        let mut bytes = 0_usize;
        for change in &self.changes {
            let (key, value) = match change {
                Change::Put { key, value } => (key, value.len()),
                Change::Delete { key } => (key, 0),
            };
            if key.len() > KEY_BYTES_MAX {
                return Err(StoreError::TooLarge {
                    what: "a key",
                    bytes: key.len(),
                    max: KEY_BYTES_MAX,
                });
            }
            bytes = bytes.saturating_add(key.len()).saturating_add(value);
        }
        if bytes > COMMIT_BYTES_MAX {
            return Err(StoreError::TooLarge {
                what: "a commit",
                bytes,
                max: COMMIT_BYTES_MAX,
            });
        }
        Ok(())
    }
}

/// The stored form of changes.
///
/// # Errors
/// [`StoreError::TooLarge`] where a length does not fit the form.
pub fn encode_changes(changes: &[Change]) -> Result<Bytes, StoreError> {
    let mut out = BytesMut::new();
    out.put_u8(FORM);
    put_len(&mut out, changes.len())?;
    for change in changes {
        match change {
            Change::Put { key, value } => {
                out.put_u8(PUT);
                put_block(&mut out, key.as_bytes())?;
                put_block(&mut out, value)?;
            }
            Change::Delete { key } => {
                out.put_u8(DELETE);
                put_block(&mut out, key.as_bytes())?;
            }
        }
    }
    Ok(out.freeze())
}

/// Reads the stored form back; the values share `bytes`.
///
/// # Errors
/// [`StoreError::Corrupt`] when it is none.
pub fn decode_changes(mut bytes: Bytes) -> Result<Vec<Change>, StoreError> {
    let corrupt = || StoreError::Corrupt {
        what: "a commit body cannot be read".into(),
    };
    if bytes.try_get_u8().map_err(|_| corrupt())? != FORM {
        return Err(corrupt());
    }
    let count = bytes.try_get_u32_le().map_err(|_| corrupt())?;
    let mut changes = Vec::new();
    for _ in 0..count {
        let tag = bytes.try_get_u8().map_err(|_| corrupt())?;
        let key = take_block(&mut bytes).ok_or_else(corrupt)?;
        let key = String::from_utf8(key.into()).map_err(|_| corrupt())?;
        changes.push(match tag {
            PUT => Change::Put {
                key,
                value: take_block(&mut bytes).ok_or_else(corrupt)?,
            },
            DELETE => Change::Delete { key },
            _ => return Err(corrupt()),
        });
    }
    if bytes.has_remaining() {
        Err(corrupt())
    } else {
        Ok(changes)
    }
}

fn put_len(out: &mut BytesMut, len: usize) -> Result<(), StoreError> {
    let max = u32::MAX as usize;
    let len = u32::try_from(len).map_err(|_| StoreError::TooLarge {
        what: "a commit",
        bytes: len,
        max,
    })?;
    out.put_u32_le(len);
    Ok(())
}

fn put_block(out: &mut BytesMut, block: &[u8]) -> Result<(), StoreError> {
    put_len(out, block.len())?;
    out.put_slice(block);
    Ok(())
}

fn take_block(bytes: &mut Bytes) -> Option<Bytes> {
    let len = usize::try_from(bytes.try_get_u32_le().ok()?).ok()?;
    (len <= bytes.len()).then(|| bytes.split_to(len))
}

#[cfg(test)]
mod tests {
    use super::{Change, decode_changes, encode_changes};

    #[test]
    fn the_stored_form_reads_back_and_every_cut_of_it_is_refused() {
        let changes = vec![
            Change::Put {
                key: "a".into(),
                value: b"one"[..].into(),
            },
            Change::Delete { key: "b".into() },
            Change::Put {
                key: String::new(),
                value: b""[..].into(),
            },
        ];
        let bytes = encode_changes(&changes).unwrap();
        assert_eq!(decode_changes(bytes.clone()).unwrap(), changes);
        for end in 0..bytes.len() {
            assert!(decode_changes(bytes.slice(..end)).is_err(), "cut at {end}");
        }
    }
}
