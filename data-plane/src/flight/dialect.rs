//! The encoding of one stream, read by one half of it and used by the other.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::metadata::{Dialect, Encoding, Malformed, Request};

/// A [`Dialect`] that both halves of a stream share.
#[derive(Debug, Default)]
pub(crate) struct SharedDialect {
    dialect: Mutex<Dialect>,
    protobuf: AtomicBool,
}

impl SharedDialect {
    /// Reads one `app_metadata`.
    pub(crate) fn read(&self, metadata: &[u8]) -> Result<Request, Malformed> {
        if metadata.is_empty() {
            return Ok(Request::Nothing);
        }
        let mut dialect = self.dialect.lock();
        let request = dialect.read(metadata);
        self.protobuf
            .store(dialect.encoding() == Encoding::Protobuf, Ordering::Relaxed);
        request
    }

    /// The encoding in which this stream is answered now.
    pub(crate) fn encoding(&self) -> Encoding {
        if self.protobuf.load(Ordering::Relaxed) {
            Encoding::Protobuf
        } else {
            Encoding::Json
        }
    }
}
