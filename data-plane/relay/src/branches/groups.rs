//! The rows of a batch by branch.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Range;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::error::ArrowError;

use super::key::{BranchKey, Column, KEY_BYTES_MAX, KeyError};

/// Which rows of a batch have equal key values. Groups are numbered in the order of their first rows.
pub struct Groups {
    group_of_row: Vec<u32>,
    /// The key of each group in `encoded`.
    keys: Vec<Range<usize>>,
    encoded: Vec<u8>,
    rows_of_group: Vec<u32>,
    too_long: Vec<u32>,
}

impl Groups {
    /// The group of a row whose key is too long: no group.
    pub const NONE: u32 = u32::MAX;

    pub(super) fn of(keys: &[ArrayRef]) -> Result<Self, KeyError> {
        let rows = keys.first().map_or(0, |column| column.len());
        if keys.iter().any(|column| column.len() != rows) {
            return Err(KeyError::Lengths);
        }
        let mut columns = Vec::with_capacity(keys.len());
        for (column, array) in keys.iter().enumerate() {
            let readable = Column::new(array);
            columns.push(readable.ok_or_else(|| KeyError::Type {
                column,
                found: array.data_type().clone(),
            })?);
        }
        let mut ends = Vec::with_capacity(rows);
        let mut encoded = Vec::with_capacity(rows * 16);
        for row in 0..rows {
            columns.iter().for_each(|column| column.encode(row, &mut encoded));
            ends.push(encoded.len());
        }
        Ok(Self::of_encoded(encoded, &ends))
    }

    fn of_encoded(encoded: Vec<u8>, ends: &[usize]) -> Self {
        let mut known: HashMap<&[u8], u32, ahash::RandomState> = HashMap::default();
        let mut keys: Vec<Range<usize>> = Vec::new();
        let mut rows_of_group: Vec<u32> = Vec::new();
        let mut group_of_row = Vec::with_capacity(ends.len());
        let mut too_long = Vec::new();
        let mut previous: Option<(Range<usize>, u32)> = None;
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let place = start..end;
            start = end;
            let key = &encoded[place.clone()];
            if key.len() > KEY_BYTES_MAX {
                too_long.push(row as u32);
                group_of_row.push(Self::NONE);
                continue;
            }
            let group = match &previous {
                // Neighbours are often alike; comparing is cheaper than hashing.
                Some((before, group)) if encoded[before.clone()] == *key => *group,
                _ => match known.entry(key) {
                    Entry::Occupied(found) => *found.get(),
                    Entry::Vacant(new) => {
                        keys.push(place.clone());
                        rows_of_group.push(0);
                        *new.insert((keys.len() - 1) as u32)
                    }
                },
            };
            rows_of_group[group as usize] += 1;
            group_of_row.push(group);
            previous = Some((place, group));
        }
        Self {
            group_of_row,
            keys,
            rows_of_group,
            too_long,
            encoded,
        }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The group of each row: what [`nervix_ack::Share::partition`] takes.
    pub fn group_of_row(&self) -> &[u32] {
        &self.group_of_row
    }

    /// The key values of group `group`, which must be below [`Groups::len`].
    pub fn key(&self, group: usize) -> BranchKey<'_> {
        BranchKey::new(&self.encoded[self.keys[group].clone()])
    }

    /// The number of rows of group `group`, which must be below [`Groups::len`].
    pub fn rows(&self, group: usize) -> usize {
        self.rows_of_group[group] as usize
    }

    /// Rows without a group, because their key is longer than [`KEY_BYTES_MAX`] bytes: errors of these records.
    pub fn too_long(&self) -> &[u32] {
        &self.too_long
    }

    /// The rows of `batch` by group, in row order: one copy of the batch at most, of which each group is a slice.
    pub fn gather(&self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut next = Vec::with_capacity(self.len());
        let mut first = 0;
        for rows in &self.rows_of_group {
            next.push(first);
            first += rows;
        }
        let starts = next.clone();
        let mut order = vec![0_u32; first as usize];
        for (row, &group) in self.group_of_row.iter().enumerate() {
            if group != Self::NONE {
                let place = &mut next[group as usize];
                order[*place as usize] = row as u32;
                *place += 1;
            }
        }
        let in_order = order.len() == batch.num_rows() && order.is_sorted();
        let gathered = if in_order {
            batch.clone()
        } else {
            take_record_batch(batch, &UInt32Array::from(order))?
        };
        let slice = |(start, rows): (u32, &u32)| gathered.slice(start as usize, *rows as usize);
        Ok(starts.into_iter().zip(&self.rows_of_group).map(slice).collect())
    }
}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups")
            .field("rows", &self.group_of_row.len())
            .field("groups", &self.len())
            .field("too_long", &self.too_long.len())
            .finish()
    }
}
