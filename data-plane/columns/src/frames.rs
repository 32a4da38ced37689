//! The Arrow messages of a stream: schema, dictionaries, record batches.
//!
//! Invariants: what a peer sends is bounds-checked before the Arrow reader sees it, and unpacked sizes are bounded, so
//! that no message can end the reader or make it allocate without bound; a batch is read whatever its schema says of
//! nulls (flight.md "Types on the wire"), so that a null costs its row alone. Bodies are decoded without a copy where
//! their buffers are aligned. Types are judged elsewhere.

mod guard;
mod layout;
mod nullable;

use std::{collections::HashMap, sync::Arc};

use guard::guarded;
pub use guard::is_guarded;

use arrow::{
    array::{Array, ArrayRef, RecordBatch},
    buffer::Buffer,
    datatypes::SchemaRef,
};
use arrow_ipc::{MessageHeader, MetadataVersion};
use bytes::Bytes;

/// How many times the size of a message its compressed buffers may unpack to.
pub const UNPACKED_FACTOR_MAX: u64 = 16;
/// Rows that one record batch may have.
pub const ROWS_MAX: i64 = 16 * 1024 * 1024;
/// Dictionaries that one stream may define.
pub const DICTIONARIES_MAX: usize = 4096;
/// Bytes before each compressed buffer that say its unpacked length.
const LENGTH_PREFIX_BYTES: usize = 8;

/// One message, decoded.
#[derive(Debug)]
pub enum Frame {
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
pub enum FrameFault {
    /// The header cannot be read.
    #[error("data_header is no Arrow IPC message")]
    NoMessage,
    /// A body that nothing describes.
    #[error("a data_body without the data_header that describes it")]
    NoHeader,
    /// Another type of message.
    #[error(
        "an Arrow message of type {0} does not belong on this stream; send a schema, dictionaries and record batches"
    )]
    UnexpectedType(String),
    /// A batch or dictionary before the schema.
    #[error("a record batch or dictionary came before the schema message")]
    NoSchema,
    /// Another schema.
    #[error("a second schema message; open a new stream for another schema")]
    SecondSchema,
    /// Its parts contradict one another.
    #[error("the Arrow message is inconsistent: {0}")]
    Inconsistent(&'static str),
    /// The Arrow reader refuses it.
    #[error("the Arrow message cannot be read: {0}")]
    Unreadable(String),
    /// Past [`ROWS_MAX`].
    #[error("a record batch of {rows} rows; at most {ROWS_MAX} are taken, so send smaller batches")]
    TooManyRows {
        /// Its rows.
        rows: i64,
    },
    /// Past [`DICTIONARIES_MAX`].
    #[error("more than {DICTIONARIES_MAX} dictionaries on one stream; send plain columns")]
    TooManyDictionaries,
    /// Past the bound of what a message may unpack to.
    #[error("a message unpacks to more than {limit} bytes; send smaller batches")]
    TooLarge {
        /// The bound, in bytes.
        limit: u64,
    },
    /// Past the bound of what dictionaries may hold.
    #[error(
        "dictionaries of this stream hold more than {limit} bytes; send plain columns or smaller dictionaries"
    )]
    DictionariesTooLarge {
        /// The bound, in bytes.
        limit: u64,
    },
}

impl FrameFault {
    /// Whether the fault is one of size, not of form.
    pub fn is_size(&self) -> bool {
        matches!(
            self,
            Self::TooManyRows { .. } | Self::TooLarge { .. } | Self::DictionariesTooLarge { .. }
        )
    }
}

/// The state of one stream.
#[derive(Debug)]
pub struct Frames {
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
    unpacked_bytes_max: u64,
    dictionary_bytes_max: u64,
}

impl Frames {
    /// A stream whose messages have at most `message_bytes_max` bytes.
    pub fn new(message_bytes_max: usize) -> Self {
        let bytes = u64::try_from(message_bytes_max).unwrap_or(u64::MAX);
        Self::bounded(bytes.saturating_mul(UNPACKED_FACTOR_MAX), bytes)
    }

