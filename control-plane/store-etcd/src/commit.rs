//! Commits: the body under new keys, then the head by compare-and-swap.
//!
//! A lost answer is resolved: the same compare-and-swap is sent again, and either it holds, or the log says whose commit
//! made the revision. Only when etcd stays away is the outcome unknown.

use std::time::Duration;

use bytes::Bytes;
use etcd_client::{Compare, CompareOp, Txn, TxnOp};
use futures::{StreamExt, TryStreamExt, stream};
use nervix_store::{Commit, Revision, StoreError, encode_changes};
use tokio::time::interval;
use uuid::Uuid;

use crate::{
    EtcdStore,
    connection::Failure,
    layout::{Body, CHUNK_BYTES, FORMAT, Head, Layout},
};

/// Bodies up to this size travel with the head: one request in place of two.
const INLINE_BYTES_MAX: usize = 256 * 1024;

/// Chunks on their way to etcd at once.
const CHUNKS_AT_ONCE: usize = 4;

/// How often a lost answer is looked for.
const RESOLVE_ATTEMPTS: usize = 20;

/// Between two looks.
const RESOLVE_EVERY: Duration = Duration::from_millis(500);

/// One attempt to move the head.
struct Move {
    head: Head,
    revision: Revision,
    body: Body,
    /// The body itself where it travels with the head.
    inline: Option<Bytes>,
}

impl EtcdStore {
    pub(crate) async fn make_commit(&self, commit: Commit) -> Result<Revision, StoreError> {
        commit.check()?;
        let encoded = encode_changes(&commit.changes)?;
        let found = self
            .find_head()
            .await
            .map_err(|failure| self.connection.unavailable(failure))?;
        let head = found.0;
        if head.revision != commit.base {
            return Err(StoreError::Conflict { head: head.revision });
        }
        let id = Uuid::new_v4().simple().to_string();
        let prefix = self.layout.body(commit.base, &id);
        let inline = encoded.len() <= INLINE_BYTES_MAX;
        let chunks = if inline {
            1
        } else {
            self.write_chunks(&prefix, &encoded).await?
        };
        let body = Body {
            id,
            chunks,
            bytes: encoded.len(),
        };
        let attempt = Move {
            head,
            revision: commit.base.next(),
            body,
            inline: inline.then_some(encoded),
        };
        let made = self.move_head(&attempt).await;
        if !inline && made.as_ref().is_err_and(is_definite) {
            self.remove_body(&prefix).await;
        }
        let revision = made?;
        self.keep_bounded(revision).await;
        Ok(revision)
    }

    /// Writes chunks; answers how many. The first is there before any other is sent: whoever collects a body takes all
    /// that is there of it, so while the first is there nothing of it has been collected.
    pub(crate) async fn write_chunks(&self, prefix: &str, bytes: &Bytes) -> Result<usize, StoreError> {
        let count = bytes.len().div_ceil(CHUNK_BYTES);
        let put = |index: usize| {
            let begin = index * CHUNK_BYTES;
            let chunk = bytes.slice(begin..bytes.len().min(begin + CHUNK_BYTES));
            self.connection.put(Layout::chunk(prefix, index), chunk.to_vec())
        };
        let written = async {
            if count > 0 {
                put(0).await?;
            }
            stream::iter((1..count).map(put))
                .buffer_unordered(CHUNKS_AT_ONCE)
                .try_collect::<()>()
                .await
        };
        written
            .await
            .map_err(|failure| self.connection.unavailable(failure))?;
        Ok(count)
    }

    /// Removes a body that no head will ever point to; what stays behind is collected later.
    async fn remove_body(&self, prefix: &str) {
        let end = format!("{prefix}~");
        if self
            .connection
            .remove_range(prefix.to_owned(), end)
            .await
            .is_err()
        {
            tracing::debug!("a body that was not committed stays until it is collected");
        }
    }

    async fn move_head(&self, attempt: &Move) -> Result<Revision, StoreError> {
        let mut pause = interval(RESOLVE_EVERY);
        pause.tick().await;
        let mut lost = String::new();
        for sent in 0..RESOLVE_ATTEMPTS {
            match self.connection.txn(self.head_txn(attempt)).await {
                Ok(true) => return Ok(attempt.revision),
                Ok(false) if sent == 0 => return Err(self.beaten(attempt).await),
                Ok(false) => match self.is_ours(attempt).await {
                    Ok(true) => return Ok(attempt.revision),
                    Ok(false) => return Err(self.beaten(attempt).await),
                    Err(failure) => lost = self.connection.unavailable(failure).to_string(),
                },
                Err(Failure::Lost(message) | Failure::Undecided(message)) => lost = message,
                // A refusal says nothing about an attempt before it whose answer was lost.
                Err(failure) if sent == 0 => return Err(self.connection.unavailable(failure)),
                Err(failure) => lost = self.connection.unavailable(failure).to_string(),
            }
            pause.tick().await;
        }
        Err(StoreError::Unknown { message: lost })
    }

    /// Holds only while the head is where it was found.
    fn head_txn(&self, attempt: &Move) -> Txn {
        let Move {
            head,
            revision,
            body,
            inline,
        } = attempt;
        let mut operations = vec![
            TxnOp::put(self.layout.head(), format!("{revision} {}", body.id), None),
            TxnOp::put(self.layout.log(*revision), body.write(), None),
        ];
        if head.moved_at == 0 {
            operations.push(TxnOp::put(self.layout.format(), FORMAT.to_string(), None));
        }
        if let Some(bytes) = inline {
            let prefix = self.layout.body(head.revision, &body.id);
            operations.push(TxnOp::put(Layout::chunk(&prefix, 0), bytes.to_vec(), None));
        }
        let unmoved = Compare::mod_revision(self.layout.head(), CompareOp::Equal, head.moved_at);
        Txn::new().when([unmoved]).and_then(operations)
    }

    async fn is_ours(&self, attempt: &Move) -> Result<bool, Failure> {
        let page = self.connection.get(self.layout.log(attempt.revision)).await?;
        Ok(page
            .entries
            .first()
            .is_some_and(|(_, value, _)| *value == attempt.body.write().into_bytes()))
    }

    async fn beaten(&self, attempt: &Move) -> StoreError {
        // The head has moved; where to is only told, so a failure to look is no failure of its own.
        let head = match self.find_head().await {
            Ok((head, _)) => head.revision,
            Err(_) => attempt.revision,
        };
        StoreError::Conflict { head }
    }
}

/// Whether the head certainly has not moved to the attempt. After an unknown outcome it may have: then the body stays, and
/// is collected later if no head names it.
fn is_definite(error: &StoreError) -> bool {
    !matches!(error, StoreError::Unknown { .. })
}
