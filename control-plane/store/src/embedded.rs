//! The embedded store: one local file of mode 0600 (redb), or nothing but memory.
//!
//! Invariant: each commit is one transaction of the file, on disk before it is answered, so a process killed at any moment
//! leaves the commits it was answered and perhaps one more, whole. The file is locked while it is open: a second control
//! plane is refused with [`StoreError::Locked`].
//!
//! After its disk failed (a full one, say) the file is opened anew, and a commit whose last step failed is looked for in
//! it before it is answered.
//!
//! Earlier revisions are read by undoing commits from the head backwards; each commit is kept with what it replaced.

mod tables;

use std::{collections::VecDeque, path::Path, sync::Arc};

use bytes::Bytes;
use futures::{StreamExt, future::BoxFuture, stream};
use nervix_database::DatabaseFile;
use redb::Database;
use tokio::sync::watch;

use crate::{
    BLOB_CHUNK_BYTES_MAX, BlobId, Change, Commit, Revision, Snapshot, Store, StoreError, Watch, WatchEvent,
};

/// Commits that a watch reads at once.
const WATCH_READ_MAX: usize = 64;

/// A store in one file of this machine, or in memory.
#[derive(Clone)]
pub struct EmbeddedStore {
    shared: Arc<Shared>,
}

struct Shared {
    file: DatabaseFile,
    head: watch::Sender<Revision>,
}

impl EmbeddedStore {
    /// Opens the store in `path`, and creates the file and its folders when they are not there.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process has it open, [`StoreError::Format`] when another release wrote it,
    /// [`StoreError::Foreign`] when the file is none, [`StoreError::Unavailable`] when it cannot be read or written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::on(DatabaseFile::open(path.as_ref())?)
    }

    /// A store that is gone with the process.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is not enough memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::on(DatabaseFile::in_memory()?)
    }

    fn on(file: DatabaseFile) -> Result<Self, StoreError> {
        let head = file.write(|database| tables::prepare(database, file.place()))?;
        Ok(Self {
            shared: Arc::new(Shared {
                file,
                head: watch::Sender::new(head),
            }),
        })
    }

    /// Runs one transaction where it may block.
    fn blocking<T, F>(&self, transaction: F) -> BoxFuture<'static, Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&Shared) -> Result<T, StoreError> + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let place = shared.file.place().to_owned();
            tokio::task::spawn_blocking(move || transaction(&shared))
                .await
                .map_err(|error| StoreError::Unavailable {
                    place,
                    message: format!("its task ended early: {error}"),
                })?
        })
    }
}

impl Shared {
    fn read<T>(&self, work: impl FnOnce(&Database, &str) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.file.read(|database| work(database, self.file.place()))
    }

    fn write<T>(&self, work: impl FnOnce(&Database, &str) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.file.write(|database| work(database, self.file.place()))
    }

    /// Tells watches of a head that is newer than what they know.
    fn advance(&self, revision: Revision) {
        self.head.send_if_modified(|head| {
            let newer = revision > *head;
            *head = revision.max(*head);
            newer
        });
    }

    /// Finds out what became of a commit whose last step failed.
    fn outcome(&self, commit: &Commit, message: String) -> Result<Revision, StoreError> {
        let revision = commit.base.next();
        match self.read(|database, place| tables::has_commit(database, place, revision, &commit.changes)) {
            Ok(true) => Ok(revision),
            Ok(false) => Err(StoreError::Unavailable {
                place: self.file.place().to_owned(),
                message,
            }),
            Err(_) => Err(StoreError::Unknown { message }),
        }
    }
}

impl Store for EmbeddedStore {
    fn head(&self) -> BoxFuture<'_, Result<Revision, StoreError>> {
        let head = *self.shared.head.borrow();
        Box::pin(async move { Ok(head) })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.blocking(move |shared| {
            commit.check()?;
            let revision = match shared.write(|database, place| tables::commit(database, place, &commit)) {
                Err(StoreError::Unknown { message }) => shared.outcome(&commit, message)?,
                other => other?,
            };
            shared.advance(revision);
            Ok(revision)
        })
    }

    fn read(&self, at: Option<Revision>) -> BoxFuture<'_, Result<Snapshot, StoreError>> {
        self.blocking(move |shared| {
            let snapshot = shared.read(|database, place| tables::read(database, place, at))?;
            shared.advance(snapshot.revision);
            Ok(snapshot)
        })
    }

    fn watch(&self, after: Revision) -> BoxFuture<'_, Result<Watch, StoreError>> {
        let watcher = Watcher {
            store: self.clone(),
            head: self.shared.head.subscribe(),
            last: after,
            read: VecDeque::new(),
            ended: false,
        };
        Box::pin(async move {
            let head = *watcher.head.borrow();
            if after > head {
                return Err(StoreError::Future {
                    revision: after,
                    head,
                });
            }
            Ok(stream::unfold(watcher, Watcher::step).boxed())
        })
    }

    fn put_chunk(&self, blob: BlobId, index: u32, chunk: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.blocking(move |shared| {
            if chunk.len() > BLOB_CHUNK_BYTES_MAX {
                let (what, bytes) = ("a blob's chunk", chunk.len());
                return Err(StoreError::TooLarge {
                    what,
                    bytes,
                    max: BLOB_CHUNK_BYTES_MAX,
                });
            }
            shared.write(|database, place| tables::put_chunk(database, place, (&blob, index), &chunk))
        })
    }

    fn chunk(&self, blob: BlobId, index: u32) -> BoxFuture<'_, Result<Bytes, StoreError>> {
        self.blocking(move |shared| {
            shared.read(|database, place| tables::chunk(database, place, &blob, index))
        })
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>, StoreError>> {
        self.blocking(|shared| shared.read(tables::blobs))
    }

    fn remove_blob(&self, blob: BlobId) -> BoxFuture<'_, Result<(), StoreError>> {
        self.blocking(move |shared| {
            shared.write(|database, place| tables::remove_blob(database, place, &blob))
        })
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn place(&self) -> String {
        self.shared.file.place().to_owned()
    }

    fn failure(&self) -> Option<String> {
        self.shared.file.failure()
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.blocking(|shared| {
            let head = shared.write(tables::touch)?;
            shared.advance(head);
            Ok(())
        })
    }
}

/// One watch: where it is, and commits read but not told yet.
struct Watcher {
    store: EmbeddedStore,
    head: watch::Receiver<Revision>,
    last: Revision,
    read: VecDeque<(Revision, Vec<Change>)>,
    ended: bool,
}

impl Watcher {
    async fn step(mut self) -> Option<(Result<WatchEvent, StoreError>, Self)> {
        if self.ended {
            return None;
        }
        loop {
            if let Some((revision, changes)) = self.read.pop_front() {
                self.last = revision;
                return Some((Ok(WatchEvent::Commit { revision, changes }), self));
            }
            let last = self.last;
            if self.head.wait_for(|head| *head > last).await.is_err() {
                return None;
            }
            let commits = self
                .store
                .blocking(move |shared| {
                    shared.read(|database, place| tables::commits(database, place, last, WATCH_READ_MAX))
                })
                .await;
            let outcome = match commits {
                Ok(commits) => {
                    self.read = commits.into();
                    continue;
                }
                Err(StoreError::Pruned { .. }) => self.store.read(None).await,
                Err(error) => Err(error),
            };
            match outcome {
                Ok(snapshot) => {
                    self.last = snapshot.revision;
                    return Some((Ok(WatchEvent::Snapshot(snapshot)), self));
                }
                Err(error) => {
                    self.ended = true;
                    return Some((Err(error), self));
                }
            }
        }
    }
}
