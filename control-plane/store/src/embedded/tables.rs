//! The tables of an embedded store and the transactions over them.
//!
//! Format 2: `meta` (format, head), and below `sealed` the tables `entries` (key to revision and value), `commits` (revision
//! to the stored form of its changes), `undo` (revision to what each changed key held before: a put whose value is the
//! revision and the old value, or a delete), `blobs` (name and index to chunk). Each value is sealed, and the seal covers its
//! key. Format 1, which is carried over when it is found, had the same tables without seals.
//!
//! Invariant: nothing is read of which a byte was changed, and a file does not open where that is so of its catalog.

mod carried;
mod sealed;

use std::{collections::HashSet, fmt::Display};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use sealed::{Of, sealed, unsealed};

use crate::{
    BlobId, Change, Commit, Entry, RETAINED_REVISIONS, Revision, Snapshot, StoreError, decode_changes,
    encode_changes,
};

const FORMAT: u64 = 2;
/// The one that is carried over.
const UNSEALED_FORMAT: u64 = 1;
const FORMAT_KEY: &str = "format";
const HEAD_KEY: &str = "head";

const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const ENTRIES: TableDefinition<&str, (u64, &[u8])> = TableDefinition::new("sealed entries");
const COMMITS: TableDefinition<u64, &[u8]> = TableDefinition::new("sealed commits");
const UNDO: TableDefinition<u64, &[u8]> = TableDefinition::new("sealed undo");
const BLOBS: TableDefinition<(&str, u32), &[u8]> = TableDefinition::new("sealed blobs");

type Result<T> = std::result::Result<T, StoreError>;

/// Turns a driver's error into ours.
trait At<T> {
    fn at(self, place: &str) -> Result<T>;
}

impl<T, E: Display> At<T> for std::result::Result<T, E> {
    fn at(self, place: &str) -> Result<T> {
        self.map_err(|error| StoreError::Unavailable {
            place: place.into(),
            message: error.to_string(),
        })
    }
}

/// Makes the tables of a new file, or checks the format of an old one; answers the head.
pub(super) fn prepare(database: &Database, place: &str) -> Result<Revision> {
    let transaction = database.begin_write().at(place)?;
    let head = {
        let mut meta = transaction.open_table(META).at(place)?;
        let format = meta.get(FORMAT_KEY).at(place)?.map(|guard| guard.value());
        match format {
            Some(FORMAT) => {}
            Some(UNSEALED_FORMAT) => {
                carried::over(&transaction, place)?;
                meta.insert(FORMAT_KEY, FORMAT).at(place)?;
            }
            Some(found) => {
                return Err(StoreError::Format {
                    place: place.into(),
                    found,
                    supported: FORMAT,
                });
            }
            None => {
                meta.insert(FORMAT_KEY, FORMAT).at(place)?;
                meta.insert(HEAD_KEY, 0).at(place)?;
            }
        }
        transaction.open_table(BLOBS).at(place)?;
        let head = head_of(&meta, place)?;
        check(&transaction, place, head)?;
        head
    };
    transaction.commit().at(place)?;
    Ok(head)
}

/// Whether the catalog is what was written: each entry, and what is kept of earlier revisions. Of blobs each is looked at when
/// it is read.
fn check(transaction: &WriteTransaction, place: &str, head: Revision) -> Result<()> {
    for row in transaction.open_table(ENTRIES).at(place)?.iter().at(place)? {
        let (key, value) = row.at(place)?;
        let (modified, value) = value.value();
        unsealed(place, Of::Entry(key.value(), modified), value)?;
    }
    for row in transaction.open_table(UNDO).at(place)?.iter().at(place)? {
        let (revision, undo) = row.at(place)?;
        unsealed(place, Of::Undo(revision.value()), undo.value())?;
    }
    let commits = transaction.open_table(COMMITS).at(place)?;
    for row in commits.iter().at(place)? {
        let (revision, body) = row.at(place)?;
        unsealed(place, Of::Commit(revision.value()), body.value())?;
    }
    let last = commits.last().at(place)?.map_or(0, |(last, _)| last.value());
    match last == head.0 {
        true => Ok(()),
        false => Err(StoreError::Corrupt {
            what: format!(
                "{place} is at revision {head} and its last commit is {last}; restore a copy of it"
            ),
        }),
    }
}

