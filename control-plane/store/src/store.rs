//! The store trait.

use bytes::Bytes;
use futures::{future::BoxFuture, stream::BoxStream};

use crate::{BlobId, Change, Commit, Revision, Snapshot, StoreError};

/// At least this many revisions before the head can be read and watched from.
pub const RETAINED_REVISIONS: u64 = 1000;

/// What a watch tells, one after the other, without end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// The next commit after the one told before.
    Commit {
        /// What it made.
        revision: Revision,
        /// What it changed.
        changes: Vec<Change>,
    },
    /// The watch was too far behind: the whole state, in place of the commits up to it.
    Snapshot(Snapshot),
}

/// A watch; after an error it ends, and a new one is opened from the last revision told.
pub type Watch = BoxStream<'static, Result<WatchEvent, StoreError>>;

/// Where a catalog is kept.
///
/// All methods can be called from many tasks at once, and on handles of several processes where the implementation
/// allows more than one. Dropping a future leaves a commit either done or not, never half.
pub trait Store: Send + Sync + 'static {
    /// The revision of the last commit.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::Corrupt`].
    fn head(&self) -> BoxFuture<'_, Result<Revision, StoreError>>;

    /// Makes all changes, or none, and answers the revision they made.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the head is not `commit.base`; [`StoreError::TooLarge`]; [`StoreError::Unknown`]
    /// when it could not be learnt whether the commit took effect.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Revision, StoreError>>;

    /// The entries at a revision, or at the head.
    ///
    /// # Errors
    /// [`StoreError::Pruned`], [`StoreError::Future`], [`StoreError::Unavailable`].
    fn read(&self, at: Option<Revision>) -> BoxFuture<'_, Result<Snapshot, StoreError>>;

    /// Every commit after a revision, those to come included.
    ///
    /// # Errors
    /// [`StoreError::Future`], [`StoreError::Unavailable`].
    fn watch(&self, after: Revision) -> BoxFuture<'_, Result<Watch, StoreError>>;

    /// Stores one chunk of a blob; chunks count from 0. Storing the same again is fine.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] past [`crate::BLOB_CHUNK_BYTES_MAX`]; [`StoreError::Unavailable`].
    fn put_chunk(&self, blob: BlobId, index: u32, chunk: Bytes) -> BoxFuture<'_, Result<(), StoreError>>;

    /// One chunk of a blob.
    ///
    /// # Errors
    /// [`StoreError::NoChunk`] past its end; [`StoreError::Unavailable`].
    fn chunk(&self, blob: BlobId, index: u32) -> BoxFuture<'_, Result<Bytes, StoreError>>;

    /// The names of all blobs, half-written ones included.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>, StoreError>>;

    /// Removes a blob with all its chunks; one that is not there stays away.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn remove_blob(&self, blob: BlobId) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Whether control planes of several processes may have it open at once.
    fn is_shared(&self) -> bool;

    /// Where it is kept, for log lines: a path or an address without credentials.
    fn place(&self) -> String;

    /// Why it cannot be written, from the first failure to the next write that succeeds; nothing where that is not known
    /// without asking.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Writes something that changes nothing, so that [`Self::failure`] is over once it can be written again.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn probe(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}
