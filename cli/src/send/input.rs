//! Where records come from: a file or a pipe, in one of three formats, read on a thread of its own.
//!
//! What is read ahead of the sending is bounded in pieces and in bytes a piece.

use std::{
    fs::File,
    io::{BufReader, Cursor, Read, Seek},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use arrow::{array::RecordBatch, datatypes::SchemaRef, error::ArrowError};
use arrow_ipc::reader::{FileReader, StreamReader};
use clap::ValueEnum;
use tokio::sync::mpsc;

use crate::exit::Failure;

/// Chunks or batches that are read ahead.
const PIECES_AHEAD: usize = 4;
/// Bytes of one chunk.
const CHUNK_BYTES: usize = 256 * 1024;
const FILE_MAGIC: &[u8] = b"ARROW1";
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

type Bytes = Box<dyn Read + Send>;

/// An opened input.
pub(super) enum Input {
    Lines {
        source: Bytes,
        size: Option<u64>,
    },
    File {
        reader: Box<FileReader<Counted<BufReader<File>>>>,
        read: Arc<AtomicU64>,
        size: Option<u64>,
    },
    Stream {
        reader: Box<StreamReader<Counted<BufReader<Bytes>>>>,
        read: Arc<AtomicU64>,
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
    /// Opens a file, or standard input for `-` and for nothing, and looks at its first bytes.
    pub(super) fn open(path: Option<&Path>, format: Format) -> Result<Self, Failure> {
        match path.filter(|path| path.as_os_str() != "-") {
            Some(path) => {
                let name = path.display().to_string();
                let mut file = File::open(path).map_err(Failure::io(name.as_str()))?;
                let size = file.metadata().map_err(Failure::io(name.as_str()))?.len();
                let first = first_bytes(&mut file).map_err(Failure::io(name.as_str()))?;
                if recognise(format, &first) == Format::Arrow {
                    file.rewind().map_err(Failure::io(name.as_str()))?;
                    let (source, read) = Counted::new(BufReader::new(file));
                    let reader = FileReader::try_new(source, None).map_err(|error| unreadable(&error))?;
                    return Ok(Input::File {
                        reader: Box::new(reader),
                        read,
                        size: Some(size),
                    });
                }
                Self::piped(first, Box::new(file), format, Some(size))
            }
            None => {
                let mut source = std::io::stdin();
                let first = first_bytes(&mut source).map_err(Failure::io("standard input"))?;
                if recognise(format, &first) == Format::Arrow {
                    return Err(Failure::Usage(
                        "an Arrow IPC file cannot be read from a pipe: name the file, or pipe the stream format"
                            .to_owned(),
                    ));
                }
                Self::piped(first, Box::new(source), format, None)
            }
        }
    }

    fn piped(first: Vec<u8>, rest: Bytes, format: Format, size: Option<u64>) -> Result<Self, Failure> {
        let format = recognise(format, &first);
        let source: Bytes = Box::new(Cursor::new(first).chain(rest));
        if format == Format::Ndjson {
            return Ok(Input::Lines { source, size });
        }
        let (source, read) = Counted::new(BufReader::new(source));
        let reader = StreamReader::try_new(source, None).map_err(|error| unreadable(&error))?;
        Ok(Input::Stream {
            reader: Box::new(reader),
            read,
            size,
        })
    }

    /// The input's own schema, where it has one.
    pub(super) fn schema(&self) -> Option<SchemaRef> {
        match self {
            Input::Lines { .. } => None,
            Input::File { reader, .. } => Some(reader.schema()),
            Input::Stream { reader, .. } => Some(reader.schema()),
        }
    }

    /// How much there is to read, where that is known.
    pub(super) fn size_bytes(&self) -> Option<u64> {
        match self {
            Input::Lines { size, .. } | Input::File { size, .. } | Input::Stream { size, .. } => *size,
        }
    }

    /// Starts the reading thread; it ends with the input, or when nobody listens any more.
    pub(super) fn start(self) -> Piece {
        match self {
            Input::Lines { source, .. } => {
                let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
                tokio::task::spawn_blocking(move || read_chunks(source, &sender));
                Piece::Chunks(receiver)
            }
            Input::File { reader, read, .. } => batches(*reader, read),
            Input::Stream { reader, read, .. } => batches(*reader, read),
        }
    }
}

fn batches(
    reader: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    read: Arc<AtomicU64>,
) -> Piece {
    let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
    tokio::task::spawn_blocking(move || {
        for batch in reader {
            let batch = batch
                .map(|batch| (batch, read.swap(0, Ordering::Relaxed)))
                .map_err(|error| unreadable(&error));
            let failed = batch.is_err();
            if sender.blocking_send(batch).is_err() || failed {
                return;
            }
        }
    });
    Piece::Batches(receiver)
}

fn read_chunks(mut source: Bytes, sender: &mpsc::Sender<Result<Vec<u8>, Failure>>) {
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
    // Line by line input must not wait for eight bytes where four say enough, but no record is that short.
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

fn unreadable(error: &ArrowError) -> Failure {
    Failure::Usage(format!("the input is not the Arrow data it looks like: {error}"))
}

/// Counts what is read through it.
pub(super) struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let read = Arc::new(AtomicU64::new(0));
        (
            Counted {
                inner,
                read: Arc::clone(&read),
            },
            read,
        )
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read
            .fetch_add(u64::try_from(read).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, position: std::io::SeekFrom) -> std::io::Result<u64> {
        self.inner.seek(position)
    }
}