    /// A stream whose messages unpack to at most so many bytes, with dictionaries of at most so many.
    pub fn bounded(unpacked_bytes_max: u64, dictionary_bytes_max: u64) -> Self {
        Self {
            schema: None,
            dictionaries: HashMap::new(),
            unpacked_bytes_max,
            dictionary_bytes_max,
        }
    }

    /// Decodes one message.
    ///
    /// # Errors
    /// [`FrameFault`]; the stream is of no use afterwards.
    pub fn accept(&mut self, header: &[u8], body: Bytes) -> Result<Frame, FrameFault> {
        if header.is_empty() {
            return match body.is_empty() {
                true => Ok(Frame::Nothing),
                false => Err(FrameFault::NoHeader),
            };
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
    pub fn unpacked_bytes(&self, header: &[u8], body: &[u8]) -> Result<u64, FrameFault> {
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
            Some(batch) if batch.compression().is_some() => Ok(self.lengths(&batch, body)?.iter().sum()),
            _ => Ok(0),
        }
    }

    fn accept_schema(&mut self, message: arrow_ipc::Message<'_>) -> Result<Frame, FrameFault> {
        if self.schema.is_some() {
            return Err(FrameFault::SecondSchema);
        }
        let written = message.header_as_schema().ok_or(FrameFault::NoMessage)?;
        let schema = guarded(|| Ok(arrow_ipc::convert::fb_to_schema(written)))?;
        let schema = Arc::new(nullable::schema(&schema));
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
        let types = layout::dictionary_types(&schema, dictionary.id());
        layout::check(types.iter().copied(), &values, &self.lengths(&values, &body)?)?;
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
    pub fn dictionary_bytes(&self) -> u64 {
        self.dictionaries
            .values()
            .map(|values| values.get_array_memory_size() as u64)
            .sum()
    }

    fn accept_batch(&mut self, message: arrow_ipc::Message<'_>, body: Bytes) -> Result<Frame, FrameFault> {
        let schema = self.schema.clone().ok_or(FrameFault::NoSchema)?;
        let written = message.header_as_record_batch().ok_or(FrameFault::NoMessage)?;
        let types = schema.fields().iter().map(|field| field.data_type());
        layout::check(types, &written, &self.lengths(&written, &body)?)?;
        let version: MetadataVersion = message.version();
        let buffer = Buffer::from(body);
        let known = &self.dictionaries;
        let batch = guarded(|| {
            arrow_ipc::reader::read_record_batch(&buffer, written, schema, known, None, &version)
        })?;
        Ok(Frame::Batch(batch))
    }

    /// Every buffer inside the body, no negative number, and bounded unpacked sizes: how long each buffer is, unpacked.
    fn lengths(&self, batch: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<Vec<u64>, FrameFault> {
        let rows = batch.length();
        if rows < 0 {
            return Err(FrameFault::Inconsistent("a negative number of rows"));
        }
        if rows > ROWS_MAX {
            return Err(FrameFault::TooManyRows { rows });
        }
        let compressed = batch.compression().is_some();
        let (mut lengths, mut unpacked) = (Vec::new(), 0_u64);
        for buffer in batch.buffers().iter().flatten() {
            let bytes = inside(body, buffer.offset(), buffer.length())?;
            let length = if compressed && !bytes.is_empty() {
                unpacked_length(bytes)?
            } else {
                bytes.len() as u64
            };
            lengths.push(length);
            unpacked = unpacked.saturating_add(length);
            if compressed && unpacked > self.unpacked_bytes_max {
                return Err(FrameFault::TooLarge {
                    limit: self.unpacked_bytes_max,
                });
            }
        }
        Ok(lengths)
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
        -1 => Ok((bytes.len() - LENGTH_PREFIX_BYTES) as u64),
        length => u64::try_from(length).map_err(|_| FrameFault::Inconsistent("a negative unpacked length")),
    }
}

#[cfg(test)]
mod tests;
