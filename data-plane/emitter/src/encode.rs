//! Encoding a candidate for the session shape: Arrow IPC record-batch messages (`flight.md`, Ends and limits).
//!
//! Invariants: MAX SIZE counts the exact bytes of header and body; a candidate whose plain values alone pass the limit
//! is abandoned before anything is written, one that passes it by its framing is abandoned after. Rows of one carrier
//! are encoded from their slice without another copy; rows of several are joined first.

use std::collections::VecDeque;

use arrow::array::{Array, AsArray};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use nervix_codec::Encoding;
use nervix_columns::concat;
use nervix_columns::ipc::{self, IpcMessage};

use crate::carrier::Carrier;

/// Encodes the first rows of a lane, candidate after candidate.
pub(crate) struct Encoder<'a> {
    waiting: &'a VecDeque<Carrier>,
    bytes_max: u64,
    /// The rows of the first candidate that had to be joined.
    joined: Option<RecordBatch>,
    /// Why a candidate could not be encoded at all.
    pub(crate) failed: Option<ArrowError>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(waiting: &'a VecDeque<Carrier>, bytes_max: u64) -> Self {
        Self {
            waiting,
            bytes_max,
            joined: None,
            failed: None,
        }
    }

    /// Encodes the first `rows` rows, or says that they do not fit.
    pub(crate) fn encode(&mut self, rows: usize) -> Encoding<IpcMessage> {
        self.failed = None;
        match self.try_encode(rows) {
            Ok(Some(message)) => Encoding::Fits(message),
            Ok(None) => Encoding::TooLarge,
            Err(error) => {
                self.failed = Some(error);
                Encoding::TooLarge
            }
        }
    }

    fn try_encode(&mut self, rows: usize) -> Result<Option<IpcMessage>, ArrowError> {
        if self.at_least(rows) > self.bytes_max {
            return Ok(None);
        }
        let candidate = self.candidate(rows)?;
        let message = ipc::encode(&candidate)?;
        Ok((message.len() as u64 <= self.bytes_max).then_some(message))
    }

    /// A size that no encoding of the rows can go below.
    fn at_least(&self, rows: usize) -> u64 {
        let mut rest = rows;
        let mut bytes = 0;
        for carrier in self.waiting {
            let part = carrier.rows().min(rest);
            bytes += bytes_at_least(&carrier.records, part);
            rest -= part;
            if rest == 0 || bytes > self.bytes_max {
                break;
            }
        }
        bytes
    }

    fn candidate(&mut self, rows: usize) -> Result<RecordBatch, ArrowError> {
        if let Some(joined) = &self.joined {
            return Ok(joined.slice(0, rows));
        }
        let mut rest = rows;
        let mut parts = Vec::new();
        for carrier in self.waiting {
            let part = carrier.rows().min(rest);
            parts.push(carrier.records.slice(0, part));
            rest -= part;
            if rest == 0 {
                break;
            }
        }
        let several = parts.len() > 1;
        let candidate = concat(&parts)?;
        if several {
            self.joined = Some(candidate.clone());
        }
        Ok(candidate)
    }
}

/// Plain values of the first `rows` rows: less than or equal to what any encoding of them occupies.
fn bytes_at_least(records: &RecordBatch, rows: usize) -> u64 {
    records
        .columns()
        .iter()
        .map(|column| column_bytes_at_least(column.as_ref(), rows))
        .sum()
}

fn column_bytes_at_least(column: &dyn Array, rows: usize) -> u64 {
    let text = |offsets: &[i32]| {
        let at = |row: usize| offsets.get(row).copied().unwrap_or_default();
        u64::try_from(at(rows) - at(0)).unwrap_or_default() + 4 * rows as u64
    };
    match column.data_type() {
        DataType::Boolean => rows as u64 / 8,
        DataType::Utf8 => text(column.as_string::<i32>().value_offsets()),
        DataType::Binary => text(column.as_binary::<i32>().value_offsets()),
        other => other.primitive_width().unwrap_or(0) as u64 * rows as u64,
    }
}

#[cfg(test)]
mod tests;
