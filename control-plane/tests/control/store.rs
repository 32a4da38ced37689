//! A store in memory that a test can hold back, and that may be shared as etcd is.

use std::sync::Arc;

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use nervix_store::{BlobId, Commit, EmbeddedStore, Revision, Snapshot, Store, StoreError, Watch};
use tokio::sync::watch;

/// What becomes of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    /// They wait until it opens.
    Held,
    /// So many of them fail.
    Failing(usize),
    /// One is carried out, and its answer is lost.
    Unanswered,
}

pub(crate) struct Guarded {
    inner: Arc<dyn Store>,
    is_shared: bool,
    gate: watch::Sender<Gate>,
    /// Commits that wait.
    waiting: watch::Sender<usize>,
}

impl Guarded {
    pub(crate) fn alone() -> Result<Self, StoreError> {
        Ok(Self {
            is_shared: false,
            ..Self::over(Arc::new(EmbeddedStore::in_memory()?))
        })
    }

    pub(crate) fn shared() -> Result<Self, StoreError> {
        Ok(Self::over(Arc::new(EmbeddedStore::in_memory()?)))
    }

    /// Another way to a shared store, with a gate of its own.
    pub(crate) fn over(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            is_shared: true,
            gate: watch::Sender::new(Gate::Open),
            waiting: watch::Sender::new(0),
        }
    }

    pub(crate) fn set(&self, gate: Gate) {
        self.gate.send_replace(gate);
    }

    pub(crate) fn gate(&self) -> watch::Receiver<Gate> {
        self.gate.subscribe()
    }

    /// How many commits have come to a held gate so far.
    pub(crate) fn waiting(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }

    /// Lets a commit by, and tells whether its answer arrives.
    async fn pass(&self) -> Result<bool, StoreError> {
        if *self.gate.borrow() == Gate::Held {
            self.waiting.send_modify(|waiting| *waiting += 1);
        }
        let mut gate = self.gate.subscribe();
        let opened = gate.wait_for(|gate| *gate != Gate::Held).await;
        drop(opened);
        let (mut fails, mut is_answered) = (false, true);
        self.gate.send_if_modified(|gate| match gate {
            Gate::Unanswered => {
                is_answered = false;
                *gate = Gate::Open;
                true
            }
            Gate::Failing(times) => {
                fails = true;
                *gate = match times.saturating_sub(1) {
                    0 => Gate::Open,
                    left => Gate::Failing(left),
                };
                true
            }
            _ => false,
        });
        if fails { Err(self.away()) } else { Ok(is_answered) }
    }

    fn away(&self) -> StoreError {
        StoreError::Unavailable {
            place: self.place(),
            message: "on purpose".into(),
        }
    }
}

impl Store for Guarded {
    fn head(&self) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.inner.head()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Revision, StoreError>> {
        async move {
            let is_answered = self.pass().await?;
            let committed = self.inner.commit(commit).await;
            if is_answered { committed } else { Err(self.away()) }
        }
        .boxed()
    }

    fn read(&self, at: Option<Revision>) -> BoxFuture<'_, Result<Snapshot, StoreError>> {
        self.inner.read(at)
    }

    fn watch(&self, after: Revision) -> BoxFuture<'_, Result<Watch, StoreError>> {
        self.inner.watch(after)
    }

    fn put_chunk(&self, blob: BlobId, index: u32, chunk: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_chunk(blob, index, chunk)
    }

    fn chunk(&self, blob: BlobId, index: u32) -> BoxFuture<'_, Result<Bytes, StoreError>> {
        self.inner.chunk(blob, index)
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>, StoreError>> {
        self.inner.blobs()
    }

    fn remove_blob(&self, blob: BlobId) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.remove_blob(blob)
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }

    fn place(&self) -> String {
        self.inner.place()
    }
}
