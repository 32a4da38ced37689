//! Reading: the last whole state at or before a revision, and the commits after it up to there.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use nervix_store::{Change, Entry, Revision, Snapshot, StoreError, decode_changes};

use crate::{
    EtcdStore,
    connection::Failure,
    layout::{Body, Layout, unreadable},
};

/// How often a read begins again because etcd compacted what it was reading.
const READ_ATTEMPTS: usize = 10;

/// Why one attempt to read ended.
pub(crate) enum ReadError {
    Failure(Failure),
    Store(StoreError),
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl EtcdStore {
    pub(crate) async fn read_at(&self, revision: Option<Revision>) -> Result<Snapshot, StoreError> {
        for _ in 0..READ_ATTEMPTS {
            match self.try_read(revision).await {
                Ok(snapshot) => return Ok(snapshot),
                Err(ReadError::Failure(Failure::Compacted)) => {}
                Err(ReadError::Failure(failure)) => return Err(self.connection.unavailable(failure)),
                Err(ReadError::Store(error)) => return Err(error),
            }
        }
        Err(self.connection.unavailable(Failure::Compacted))
    }

    /// Everything is read as it was at one revision of etcd.
    async fn try_read(&self, revision: Option<Revision>) -> Result<Snapshot, ReadError> {
        let (head, at) = self.find_head().await?;
        let head = head.revision;
        let revision = revision.unwrap_or(head);
        if revision > head {
            return Err(StoreError::Future { revision, head }.into());
        }
        let wholes = self
            .connection
            .range(
                self.layout.whole(Revision(0)),
                self.layout.whole(revision.next()),
                at,
            )
            .await?;
        let mut snapshot = Snapshot::default();
        if let Some((key, value, _)) = wholes.entries.last() {
            let whole = Layout::revision_of(key)?;
            snapshot = self.read_whole(whole, &Body::read(value)?, at).await?;
        }
        let commits = self.read_commits(snapshot.revision, revision, at).await?;
        for (commit, changes) in commits {
            if commit != snapshot.revision.next() {
                return Err(StoreError::Pruned {
                    revision,
                    oldest: Revision(commit.0 - 1),
                }
                .into());
            }
            snapshot.apply(commit, &changes);
        }
        if snapshot.revision != revision {
            return Err(self.pruned(revision, at).await?.into());
        }
        Ok(snapshot)
    }

    /// The kept commits after one revision up to another, in order.
    pub(crate) async fn read_commits(
        &self,
        after: Revision,
        to: Revision,
        at: i64,
    ) -> Result<Vec<(Revision, Vec<Change>)>, ReadError> {
        let log = self
            .connection
            .range(self.layout.log(after.next()), self.layout.log(to.next()), at)
            .await?;
        let Some((first, _, _)) = log.entries.first() else {
            return Ok(Vec::new());
        };
        let first_base = Revision(Layout::revision_of(first)?.0.saturating_sub(1));
        let bodies = self
            .connection
            .range(
                self.layout.bodies_from(first_base),
                self.layout.bodies_from(to),
                at,
            )
            .await?;
        let mut chunks: BTreeMap<(Revision, String), Vec<&[u8]>> = BTreeMap::new();
        for (key, value, _) in &bodies.entries {
            let (base, id) = Layout::owner_of(key)?;
            chunks.entry((base, id.to_owned())).or_default().push(value);
        }
        let mut commits = Vec::new();
        for (key, value, _) in &log.entries {
            let revision = Layout::revision_of(key)?;
            let body = Body::read(value)?;
            let base = Revision(revision.0.saturating_sub(1));
            let parts = chunks.remove(&(base, body.id.clone())).unwrap_or_default();
            commits.push((revision, decode_changes(joined(&parts, &body)?)?));
        }
        Ok(commits)
    }

    async fn read_whole(&self, revision: Revision, body: &Body, at: i64) -> Result<Snapshot, ReadError> {
        let prefix = self.layout.state(revision, &body.id);
        let page = self
            .connection
            .range(prefix.clone(), format!("{prefix}~"), at)
            .await?;
        let parts: Vec<&[u8]> = page
            .entries
            .iter()
            .map(|(_, value, _)| value.as_slice())
            .collect();
        Ok(decode_whole(revision, joined(&parts, body)?)?)
    }

    /// The refusal of a revision that is no longer kept.
    pub(crate) async fn pruned(&self, revision: Revision, at: i64) -> Result<StoreError, ReadError> {
        let wholes = self
            .connection
            .range(
                self.layout.whole(Revision(0)),
                self.layout.whole(Revision(u64::MAX)),
                at,
            )
            .await?;
        let oldest = match wholes.entries.first() {
            Some((key, _, _)) => Layout::revision_of(key)?,
            None => revision,
        };
        Ok(StoreError::Pruned { revision, oldest })
    }
}

fn joined(parts: &[&[u8]], body: &Body) -> Result<Bytes, StoreError> {
    let mut bytes = BytesMut::with_capacity(body.bytes);
    for part in parts {
        bytes.extend_from_slice(part);
    }
    if parts.len() == body.chunks && bytes.len() == body.bytes {
        Ok(bytes.freeze())
    } else {
        Err(unreadable("a body"))
    }
}

/// A whole state is stored as puts whose values begin with the revision that wrote them.
pub(crate) fn whole_changes(snapshot: &Snapshot) -> Vec<Change> {
    let puts = snapshot.entries.iter().map(|(key, entry)| {
        let mut value = BytesMut::with_capacity(entry.value.len() + REVISION_BYTES);
        value.extend_from_slice(&entry.modified.0.to_le_bytes());
        value.extend_from_slice(&entry.value);
        Change::Put {
            key: key.clone(),
            value: value.freeze(),
        }
    });
    puts.collect()
}

const REVISION_BYTES: usize = 8;

fn decode_whole(revision: Revision, bytes: Bytes) -> Result<Snapshot, StoreError> {
    let mut snapshot = Snapshot {
        revision,
        ..Snapshot::default()
    };
    for change in decode_changes(bytes)? {
        let Change::Put { key, mut value } = change else {
            return Err(unreadable("a whole state"));
        };
        if value.len() < REVISION_BYTES {
            return Err(unreadable("a whole state"));
        }
        let modified = value.split_to(REVISION_BYTES);
        let modified =
            <[u8; REVISION_BYTES]>::try_from(&modified[..]).map_err(|_| unreadable("a whole state"))?;
        snapshot.entries.insert(
            key,
            Entry {
                value,
                modified: Revision(u64::from_le_bytes(modified)),
            },
        );
    }
    Ok(snapshot)
}

#[cfg(test)]
mod tests {
    use nervix_store::{Change, Revision, Snapshot, encode_changes};

    use super::{decode_whole, whole_changes};

    #[test]
    fn a_whole_state_reads_back_with_its_revisions() {
        let mut snapshot = Snapshot::default();
        snapshot.apply(
            Revision(1),
            &[Change::Put {
                key: "a".into(),
                value: "1".into(),
            }],
        );
        snapshot.apply(
            Revision(2),
            &[Change::Put {
                key: "b".into(),
                value: "".into(),
            }],
        );
        let stored = encode_changes(&whole_changes(&snapshot)).unwrap();
        assert_eq!(decode_whole(Revision(2), stored).unwrap(), snapshot);
    }
}
