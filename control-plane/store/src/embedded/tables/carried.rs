//! A file of format 1, whose tables have the same keys and values without seals.

use redb::{Key, ReadableTable, TableDefinition, WriteTransaction};

use super::sealed::{Of, sealed};
use super::{At, BLOBS, COMMITS, ENTRIES, Result, UNDO};

const UNSEALED_ENTRIES: TableDefinition<&str, (u64, &[u8])> = TableDefinition::new("entries");
const UNSEALED_COMMITS: TableDefinition<u64, &[u8]> = TableDefinition::new("commits");
const UNSEALED_UNDO: TableDefinition<u64, &[u8]> = TableDefinition::new("undo");
const UNSEALED_BLOBS: TableDefinition<(&str, u32), &[u8]> = TableDefinition::new("blobs");

type Table<K> = TableDefinition<'static, K, &'static [u8]>;

/// Seals everything.
pub(super) fn over(transaction: &WriteTransaction, place: &str) -> Result<()> {
    {
        let old = transaction.open_table(UNSEALED_ENTRIES).at(place)?;
        let mut entries = transaction.open_table(ENTRIES).at(place)?;
        for row in old.iter().at(place)? {
            let (key, value) = row.at(place)?;
            let (key, (revision, value)) = (key.value(), value.value());
            let sealed = sealed(Of::Entry(key, revision), value);
            entries.insert(key, (revision, sealed.as_slice())).at(place)?;
        }
    }
    transaction.delete_table(UNSEALED_ENTRIES).at(place)?;
    table(
        transaction,
        place,
        (UNSEALED_COMMITS, COMMITS),
        |revision, body| sealed(Of::Commit(revision), body),
    )?;
    table(transaction, place, (UNSEALED_UNDO, UNDO), |revision, undo| {
        sealed(Of::Undo(revision), undo)
    })?;
    table(transaction, place, (UNSEALED_BLOBS, BLOBS), |key, chunk| {
        sealed(Of::Chunk(key), chunk)
    })
}

fn table<K: Key + 'static>(
    transaction: &WriteTransaction,
    place: &str,
    (from, to): (Table<K>, Table<K>),
    sealed: impl for<'a> Fn(K::SelfType<'a>, &[u8]) -> Vec<u8>,
) -> Result<()> {
    {
        let old = transaction.open_table(from).at(place)?;
        let mut new = transaction.open_table(to).at(place)?;
        for row in old.iter().at(place)? {
            let (key, value) = row.at(place)?;
            let value = sealed(key.value(), value.value());
            new.insert(key.value(), value.as_slice()).at(place)?;
        }
    }
    transaction.delete_table(from).at(place)?;
    Ok(())
}
