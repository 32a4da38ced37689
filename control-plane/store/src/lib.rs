//! The catalog store: its trait, the embedded implementation and the suite that every implementation passes.
//!
//! A store holds entries (key to bytes) under revisions that count up by one with each commit. A [`Commit`] names the
//! revision it was made for and takes effect whole or not at all: of two commits for one revision, one is refused with
//! [`StoreError::Conflict`]. The last [`RETAINED_REVISIONS`] revisions can be read again and watched from. Blobs are large
//! values beside the entries; they are written in chunks under names that are used once.
//!
//! It deliberately knows nothing of what its entries mean.

mod blob;
mod commit;
mod embedded;
mod error;
mod snapshot;
mod store;
pub mod suite;

pub use blob::{BLOB_CHUNK_BYTES_MAX, BlobId};
pub use commit::{COMMIT_BYTES_MAX, Change, Commit, KEY_BYTES_MAX, decode_changes, encode_changes};
pub use embedded::EmbeddedStore;
pub use error::StoreError;
pub use snapshot::{Entry, Revision, Snapshot};
pub use store::{RETAINED_REVISIONS, Store, Watch, WatchEvent};
