//! What a store holds at one revision.
//!
//! Invariant: a snapshot is the sum of all commits up to its revision, and every entry names the commit that wrote it last.

use std::{collections::BTreeMap, fmt};

use bytes::Bytes;

use crate::Change;

/// Counts the commits of a store; an empty store is at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision(pub u64);

impl Revision {
    /// The revision that the next commit makes.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value and the commit that wrote it.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The bytes as they were put.
    pub value: Bytes,
    /// The revision of the commit that put them.
    pub modified: Revision,
}

impl fmt::Debug for Entry {
    /// Values may hold secrets: only their size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("bytes", &self.value.len())
            .field("modified", &self.modified)
            .finish()
    }
}

/// All entries at one revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The revision that these entries belong to.
    pub revision: Revision,
    /// The entries in the order of their keys.
    pub entries: BTreeMap<String, Entry>,
}

impl Snapshot {
    /// Moves the snapshot one commit on.
    pub fn apply(&mut self, revision: Revision, changes: &[Change]) {
        self.revision = revision;
        for change in changes {
            match change {
                Change::Put { key, value } => {
                    self.entries.insert(
                        key.clone(),
                        Entry {
                            value: value.clone(),
                            modified: revision,
                        },
                    );
                }
                Change::Delete { key } => {
                    self.entries.remove(key);
                }
            }
        }
    }
}
