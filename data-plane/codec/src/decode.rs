//! The contract between codecs and ingestors.

use arrow::record_batch::RecordBatch;
use bytes::Bytes;

use crate::fault::RecordFault;
use crate::jobs::JobFuture;

/// What payloads became.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// How many payloads were read, from the first on: fewer than all when their records would not fit in one batch. At
    /// least one is, when there is one.
    pub read: u32,
    /// The records, in the order of their payloads and in the exact columns of the codec's schema.
    pub records: RecordBatch,
    /// Of each record, the place of its payload; ascending.
    pub payloads: Vec<u32>,
    /// The payloads that could not be read, ascending by place; none of them gave a record.
    pub rejected: Vec<RejectedPayload>,
}

/// A payload that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedPayload {
    /// Its place among the payloads.
    pub payload: u32,
    /// Why: operation `decode`.
    pub fault: RecordFault,
}

/// What a call of [`PayloadDecoder::decode`] comes to.
pub enum Decoding {
    /// It was done on the spot.
    Done(Decoded),
    /// A job on an extension worker does it; one that is refused has read nothing.
    Job(JobFuture<Decoded>),
}

/// Reads payloads into columns, for one ingestor.
pub trait PayloadDecoder: Send + Sync {
    /// Reads each payload by itself: one that cannot be read is rejected alone. `now_ns` is the domain time that `now` of a
    /// program reads, in nanoseconds since 1970-01-01T00:00:00Z.
    fn decode(&self, payloads: &[Bytes], now_ns: i64) -> Decoding;
}
