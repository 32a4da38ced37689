//! Reading heads of responses: interim ones are passed over, the first final one is the answer.
//!
//! Invariant: no more than one block of [`RESPONSE_BLOCK_BYTES_MAX`] bytes and one read are held, and each byte is looked
//! at a bounded number of times, however slowly the bytes come. A head that is malformed, or past a bound, is never an
//! answer, whatever its status line says.

use httparse::{EMPTY_HEADER, Error, Response, Status};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::fault::AttemptFault;
use crate::framing::framing_fault;
use crate::limits::{RESPONSE_BLOCK_BYTES_MAX, RESPONSE_FIELD_BYTES_MAX, RESPONSE_FIELDS_MAX};

/// How much is read at once.
const READ_BYTES: usize = 8 * 1024;

/// What is kept of a final head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinalHead {
    /// 101, or from 200 to 599.
    pub(crate) status: u16,
    /// The value of Retry-After, when exactly one field has it.
    pub(crate) retry_after: Option<Vec<u8>>,
}

/// Reads the heads of one connection.
#[derive(Debug, Default)]
pub(crate) struct HeadReader {
    buffer: Vec<u8>,
    /// What was looked at without finding the end of the block.
    searched: usize,
}

impl HeadReader {
    /// Reads until a final head is complete.
    ///
    /// # Errors
    /// What ended it before.
    pub(crate) async fn read_final<R>(&mut self, reader: &mut R) -> Result<FinalHead, AttemptFault>
    where
        R: AsyncRead + Unpin,
    {
        loop {
            while let Some(end) = self.block_end() {
                let block = self.buffer.get(..end).unwrap_or_default();
                if let Some(head) = read_block(block)? {
                    return Ok(head);
                }
                self.buffer.drain(..end);
                self.searched = 0;
            }
            if self.buffer.len() > RESPONSE_BLOCK_BYTES_MAX {
                return Err(AttemptFault::BlockTooLarge);
            }
            self.buffer.reserve(READ_BYTES);
            let read = reader.read_buf(&mut self.buffer).await;
            if read.map_err(|error| AttemptFault::receive(&error))? == 0 {
                return Err(AttemptFault::Ended);
            }
        }
    }

    /// Where the first empty line ends.
    fn block_end(&mut self) -> Option<usize> {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        for (offset, _) in unsearched.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            let line = self.searched + offset;
            match self.buffer.get(line + 1..).unwrap_or_default() {
                [b'\n', ..] => return Some(line + 2),
                [b'\r', b'\n', ..] => return Some(line + 3),
                // The line after this one may still be the empty one.
                [] | [b'\r'] => {
                    self.searched = line;
                    return None;
                }
                _ => {}
            }
        }
        self.searched = self.buffer.len();
        None
    }
}

/// Reads one whole block: a final head, or none for an interim one.
fn read_block(block: &[u8]) -> Result<Option<FinalHead>, AttemptFault> {
    if block.len() > RESPONSE_BLOCK_BYTES_MAX {
        return Err(AttemptFault::BlockTooLarge);
    }
    // The parser passes over empty lines, as a server may before a request.
    if matches!(block.first(), Some(b'\r' | b'\n')) {
        return Err(AttemptFault::Malformed("there is no status line"));
    }
    let mut fields = [EMPTY_HEADER; RESPONSE_FIELDS_MAX];
    let mut response = Response::new(&mut fields);
    match response.parse(block) {
        Ok(Status::Complete(_)) => {}
        Ok(Status::Partial) => return Err(AttemptFault::Malformed("there is no status line")),
        Err(error) => return Err(malformed(error)),
    }
    let bytes = response
        .headers
        .iter()
        .map(|field| field.name.len() + field.value.len());
    if bytes.sum::<usize>() > RESPONSE_FIELD_BYTES_MAX {
        return Err(AttemptFault::FieldsTooLarge);
    }
    let status = response.code.unwrap_or_default();
    match status {
        101 | 200..=599 => {}
        100..=199 => return Ok(None),
        _ => return Err(AttemptFault::Malformed("the status is not from 100 to 599")),
    }
    if let Some(fault) = framing_fault(response.headers, response.version == Some(0)) {
        return Err(AttemptFault::Malformed(fault));
    }
    let mut asked = response
        .headers
        .iter()
        .filter(|field| field.name.eq_ignore_ascii_case("Retry-After"));
    let retry_after = match (asked.next(), asked.next()) {
        (Some(field), None) => Some(field.value.to_vec()),
        _ => None,
    };
    Ok(Some(FinalHead { status, retry_after }))
}

fn malformed(error: Error) -> AttemptFault {
    AttemptFault::Malformed(match error {
        Error::TooManyHeaders => return AttemptFault::TooManyFields,
        Error::HeaderName => "a field name is none, is folded, or has a blank before its colon",
        Error::HeaderValue => "a field value holds what none may hold",
        Error::NewLine => "a line does not end as one",
        Error::Status => "the status line is none",
        Error::Token => "a token is none",
        Error::Version => "it is not HTTP/1.1",
    })
}

#[cfg(test)]
mod tests;
