//! Arrow IPC messages in a stream or a file.
//!
//! A file is a stream between a beginning and an index: it is read from front to back, and its index says at the end
//! whether that was all.
//!
//! Invariant: nothing that the input claims of a length is believed before that many bytes are there, so damage costs an
//! error that names its position, and no memory.

use std::io::{self, Read};

use arrow::{array::RecordBatch, datatypes::SchemaRef};
use bytes::Bytes;
use nervix_columns::frames::{Frame, FrameFault, Frames};

/// What every Arrow file begins and ends with.
pub(super) const FILE_MAGIC: &[u8] = b"ARROW1";
/// The bytes of [`FILE_MAGIC`] with what aligns the stream behind it; some writers align it to more, with zeros.
const FILE_START_BYTES: u64 = 8;
const FILE_START_BYTES_MAX: u64 = 64;
/// Stands before the length of a message, except in streams of old writers.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// What stands behind the index of a file: its length, and [`FILE_MAGIC`].
const FILE_END_BYTES: usize = 10;
/// What the index of a file may have: some 2.5 million batches.
const INDEX_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// What one message, or all dictionaries together, may unpack to.
const UNPACKED_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// Why the input cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArrowFault {
    #[error("the input cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("the input is not the Arrow data it looks like: at byte {at}: {what}")]
    Damaged { at: u64, what: String },
}

/// The messages of one input.
pub(super) struct Messages<R> {
    source: R,
    at: u64,
    is_file: bool,
    schema: SchemaRef,
    frames: Frames,
    batches: usize,
    ended: bool,
}

/// One message as it is written.
struct Written {
    at: u64,
    header: Vec<u8>,
    body: Vec<u8>,
}

impl<R: Read> Messages<R> {
    /// Reads up to the schema.
    pub(super) fn open(source: R, is_file: bool) -> Result<Self, ArrowFault> {
        let mut messages = Self {
            source,
            at: 0,
            is_file,
            schema: SchemaRef::new(arrow::datatypes::Schema::empty()),
            frames: Frames::bounded(UNPACKED_BYTES_MAX, UNPACKED_BYTES_MAX),
            batches: 0,
            ended: false,
        };
        if is_file {
            let start = messages.exactly(FILE_START_BYTES, "the beginning of an Arrow file")?;
            if !start.starts_with(FILE_MAGIC) {
                return Err(damaged(0, "an Arrow file begins with ARROW1"));
            }
        }
        let mut word = messages.at_most(4)?;
        while is_file && word == [0; 4] && messages.at <= FILE_START_BYTES_MAX {
            word = messages.at_most(4)?;
        }
        let Some(first) = messages.message_from(word)? else {
            return Err(damaged(messages.at, "it ends before its schema"));
        };
        match messages.accept(first)? {
            Frame::Schema(schema) => messages.schema = schema,
            _ => return Err(damaged(0, "its first message is no schema")),
        }
        Ok(messages)
    }

    pub(super) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// The next batch, and how many bytes of the input it took with what stands before it; nothing at the end.
    pub(super) fn next_batch(&mut self) -> Result<Option<(RecordBatch, u64)>, ArrowFault> {
        let from = self.at;
        while let Some(written) = self.message()? {
            let at = written.at;
            match self.accept(written)? {
                Frame::Batch(batch) => {
                    self.batches = self.batches.saturating_add(1);
                    return Ok(Some((batch, self.at.saturating_sub(from))));
                }
                Frame::Nothing => return Err(damaged(at, "a message of no type")),
                Frame::Schema(_) | Frame::Dictionary => {}
            }
        }
        Ok(None)
    }

    fn accept(&mut self, written: Written) -> Result<Frame, ArrowFault> {
        let Written { at, header, body } = written;
        let frame = self.frames.accept(&header, Bytes::from(body));
        frame.map_err(|fault| damaged(at, &words(&fault)))
    }

    /// Nothing after the end marker, or where a stream simply ends between two messages.
    fn message(&mut self) -> Result<Option<Written>, ArrowFault> {
        if self.ended {
            return Ok(None);
        }
        let word = self.at_most(4)?;
        self.message_from(word)
    }

    /// The message that begins with a word which is read already.
    fn message_from(&mut self, mut word: Vec<u8>) -> Result<Option<Written>, ArrowFault> {
        let at = self.at.saturating_sub(word.len() as u64);
        if word.is_empty() && !self.is_file {
            self.ended = true;
            return Ok(None);
        }
        if word == CONTINUATION {
            word = self.at_most(4)?;
        }
        let Ok(word) = <[u8; 4]>::try_from(word) else {
            return Err(damaged(
                at,
                "it ends inside the length of a message, or without its end marker",
            ));
        };
        let length = i32::from_le_bytes(word);
        let Ok(length) = u64::try_from(length) else {
            return Err(damaged(at, &format!("a message header of {length} bytes")));
        };
        if length == 0 {
            self.ended = true;
            return self.check_end(at).map(|()| None);
        }
        let header = self.exactly(length, "a message header")?;
        let message = arrow_ipc::root_as_message(&header);
        let body_length = message.map_err(|_| damaged(at, "no Arrow message"))?.bodyLength();
        let Ok(body_length) = u64::try_from(body_length) else {
            return Err(damaged(at, &format!("a message body of {body_length} bytes")));
        };
        let body = self.exactly(body_length, "a message body")?;
        Ok(Some(Written { at, header, body }))
    }

