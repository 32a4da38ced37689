//! The contract between codecs and whoever publishes what they make.

use arrow::record_batch::RecordBatch;
use bytes::Bytes;

use crate::fault::RecordFault;
use crate::jobs::JobFuture;

/// A run of finished records, all encoded under one snapshot.
#[derive(Debug, Clone)]
pub struct Rows {
    /// In the exact columns of the codec's schema.
    pub records: RecordBatch,
    /// Domain time of their snapshot, in nanoseconds since 1970-01-01T00:00:00Z: `now` of a program.
    pub snapshot_ns: i64,
}

/// What the next rows became; together the results of one call cover a prefix of the rows, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packed {
    /// One payload.
    Payload {
        /// How many rows it covers, members and left-out ones, at least one.
        rows: usize,
        /// Rows among them that are not members.
        left_out: Vec<LeftOut>,
        /// The exact bytes, never more than MAX SIZE.
        bytes: Bytes,
    },
    /// The next rows have no payload, all members for one reason (one `error.reference`).
    Rejected {
        /// How many rows it covers, at least one; more than one when a batch transformation failed for the whole candidate.
        rows: usize,
        /// Rows among them that are not members.
        left_out: Vec<LeftOut>,
        /// Why the members have no payload.
        fault: RecordFault,
    },
}

/// A row between members that could not become one: it is rejected alone, and the records around it are packed as usual.
/// Ascending in a result, whose first and last row are members. Mostly there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Counted from the first row that the result covers.
    pub row: usize,
    /// Why.
    pub fault: RecordFault,
}

/// What a call of [`PayloadEncoder::pack`] comes to.
pub enum Packing {
    /// It was done on the spot.
    Done(Vec<Packed>),
    /// A job on an extension worker does it. The emitter goes on meanwhile; a job that is refused leaves every row where it
    /// is, to be packed again like after a failed publish.
    Job(JobFuture<Vec<Packed>>),
}

/// Makes payloads of records, for one emitter.
pub trait PayloadEncoder: Send + Sync {
    /// Packs from the front of `rows`, which is all that waits in one lane with one key and one set of headers, in order.
    /// Gives at most `payloads_max` results, fewer where those have enough bytes (at least one is made), covering at least one
    /// row when there is one.
    ///
    /// It keeps nothing between calls: the emitter removes what is covered and calls again with what is left. Members that
    /// were encoded for a candidate and did not get into the last result are encoded again by the next call, so a caller
    /// that can keep several payloads should ask for several.
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing;
}

impl Packed {
    /// The next row has no payload.
    pub fn rejected(fault: RecordFault) -> Self {
        Self::Rejected {
            rows: 1,
            left_out: Vec::new(),
            fault,
        }
    }

    /// How many rows it covers.
    pub fn rows(&self) -> usize {
        match self {
            Self::Payload { rows, .. } | Self::Rejected { rows, .. } => *rows,
        }
    }
}
