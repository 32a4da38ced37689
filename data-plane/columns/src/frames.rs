//! The Arrow messages inside a stream of `FlightData`: schema, dictionaries, record batches.
//!
//! Invariant: what a peer sends is bounds-checked before the Arrow reader sees it, and unpacked sizes are bounded, so
//! that no message can panic the reader or make it allocate without bound. Bodies are decoded without a copy where
//! their buffers are aligned. Types are judged elsewhere.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use arrow::{
    array::{Array, ArrayRef, RecordBatch},
    buffer::Buffer,
    datatypes::SchemaRef,
    error::ArrowError,
};
use arrow_ipc::{MessageHeader, MetadataVersion};
use bytes::Bytes;

/// How many times the size of a message its compressed buffers may unpack to.
pub(crate) const UNPACKED_FACTOR_MAX: u64 = 16;
/// Rows that one record batch may have.
pub(crate) const ROWS_MAX: i64 = 16 * 1024 * 1024;
/// Dictionaries that one stream may define.
pub(crate) const DICTIONARIES_MAX: usize = 4096;
/// Bytes before each compressed buffer that say its unpacked length.
const LENGTH_PREFIX_BYTES: usize = 8;

/// One message, decoded.
#[derive(Debug)]
pub(crate) enum Frame {
    /// No Arrow message: metadata only.
    Nothing,
    /// The schema of all that follows.
    Schema(SchemaRef),
    /// Values that later batches refer to; takes no position.
    Dictionary,
    /// Rows.
    Batch(RecordBatch),
}

/// Why a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameFault {
    #[error("data_header is no Arrow IPC message")]
    NoMessage,
    #[error(
        "an Arrow message of type {0} does not belong on this stream; send a schema, dictionaries and record batches"
    )]
    UnexpectedType(String),
    #[error("a record batch or dictionary came before the schema message")]
    NoSchema,
    #[error("a second schema message; open a new stream for another schema")]
    SecondSchema,
    #[error("the Arrow message is inconsistent: {0}")]
    Inconsistent(&'static str),
    #[error("the Arrow message cannot be read: {0}")]
    Unreadable(String),
    #[error("a record batch of {rows} rows; at most {ROWS_MAX} are taken, so send smaller batches")]
    TooManyRows { rows: i64 },
    #[error("more than {DICTIONARIES_MAX} dictionaries on one stream; send plain columns")]
    TooManyDictionaries,
    #[error("a message unpacks to more than {limit} bytes; send smaller batches")]
    TooLarge { limit: u64 },
    #[error(
        "dictionaries of this stream hold more than {limit} bytes; send plain columns or smaller dictionaries"
    )]
    DictionariesTooLarge { limit: u64 },
}

impl FrameFault {
    /// Whether the fault is one of size, not of form.
    pub(crate) fn is_size(&self) -> bool {
        matches!(
            self,
            Self::TooManyRows { .. } | Self::TooLarge { .. } | Self::DictionariesTooLarge { .. }
        )
    }
}

/// The state of one stream.
#[derive(Debug)]
pub(crate) struct Frames {
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
    unpacked_bytes_max: u64,
    dictionary_bytes_max: u64,
}

impl Frames {
    /// A stream whose messages have at most `message_bytes_max` bytes.
    pub(crate) fn new(message_bytes_max: usize) -> Self {
        let bytes = u64::try_from(message_bytes_max).unwrap_or(u64::MAX);
        Self {
            schema: None,
            dictionaries: HashMap::new(),
            unpacked_bytes_max: bytes.saturating_mul(UNPACKED_FACTOR_MAX),
            dictionary_bytes_max: bytes,
        }
    }

    /// Decodes one message.
    ///
    /// # Errors
    /// [`FrameFault`]; the stream is of no use afterwards.
    pub(crate) fn accept(&mut self, header: &[u8], body: Bytes) -> Result<Frame, FrameFault> {
        if header.is_empty() {
            return Ok(Frame::Nothing);
        }
        let message = arrow_ipc::root_as_message(header).map_err(|_| FrameFault::NoMessage)?;
        match message.header_type() {
            MessageHeader::NONE => Ok(Frame::Nothing),
            MessageHeader::Schema => self.accept_schema(message),
            MessageHeader::DictionaryBatch => self.accept_dictionary(message, body),
            MessageHeader::RecordBatch => self.accept_batch(message, body),
            other => Err(FrameFault::UnexpectedType(
                other.variant_name().unwrap_or("unknown").to_owned(),
            )),
        }
    }

    /// How many bytes the compressed buffers of a message say that they unpack to; nothing is unpacked here.
    ///
    /// # Errors
    /// [`FrameFault`] where [`Self::accept`] would refuse the message for what its buffers say.
    pub(crate) fn unpacked_bytes(&self, header: &[u8], body: &[u8]) -> Result<u64, FrameFault> {
        if header.is_empty() {
            return Ok(0);
        }
        let message = arrow_ipc::root_as_message(header).map_err(|_| FrameFault::NoMessage)?;
        let dictionary = || {
            message
                .header_as_dictionary_batch()
                .and_then(|batch| batch.data())
        };
        match message.header_as_record_batch().or_else(dictionary) {
            Some(batch) if batch.compression().is_some() => self.check(&batch, body),
            _ => Ok(0),
        }
    }