pub(super) fn commit(database: &Database, place: &str, commit: &Commit) -> Result<Revision> {
    let transaction = database.begin_write().at(place)?;
    let head = head_of(&transaction.open_table(META).at(place)?, place)?;
    if head != commit.base {
        transaction.abort().at(place)?;
        return Err(StoreError::Conflict { head });
    }
    let revision = head.next();
    let undo = apply(&transaction, place, revision, &commit.changes)?;
    {
        let mut commits = transaction.open_table(COMMITS).at(place)?;
        commits
            .insert(
                revision.0,
                sealed(Of::Commit(revision.0), &encode_changes(&commit.changes)?).as_slice(),
            )
            .at(place)?;
        let mut undos = transaction.open_table(UNDO).at(place)?;
        undos
            .insert(
                revision.0,
                sealed(Of::Undo(revision.0), &encode_changes(&undo)?).as_slice(),
            )
            .at(place)?;
        let oldest_kept = revision.0.saturating_sub(RETAINED_REVISIONS).saturating_add(1);
        commits.retain_in(..oldest_kept, |_, _| false).at(place)?;
        undos.retain_in(..oldest_kept, |_, _| false).at(place)?;
        transaction
            .open_table(META)
            .at(place)?
            .insert(HEAD_KEY, revision.0)
            .at(place)?;
    }
    // What fails from here on may be on disk all the same.
    match transaction.commit() {
        Ok(()) => Ok(revision),
        Err(error) => Err(StoreError::Unknown {
            message: error.to_string(),
        }),
    }
}

/// Whether the commit that made `revision` is of exactly these changes.
pub(super) fn has_commit(
    database: &Database,
    place: &str,
    revision: Revision,
    changes: &[Change],
) -> Result<bool> {
    let commits = database.begin_read().at(place)?.open_table(COMMITS).at(place)?;
    let found = commits.get(revision.0).at(place)?;
    let wanted = sealed(Of::Commit(revision.0), &encode_changes(changes)?);
    Ok(found.is_some_and(|found| found.value() == wanted))
}

/// Writes what is there already, to see whether the file can be written; answers the head.
pub(super) fn touch(database: &Database, place: &str) -> Result<Revision> {
    let transaction = database.begin_write().at(place)?;
    let head = {
        let mut meta = transaction.open_table(META).at(place)?;
        let head = head_of(&meta, place)?;
        meta.insert(HEAD_KEY, head.0).at(place)?;
        head
    };
    transaction.commit().at(place)?;
    Ok(head)
}

/// Writes the changes and answers how each changed key is put back.
fn apply(
    transaction: &WriteTransaction,
    place: &str,
    revision: Revision,
    changes: &[Change],
) -> Result<Vec<Change>> {
    let mut entries = transaction.open_table(ENTRIES).at(place)?;
    let mut undo = Vec::new();
    let mut seen = HashSet::new();
    for change in changes {
        let (key, before) = match change {
            Change::Put { key, value } => {
                let sealed = sealed(Of::Entry(key, revision.0), value);
                let before = entries
                    .insert(key.as_str(), (revision.0, sealed.as_slice()))
                    .at(place)?;
                let before = before.map(|guard| packed(place, key, guard.value()));
                (key, before.transpose()?)
            }
            Change::Delete { key } => {
                let before = entries.remove(key.as_str()).at(place)?;
                let before = before.map(|guard| packed(place, key, guard.value()));
                (key, before.transpose()?)
            }
        };
        if seen.insert(key) {
            undo.push(match before {
                Some(value) => Change::Put {
                    key: key.clone(),
                    value,
                },
                None => Change::Delete { key: key.clone() },
            });
        }
    }
    Ok(undo)
}

fn packed(place: &str, key: &str, (modified, value): (u64, &[u8])) -> Result<Bytes> {
    let value = unsealed(place, Of::Entry(key, modified), value)?;
    let mut packed = BytesMut::with_capacity(value.len().saturating_add(8));
    packed.put_u64_le(modified);
    packed.put_slice(value);
    Ok(packed.freeze())
}

fn unpacked(mut packed: Bytes) -> Result<Entry> {
    let corrupt = |_| StoreError::Corrupt {
        what: "an undo record cannot be read".into(),
    };
    let modified = Revision(packed.try_get_u64_le().map_err(corrupt)?);
    Ok(Entry {
        value: packed,
        modified,
    })
}