    /// Whether the end marker at `at` is one: damage can make any message look like it.
    fn check_end(&mut self, at: u64) -> Result<(), ArrowFault> {
        let rest = self.at_most(if self.is_file { INDEX_BYTES_MAX } else { 1 })?;
        if !self.is_file {
            return match rest.is_empty() {
                true => Ok(()),
                false => Err(damaged(at, "an end marker, and more behind it")),
            };
        }
        let index = rest
            .len()
            .checked_sub(FILE_END_BYTES)
            .and_then(|length| rest.split_at_checked(length))
            .filter(|(_, end)| end.ends_with(FILE_MAGIC))
            .and_then(|(index, end)| {
                let length = end.first_chunk::<4>().map(|length| i32::from_le_bytes(*length))?;
                let from = index.len().checked_sub(usize::try_from(length).ok()?)?;
                arrow_ipc::root_as_footer(index.get(from..)?).ok()
            });
        let Some(index) = index else {
            return Err(damaged(
                at,
                "an end marker without the index of the file behind it",
            ));
        };
        let listed = index.recordBatches().map_or(0, |blocks| blocks.len());
        if listed != self.batches {
            let text = format!("the end after {} batches, of {listed} in the index", self.batches);
            return Err(damaged(at, &text));
        }
        Ok(())
    }

    /// So many bytes; memory grows with what is there, not with what is asked for.
    fn exactly(&mut self, length: u64, what: &str) -> Result<Vec<u8>, ArrowFault> {
        let at = self.at;
        let bytes = self.at_most(length)?;
        let there = bytes.len();
        if there as u64 == length {
            return Ok(bytes);
        }
        let text = format!("{what} of {length} bytes, of which {there} are there");
        Err(damaged(at, &text))
    }

    fn at_most(&mut self, length: u64) -> Result<Vec<u8>, ArrowFault> {
        let mut bytes = Vec::new();
        self.source.by_ref().take(length).read_to_end(&mut bytes)?;
        self.at = self.at.saturating_add(bytes.len() as u64);
        Ok(bytes)
    }
}

fn damaged(at: u64, what: &str) -> ArrowFault {
    ArrowFault::Damaged {
        at,
        what: what.to_owned(),
    }
}

fn words(fault: &FrameFault) -> String {
    match fault {
        FrameFault::NoMessage => "no Arrow message".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, RecordBatch, StringArray};
    use arrow::datatypes::{DataType, Field, Schema};
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::Messages;

    fn batch() -> RecordBatch {
        RecordBatch::try_from_iter([
            ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _),
            (
                "s",
                Arc::new(StringArray::from(vec![Some("a"), None, Some("c")])) as _,
            ),
        ])
        .unwrap()
    }

    fn stream() -> Vec<u8> {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch().schema()).unwrap();
        (0..2).for_each(|_| writer.write(&batch()).unwrap());
        writer.into_inner().unwrap()
    }

    fn file() -> Vec<u8> {
        let mut writer = FileWriter::try_new(Vec::new(), &batch().schema()).unwrap();
        (0..2).for_each(|_| writer.write(&batch()).unwrap());
        writer.into_inner().unwrap()
    }

    /// How many batches there are, or what is wrong.
    fn read(bytes: &[u8], is_file: bool) -> Result<usize, String> {
        let mut messages = Messages::open(bytes, is_file).map_err(|fault| fault.to_string())?;
        let mut batches = 0;
        while messages
            .next_batch()
            .map_err(|fault| fault.to_string())?
            .is_some()
        {
            batches += 1;
        }
        Ok(batches)
    }

    #[test]
    fn files_and_streams_read_back() {
        assert_eq!(read(&stream(), false), Ok(2));
        assert_eq!(read(&file(), true), Ok(2));
    }

    #[test]
    fn a_null_that_the_schema_rules_out_is_read() {
        let said = Field::new("n", DataType::Int64, false);
        let mut writer = StreamWriter::try_new(Vec::new(), &Schema::new(vec![said])).unwrap();
        let rows = Arc::new(Int64Array::from(vec![Some(1), None]));
        let rows = RecordBatch::try_from_iter([("n", rows as _)]).unwrap();
        writer.write(&rows).unwrap();
        let bytes = writer.into_inner().unwrap();
        let mut messages = Messages::open(bytes.as_slice(), false).unwrap();
        let (read, _) = messages.next_batch().unwrap().unwrap();
        assert_eq!(read.columns(), rows.columns());
    }

    #[test]
    fn what_is_cut_off_is_named_by_its_position() {
        let whole = stream();
        let cut = read(&whole[..whole.len() - 20], false).unwrap_err();
        assert!(cut.contains("at byte ") && cut.contains("of which"), "{cut}");
        assert!(read(&file()[..whole.len()], true).is_err());
        assert!(read(b"", false).is_err());
    }

    #[test]
    fn an_end_marker_in_the_middle_is_no_end() {
        for (whole, is_file) in [(stream(), false), (file(), true)] {
            let marks: Vec<usize> = (8..whole.len() - 8)
                .filter(|at| whole[*at..*at + 4] == [0xff; 4])
                .collect();
            let mut damaged = whole.clone();
            damaged[marks[marks.len() - 2] + 4..][..4].fill(0);
            let said = read(&damaged, is_file).unwrap_err();
            assert!(said.contains("end"), "{said}");
        }
    }

    #[test]
    fn no_damage_of_a_byte_ends_the_process_or_takes_memory() {
        for (whole, is_file) in [(stream(), false), (file(), true)] {
            let mut refused = 0;
            for at in 0..whole.len() {
                for value in [0, 0x7f, 0x80, 0xff] {
                    let mut damaged = whole.clone();
                    damaged[at] = value;
                    refused += usize::from(read(&damaged, is_file).is_err());
                }
            }
            assert!(refused > 100, "{refused}");
        }
    }
}
