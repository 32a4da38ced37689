//! Where records come from: a file or a pipe, in one of three formats, read on a thread of its own.
//!
//! What is read ahead of the sending is bounded in pieces and in bytes a piece.

use std::{
    fs::File,
    io::{BufReader, Cursor, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
};

use arrow::{array::RecordBatch, datatypes::SchemaRef};
use clap::ValueEnum;
use tokio::sync::mpsc;

use super::messages::{ArrowFault, FILE_MAGIC, Messages};
use crate::exit::Failure;

/// Chunks or batches that are read ahead.
const PIECES_AHEAD: usize = 4;
/// Bytes of one chunk.
const CHUNK_BYTES: usize = 256 * 1024;
const STREAM_MAGIC: &[u8] = &[0xff, 0xff, 0xff, 0xff];

/// The formats, as arguments name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// By the first bytes
    Auto,
    /// One JSON object a line
    Ndjson,
    /// Arrow IPC file
    Arrow,
    /// Arrow IPC stream
    ArrowStream,
}

const PANICKED: &str = "reading the input panicked, which is a fault of nervix: the line above says where";

type Bytes = Box<dyn Read + Send>;

/// An opened input.
pub(super) enum Input {
    Lines {
        source: Bytes,
        size: Option<u64>,
    },
    Arrow {
        messages: Box<Messages<BufReader<Bytes>>>,
        size: Option<u64>,
    },
}

/// What the reading thread gives.
pub(super) enum Piece {
    /// Pieces of text.
    Chunks(mpsc::Receiver<Result<Vec<u8>, Failure>>),
    /// Batches, and how many bytes were read for each.
    Batches(mpsc::Receiver<Result<(RecordBatch, u64), Failure>>),
}

impl Input {
    /// Opens a file, or standard input for `-` and for nothing, and looks at its first bytes; a pipe may take any time over
    /// both, and whoever waits may stop waiting.
    pub(super) async fn open(path: Option<PathBuf>, format: Format) -> Result<Self, Failure> {
        let opening = move || match path.filter(|path| path.as_os_str() != "-") {
            Some(path) => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(Failure::io(name.as_str()))?;
                let kind = file.metadata().map_err(Failure::io(name.as_str()))?;
                let size = kind.is_file().then_some(kind.len());
                Self::begin(file, &name, format, size)
            }
            None => Self::begin(std::io::stdin(), "standard input", format, None),
        };
        let opened = tokio::task::spawn_blocking(opening).await;
        opened.map_err(|_| Failure::Usage(PANICKED.to_owned()))?
    }

    fn begin(
        mut source: impl Read + Send + 'static,
        name: &str,
        format: Format,
        size: Option<u64>,
    ) -> Result<Self, Failure> {
        let first = first_bytes(&mut source).map_err(Failure::io(name))?;
        Self::begun(first, Box::new(source), format, size)
    }

    fn begun(first: Vec<u8>, rest: Bytes, format: Format, size: Option<u64>) -> Result<Self, Failure> {
        let format = recognise(format, &first);
        let source: Bytes = Box::new(Cursor::new(first).chain(rest));
        if format == Format::Ndjson {
            return Ok(Input::Lines { source, size });
        }
        let messages = Messages::open(BufReader::new(source), format == Format::Arrow)?;
        Ok(Input::Arrow {
            messages: Box::new(messages),
            size,
        })
    }

    /// The input's own schema, where it has one.
    pub(super) fn schema(&self) -> Option<SchemaRef> {
        match self {
            Input::Lines { .. } => None,
            Input::Arrow { messages, .. } => Some(messages.schema()),
        }
    }

    /// How much there is to read, where that is known.
    pub(super) fn size_bytes(&self) -> Option<u64> {
        match self {
            Input::Lines { size, .. } | Input::Arrow { size, .. } => *size,
        }
    }

    /// Starts the reading thread; it ends with the input, or when nobody listens any more.
    pub(super) fn start(self) -> Piece {
        match self {
            Input::Lines { source, .. } => Piece::Chunks(read_ahead(|sender| read_chunks(source, sender))),
            Input::Arrow { messages, .. } => {
                Piece::Batches(read_ahead(|sender| read_batches(*messages, sender)))
            }
        }
    }
}

type Sender<T> = mpsc::Sender<Result<T, Failure>>;

/// Reads on a thread of its own. A panic of it is told like any failure: an input that just ends is an input read whole.
fn read_ahead<T: Send + 'static>(
    read: impl FnOnce(&Sender<T>) + Send + 'static,
) -> mpsc::Receiver<Result<T, Failure>> {
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    tokio::task::spawn_blocking(move || {
        if catch_unwind(AssertUnwindSafe(|| read(&sender))).is_err() {
            // Refused only when nobody listens any more.
            drop(sender.blocking_send(Err(Failure::Usage(PANICKED.to_owned()))));
        }
    });
    receiver
}

fn read_batches(mut messages: Messages<BufReader<Bytes>>, sender: &Sender<(RecordBatch, u64)>) {
    loop {
        let batch = match messages.next_batch() {
            Ok(None) => return,
            Ok(Some(batch)) => Ok(batch),
            Err(fault) => Err(fault.into()),
        };
        let failed = batch.is_err();
        if sender.blocking_send(batch).is_err() || failed {
            return;
        }
    }
}

fn read_chunks(mut source: Bytes, sender: &Sender<Vec<u8>>) {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let piece = match source.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => {
                chunk.truncate(read);
                Ok(chunk)
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => Err(Failure::io("the input")(error)),
        };
        let failed = piece.is_err();
        if sender.blocking_send(piece).is_err() || failed {
            return;
        }
    }
}

fn first_bytes(source: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut first = Vec::new();
    // No record is shorter, so nothing that could be sent waits for more.
    source.take(8).read_to_end(&mut first)?;
    Ok(first)
}

fn recognise(format: Format, first: &[u8]) -> Format {
    match format {
        Format::Auto if first.starts_with(FILE_MAGIC) => Format::Arrow,
        Format::Auto if first.starts_with(STREAM_MAGIC) => Format::ArrowStream,
        Format::Auto => Format::Ndjson,
        chosen => chosen,
    }
}

impl From<ArrowFault> for Failure {
    fn from(fault: ArrowFault) -> Self {
        Failure::Usage(fault.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::read_ahead;

    #[tokio::test]
    async fn a_reader_that_panics_is_a_failure_and_no_end_of_the_input() {
        let mut pieces = read_ahead::<u8>(|sender| {
            sender.blocking_send(Ok(1)).unwrap();
            panic!("on purpose");
        });
        assert!(matches!(pieces.recv().await, Some(Ok(1))));
        let failure = pieces.recv().await.unwrap().unwrap_err();
        assert!(failure.to_string().contains("panicked"), "{failure}");
        assert!(pieces.recv().await.is_none());
    }
}
