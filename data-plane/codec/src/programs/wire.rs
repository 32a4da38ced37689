//! The bytes of jobs and answers: numbers in little endian, everything else behind its length.
//!
//! Both ends are the same executable, so there are no versions. A reader trusts no length: what is not there is
//! [`Unreadable`], never a panic.

use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nspl_model::record_error::ErrorCode;
use thiserror::Error;

use crate::fault::RecordFault;

/// Bytes that are no job, or no answer to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the bytes are no job and no answer")]
pub struct Unreadable;

/// Appends parts.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Counts are of what is in memory and bounded, so that none passes 32 bits.
    pub(crate) fn count(&mut self, value: usize) {
        self.number(u32::try_from(value).unwrap_or(u32::MAX));
    }

    pub(crate) fn number(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn long(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn instant(&mut self, nanos: i64) {
        self.bytes.extend_from_slice(&nanos.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) {
        self.long(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    /// Nothing, or a text.
    pub(crate) fn some_text(&mut self, value: Option<&str>) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            self.text(value);
        }
    }

    pub(crate) fn fault(&mut self, fault: &RecordFault) {
        self.byte(fault.code as u8);
        self.count(fault.fields.len());
        fault.fields.iter().for_each(|field| self.text(field));
        self.text(&fault.cause);
    }

    /// A stream of one batch, with its schema.
    pub(crate) fn records(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let mut stream = StreamWriter::try_new(Vec::new(), batch.schema_ref())?;
        stream.write(batch)?;
        self.bytes(&stream.into_inner()?);
        Ok(())
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        self.bytes.into()
    }
}

/// Takes parts from the front.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        let (front, rest) = self.rest.split_first_chunk().ok_or(Unreadable)?;
        self.rest = rest;
        Ok(*front)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Unreadable> {
        self.array().map(|[byte]| byte)
    }

    /// How many parts follow; each has at least one byte.
    pub(crate) fn count(&mut self) -> Result<usize, Unreadable> {
        let count = self.number()? as usize;
        if count > self.rest.len() {
            return Err(Unreadable);
        }
        Ok(count)
    }

    pub(crate) fn number(&mut self) -> Result<u32, Unreadable> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Result<u64, Unreadable> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn instant(&mut self) -> Result<i64, Unreadable> {
        self.array().map(i64::from_le_bytes)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Unreadable> {
        let length = usize::try_from(self.long()?).map_err(|_| Unreadable)?;
        let (front, rest) = self.rest.split_at_checked(length).ok_or(Unreadable)?;
        self.rest = rest;
        Ok(front)
    }

    pub(crate) fn text(&mut self) -> Result<String, Unreadable> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| Unreadable)?;
        Ok(text.to_owned())
    }

    pub(crate) fn some_text(&mut self) -> Result<Option<String>, Unreadable> {
        match self.byte()? {
            0 => Ok(None),
            _ => self.text().map(Some),
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        mut part: impl FnMut(&mut Self) -> Result<T, Unreadable>,
    ) -> Result<Vec<T>, Unreadable> {
        let count = self.count()?;
        (0..count).map(|_| part(self)).collect()
    }

    pub(crate) fn fault(&mut self) -> Result<RecordFault, Unreadable> {
        let code = self.byte()?;
        let code = ErrorCode::ALL.into_iter().find(|known| *known as u8 == code);
        Ok(RecordFault {
            code: code.ok_or(Unreadable)?,
            fields: self.list(Self::text)?,
            cause: self.text()?.into(),
        })
    }

    pub(crate) fn records(&mut self) -> Result<RecordBatch, Unreadable> {
        let mut stream = StreamReader::try_new(self.bytes()?, None).map_err(|_| Unreadable)?;
        stream.next().and_then(Result::ok).ok_or(Unreadable)
    }

    pub(crate) fn end(self) -> Result<(), Unreadable> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Unreadable)
        }
    }
}
