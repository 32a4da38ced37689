//! The tables of the file and the transactions over them.
//!
//! Format 2: `meta` (format, next relay number), `known` (domain and relay to number and sealed form), `states` (number and key
//! to timestamp and sealed row). What is sealed covers its whole entry. Format 1, which is carried over when it is found, had the
//! same in `relays` and `rows` without seals.
//!
//! Invariant: a file of which a byte was changed does not open, since everything in it is looked at.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use nervix_clock::DomainTime;
use nervix_database::{seal, unseal};
use nervix_relay::{Latest, Restored};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use crate::StateError;
use crate::pending::Dirty;
use crate::row;

const FORMAT: u64 = 2;
/// The one that is carried over.
const UNSEALED_FORMAT: u64 = 1;
const FORMAT_KEY: &str = "format";
const NEXT_KEY: &str = "next relay";

const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const RELAYS: TableDefinition<(&str, &str), (u64, &[u8])> = TableDefinition::new("known");
const ROWS: TableDefinition<RowKey, RowValue> = TableDefinition::new("states");
const UNSEALED_RELAYS: TableDefinition<(&str, &str), (u64, &str)> = TableDefinition::new("relays");
const UNSEALED_ROWS: TableDefinition<RowKey, RowValue> = TableDefinition::new("rows");

/// The number of a relay and the key of one of its branches.
type RowKey = (u64, &'static [u8]);
/// A timestamp and an encoded row, which is sealed.
type RowValue = (i64, &'static [u8]);

type Result<T> = std::result::Result<T, StateError>;

/// A domain and a relay of it.
pub(crate) type RelayName = (Arc<str>, Arc<str>);

/// A relay in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) number: u64,
    pub(crate) form: String,
}

/// Turns a driver's error into ours.
trait At<T> {
    fn at(self, place: &str) -> Result<T>;
}

impl<T, E: Display> At<T> for std::result::Result<T, E> {
    fn at(self, place: &str) -> Result<T> {
        self.map_err(|error| StateError::Unavailable {
            place: place.into(),
            message: error.to_string(),
        })
    }
}

/// Makes the tables of a new file, or checks the format of an old one; gives the relays in it.
pub(crate) fn prepare(database: &Database, place: &str) -> Result<BTreeMap<RelayName, Kept>> {
    let transaction = database.begin_write().at(place)?;
    let mut known = BTreeMap::new();
    {
        let mut meta = transaction.open_table(META).at(place)?;
        let format = meta.get(FORMAT_KEY).at(place)?.map(|guard| guard.value());
        match format {
            Some(FORMAT) => {}
            Some(UNSEALED_FORMAT) => {
                carry_over(&transaction, place)?;
                meta.insert(FORMAT_KEY, FORMAT).at(place)?;
            }
            Some(found) => {
                return Err(StateError::Format {
                    place: place.into(),
                    found,
                    supported: FORMAT,
                });
            }
            None => {
                meta.insert(FORMAT_KEY, FORMAT).at(place)?;
            }
        }
        for entry in transaction.open_table(ROWS).at(place)?.iter().at(place)? {
            let (key, state) = entry.at(place)?;
            unsealed_row(place, key.value(), state.value())?;
        }
        let relays = transaction.open_table(RELAYS).at(place)?;
        for entry in relays.iter().at(place)? {
            let (name, kept) = entry.at(place)?;
            let ((domain, relay), (number, form)) = (name.value(), kept.value());
            let form = unsealed_form(place, (domain, relay), (number, form))?;
            known.insert((domain.into(), relay.into()), Kept { number, form });
        }
        let next = meta.get(NEXT_KEY).at(place)?.map_or(0, |guard| guard.value());
        if known.values().any(|kept| kept.number >= next) {
            return Err(StateError::Corrupt {
                what: format!("{place} is damaged: its relays have numbers that were not given"),
            });
        }
    }
    transaction.commit().at(place)?;
    Ok(known)
}

/// Seals what a file of format 1 has.
fn carry_over(transaction: &WriteTransaction, place: &str) -> Result<()> {
    {
        let old = transaction.open_table(UNSEALED_ROWS).at(place)?;
        let mut rows = transaction.open_table(ROWS).at(place)?;
        for entry in old.iter().at(place)? {
            let (key, state) = entry.at(place)?;
            let (key, (timestamp, row)) = (key.value(), state.value());
            let sealed = sealed_row(key, timestamp, row);
            rows.insert(key, (timestamp, sealed.as_slice())).at(place)?;
        }
        let old = transaction.open_table(UNSEALED_RELAYS).at(place)?;
        let mut relays = transaction.open_table(RELAYS).at(place)?;
        for entry in old.iter().at(place)? {
            let (name, kept) = entry.at(place)?;
            let (name, (number, form)) = (name.value(), kept.value());
            let sealed = sealed_form(name, number, form);
            relays.insert(name, (number, sealed.as_slice())).at(place)?;
        }
    }
    transaction.delete_table(UNSEALED_ROWS).at(place)?;
    transaction.delete_table(UNSEALED_RELAYS).at(place)?;
    Ok(())
}

fn sealed_row((number, key): (u64, &[u8]), timestamp: i64, row: &[u8]) -> Vec<u8> {
    seal(&[&number.to_le_bytes(), key, &timestamp.to_le_bytes()], row)
}

fn unsealed_row<'a>(
    place: &str,
    (number, key): (u64, &[u8]),
    (timestamp, sealed): (i64, &'a [u8]),
) -> Result<&'a [u8]> {
    let belongs = [&number.to_le_bytes()[..], key, &timestamp.to_le_bytes()];
    Ok(unseal(place, &belongs, sealed)?)
}

