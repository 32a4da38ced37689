//! How a run gets its sink: handed over open, or opened by the run itself, again and again until the destination is there.
//!
//! The first is what a session is: it lives in this process. Everything else is outside, and may be absent when the
//! emitter starts, which is no reason not to start it.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_codec::PayloadEncoder;
use nervix_sink::{OpenError, OpenSink};

/// What opening gave.
pub struct Opened {
    /// The sink.
    pub sink: OpenSink,
    /// ENCODE USING, compiled with the files of its resource; none without a codec.
    pub encoder: Option<Arc<dyn PayloadEncoder>>,
}

/// Opens the sink of one run.
pub trait Opener: Send + Sync {
    /// Opens it. Called again after the backoff of the emitter's retry policy when it failed; a future that is dropped
    /// leaves nothing open.
    ///
    /// # Errors
    /// Why there is no sink now; nothing that a record is at fault for.
    fn open(&self) -> BoxFuture<'static, Result<Opened, OpenError>>;
}

/// Where the sink of a run comes from.
pub enum Supply {
    /// It is open.
    Open(OpenSink),
    /// The run opens it, by its retry policy.
    Opens(Arc<dyn Opener>),
}

impl From<OpenSink> for Supply {
    fn from(sink: OpenSink) -> Self {
        Self::Open(sink)
    }
}