    fn accept_schema(&mut self, message: arrow_ipc::Message<'_>) -> Result<Frame, FrameFault> {
        if self.schema.is_some() {
            return Err(FrameFault::SecondSchema);
        }
        let written = message.header_as_schema().ok_or(FrameFault::NoMessage)?;
        let schema = guarded(|| Ok(arrow_ipc::convert::fb_to_schema(written)))?;
        let schema = Arc::new(schema);
        self.schema = Some(Arc::clone(&schema));
        Ok(Frame::Schema(schema))
    }

    fn accept_dictionary(
        &mut self,
        message: arrow_ipc::Message<'_>,
        body: Bytes,
    ) -> Result<Frame, FrameFault> {
        let schema = self.schema.clone().ok_or(FrameFault::NoSchema)?;
        let dictionary = message
            .header_as_dictionary_batch()
            .ok_or(FrameFault::NoMessage)?;
        let values = dictionary
            .data()
            .ok_or(FrameFault::Inconsistent("a dictionary without values"))?;
        self.check(&values, &body)?;
        if self.dictionaries.len() >= DICTIONARIES_MAX && !self.dictionaries.contains_key(&dictionary.id()) {
            return Err(FrameFault::TooManyDictionaries);
        }
        let (buffer, version) = (Buffer::from(body), message.version());
        let known = &mut self.dictionaries;
        guarded(|| arrow_ipc::reader::read_dictionary(&buffer, dictionary, &schema, known, &version))?;
        if self.dictionary_bytes() > self.dictionary_bytes_max {
            return Err(FrameFault::DictionariesTooLarge {
                limit: self.dictionary_bytes_max,
            });
        }
        Ok(Frame::Dictionary)
    }

    /// What the dictionaries of the stream hold, in bytes.
    pub(crate) fn dictionary_bytes(&self) -> u64 {
        self.dictionaries
            .values()
            .map(|values| values.get_array_memory_size() as u64)
            .sum()
    }

    fn accept_batch(&mut self, message: arrow_ipc::Message<'_>, body: Bytes) -> Result<Frame, FrameFault> {
        let schema = self.schema.clone().ok_or(FrameFault::NoSchema)?;
        let written = message.header_as_record_batch().ok_or(FrameFault::NoMessage)?;
        self.check(&written, &body)?;
        let version: MetadataVersion = message.version();
        let buffer = Buffer::from(body);
        let known = &self.dictionaries;
        let batch = guarded(|| {
            arrow_ipc::reader::read_record_batch(&buffer, written, schema, known, None, &version)
        })?;
        Ok(Frame::Batch(batch))
    }

    /// Every buffer inside the body, no negative number, and bounded unpacked sizes, whose sum it gives.
    fn check(&self, batch: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<u64, FrameFault> {
        let rows = batch.length();
        if rows < 0 {
            return Err(FrameFault::Inconsistent("a negative number of rows"));
        }
        if rows > ROWS_MAX {
            return Err(FrameFault::TooManyRows { rows });
        }
        for node in batch.nodes().iter().flatten() {
            if node.length() < 0 || node.null_count() < 0 {
                return Err(FrameFault::Inconsistent("a negative length of a column"));
            }
        }
        let compressed = batch.compression().is_some();
        let mut unpacked: u64 = 0;
        for buffer in batch.buffers().iter().flatten() {
            let bytes = inside(body, buffer.offset(), buffer.length())?;
            if compressed && !bytes.is_empty() {
                unpacked = unpacked.saturating_add(unpacked_length(bytes)?);
            }
            if unpacked > self.unpacked_bytes_max {
                return Err(FrameFault::TooLarge {
                    limit: self.unpacked_bytes_max,
                });
            }
        }
        Ok(unpacked)
    }
}

fn inside(body: &[u8], offset: i64, length: i64) -> Result<&[u8], FrameFault> {
    let outside = FrameFault::Inconsistent("a buffer that lies outside the body");
    let (Ok(offset), Ok(length)) = (usize::try_from(offset), usize::try_from(length)) else {
        return Err(outside);
    };
    if length == 0 {
        return Ok(&[]);
    }
    let end = offset.checked_add(length).ok_or_else(|| outside.clone())?;
    body.get(offset..end).ok_or(outside)
}

/// What a compressed buffer says of its unpacked length; -1 means that it is not compressed.
fn unpacked_length(bytes: &[u8]) -> Result<u64, FrameFault> {
    let prefix = bytes
        .first_chunk::<LENGTH_PREFIX_BYTES>()
        .ok_or(FrameFault::Inconsistent("a compressed buffer without its length"))?;
    match i64::from_le_bytes(*prefix) {
        -1 => Ok(bytes.len() as u64),
        length => u64::try_from(length).map_err(|_| FrameFault::Inconsistent("a negative unpacked length")),
    }
}

/// The Arrow reader asserts in places; what a peer sends must not end the task that reads it.
fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, FrameFault> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(FrameFault::Unreadable(short(&error))),
        Err(_) => Err(FrameFault::Inconsistent("its parts contradict one another")),
    }
}

/// The kind of the error only: the text of Arrow's errors can quote values.
fn short(error: &ArrowError) -> String {
    match error {
        ArrowError::IpcError(_) | ArrowError::ParseError(_) => "malformed IPC".to_owned(),
        ArrowError::InvalidArgumentError(_) => "invalid column".to_owned(),
        ArrowError::SchemaError(_) => "schema and batch differ".to_owned(),
        ArrowError::NotYetImplemented(_) => "not a form that this release reads".to_owned(),
        ArrowError::MemoryError(_) => "out of bounds".to_owned(),
        _ => "malformed".to_owned(),
    }
}

#[cfg(test)]
mod tests;