fn sealed_form((domain, relay): (&str, &str), number: u64, form: &str) -> Vec<u8> {
    let belongs = [domain.as_bytes(), relay.as_bytes(), &number.to_le_bytes()];
    seal(&belongs, form.as_bytes())
}

fn unsealed_form(
    place: &str,
    (domain, relay): (&str, &str),
    (number, sealed): (u64, &[u8]),
) -> Result<String> {
    let belongs = [domain.as_bytes(), relay.as_bytes(), &number.to_le_bytes()];
    let form = unseal(place, &belongs, sealed)?;
    Ok(String::from_utf8_lossy(form).into_owned())
}

/// Gives a relay a number of its own; what `old` had is forgotten.
pub(crate) fn add(
    database: &Database,
    place: &str,
    (name, form): (&RelayName, String),
    old: Option<&Kept>,
) -> Result<Kept> {
    let transaction = database.begin_write().at(place)?;
    let number = {
        let mut meta = transaction.open_table(META).at(place)?;
        let number = meta.get(NEXT_KEY).at(place)?.map_or(0, |guard| guard.value());
        meta.insert(NEXT_KEY, number + 1).at(place)?;
        let mut rows = transaction.open_table(ROWS).at(place)?;
        if let Some(old) = old {
            rows.retain_in(all_of(old.number), |_, _| false).at(place)?;
        }
        let mut relays = transaction.open_table(RELAYS).at(place)?;
        let name = (&*name.0, &*name.1);
        let sealed = sealed_form(name, number, &form);
        relays.insert(name, (number, sealed.as_slice())).at(place)?;
        number
    };
    transaction.commit().at(place)?;
    Ok(Kept { number, form })
}

/// Forgets relays with all their states.
pub(crate) fn remove(database: &Database, place: &str, gone: &[(RelayName, Kept)]) -> Result<()> {
    let transaction = database.begin_write().at(place)?;
    {
        let mut relays = transaction.open_table(RELAYS).at(place)?;
        let mut rows = transaction.open_table(ROWS).at(place)?;
        for (name, kept) in gone {
            relays.remove((&*name.0, &*name.1)).at(place)?;
            rows.retain_in(all_of(kept.number), |_, _| false).at(place)?;
        }
    }
    transaction.commit().at(place)
}

/// The states of a relay.
pub(crate) fn read(
    database: &Database,
    place: &str,
    number: u64,
    schema: &SchemaRef,
) -> Result<Vec<Restored>> {
    let rows = database.begin_read().at(place)?.open_table(ROWS).at(place)?;
    let mut states = Vec::new();
    for entry in rows.range(all_of(number)).at(place)? {
        let (key, state) = entry.at(place)?;
        let timestamp = state.value().0;
        let bytes = unsealed_row(place, key.value(), state.value())?;
        let record = row::decode(bytes, Arc::clone(schema)).map_err(|error| StateError::Corrupt {
            what: format!("{place}: {error}"),
        })?;
        states.push(Restored {
            key: key.value().1.to_vec(),
            latest: Latest::new(record, DomainTime(timestamp)),
        });
    }
    Ok(states)
}

/// Writes states in one transaction, which is on disk when this returns.
pub(crate) fn write(database: &Database, place: &str, dirty: &Dirty) -> Result<()> {
    let transaction = database.begin_write().at(place)?;
    {
        let mut rows = transaction.open_table(ROWS).at(place)?;
        for ((relay, key), latest) in dirty {
            let place_of_row = (*relay, &**key);
            match latest {
                None => {
                    rows.remove(place_of_row).at(place)?;
                }
                Some(latest) => {
                    let bytes = row::encode(latest.record()).at(place)?;
                    let timestamp = latest.timestamp().0;
                    let sealed = sealed_row(place_of_row, timestamp, &bytes);
                    rows.insert(place_of_row, (timestamp, sealed.as_slice()))
                        .at(place)?;
                }
            }
        }
    }
    transaction.commit().at(place)
}

/// Writes what is there already, to see whether the file can be written.
pub(crate) fn touch(database: &Database, place: &str) -> Result<()> {
    let transaction = database.begin_write().at(place)?;
    {
        let mut meta = transaction.open_table(META).at(place)?;
        meta.insert(FORMAT_KEY, FORMAT).at(place)?;
    }
    transaction.commit().at(place)
}

fn all_of(number: u64) -> std::ops::Range<(u64, &'static [u8])> {
    (number, &[])..(number + 1, &[])
}