pub(super) fn read(database: &Database, place: &str, at: Option<Revision>) -> Result<Snapshot> {
    let transaction = database.begin_read().at(place)?;
    let head = head_of(&transaction.open_table(META).at(place)?, place)?;
    let at = at.unwrap_or(head);
    check_kept(&transaction, place, at, head)?;
    let mut snapshot = Snapshot {
        revision: at,
        ..Snapshot::default()
    };
    let entries = transaction.open_table(ENTRIES).at(place)?;
    for row in entries.iter().at(place)? {
        let (key, value) = row.at(place)?;
        let (modified, value) = value.value();
        let value = unsealed(place, Of::Entry(key.value(), modified), value)?;
        let entry = Entry {
            value: Bytes::copy_from_slice(value),
            modified: Revision(modified),
        };
        snapshot.entries.insert(key.value().to_owned(), entry);
    }
    let undos = transaction.open_table(UNDO).at(place)?;
    for row in undos.range(at.next().0..).at(place)?.rev() {
        let (revision, undo) = row.at(place)?;
        let undo = unsealed(place, Of::Undo(revision.value()), undo.value())?;
        for change in decode_changes(Bytes::copy_from_slice(undo))? {
            match change {
                Change::Put { key, value } => drop(snapshot.entries.insert(key, unpacked(value)?)),
                Change::Delete { key } => drop(snapshot.entries.remove(&key)),
            }
        }
    }
    Ok(snapshot)
}

/// The commits after a revision, in order, at most `max` of them.
pub(super) fn commits(
    database: &Database,
    place: &str,
    after: Revision,
    max: usize,
) -> Result<Vec<(Revision, Vec<Change>)>> {
    let transaction = database.begin_read().at(place)?;
    let head = head_of(&transaction.open_table(META).at(place)?, place)?;
    check_kept(&transaction, place, after, head)?;
    let commits = transaction.open_table(COMMITS).at(place)?;
    let mut read = Vec::new();
    for row in commits.range(after.next().0..).at(place)?.take(max) {
        let (revision, body) = row.at(place)?;
        let body = unsealed(place, Of::Commit(revision.value()), body.value())?;
        read.push((
            Revision(revision.value()),
            decode_changes(Bytes::copy_from_slice(body))?,
        ));
    }
    Ok(read)
}

fn check_kept(transaction: &ReadTransaction, place: &str, revision: Revision, head: Revision) -> Result<()> {
    if revision > head {
        return Err(StoreError::Future { revision, head });
    }
    let undos = transaction.open_table(UNDO).at(place)?;
    let oldest = match undos.first().at(place)? {
        Some((first, _)) => Revision(first.value().saturating_sub(1)),
        None => head,
    };
    if revision < oldest {
        Err(StoreError::Pruned { revision, oldest })
    } else {
        Ok(())
    }
}

fn head_of(meta: &impl ReadableTable<&'static str, u64>, place: &str) -> Result<Revision> {
    let head = meta.get(HEAD_KEY).at(place)?.map(|guard| guard.value());
    head.map(Revision).ok_or_else(|| StoreError::Corrupt {
        what: format!("{place} has no head"),
    })
}

pub(super) fn put_chunk(database: &Database, place: &str, chunk: (&BlobId, u32), bytes: &[u8]) -> Result<()> {
    let transaction = database.begin_write().at(place)?;
    {
        let mut blobs = transaction.open_table(BLOBS).at(place)?;
        let key = (chunk.0.as_str(), chunk.1);
        let sealed = sealed(Of::Chunk(key), bytes);
        blobs.insert(key, sealed.as_slice()).at(place)?;
    }
    transaction.commit().at(place)
}

pub(super) fn chunk(database: &Database, place: &str, blob: &BlobId, index: u32) -> Result<Bytes> {
    let transaction = database.begin_read().at(place)?;
    let blobs = transaction.open_table(BLOBS).at(place)?;
    let key = (blob.as_str(), index);
    match blobs.get(key).at(place)? {
        Some(chunk) => {
            let chunk = unsealed(place, Of::Chunk(key), chunk.value())?;
            Ok(Bytes::copy_from_slice(chunk))
        }
        None => Err(StoreError::NoChunk {
            blob: blob.to_string(),
            index,
        }),
    }
}

pub(super) fn blobs(database: &Database, place: &str) -> Result<Vec<BlobId>> {
    let transaction = database.begin_read().at(place)?;
    let table = transaction.open_table(BLOBS).at(place)?;
    let mut blobs: Vec<BlobId> = Vec::new();
    for row in table.iter().at(place)? {
        let (key, _) = row.at(place)?;
        let (name, _) = key.value();
        if blobs.last().is_none_or(|last| last.as_str() != name) {
            blobs.push(BlobId::new(name)?);
        }
    }
    Ok(blobs)
}

pub(super) fn remove_blob(database: &Database, place: &str, blob: &BlobId) -> Result<()> {
    let transaction = database.begin_write().at(place)?;
    {
        let mut blobs = transaction.open_table(BLOBS).at(place)?;
        blobs
            .retain_in((blob.as_str(), 0)..=(blob.as_str(), u32::MAX), |_, _| false)
            .at(place)?;
    }
    transaction.commit().at(place)
}
