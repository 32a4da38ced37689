//! Watching: the log is read from where the watch is, then etcd tells when the head moves on.
//!
//! Nothing is taken from etcd's own history but the news that the head has moved, so a compaction of etcd only makes the
//! watch look at the log again.

use std::{collections::VecDeque, time::Duration};

use etcd_client::WatchStream;
use futures::{StreamExt, stream};
use nervix_store::{Revision, StoreError, Watch, WatchEvent};
use tokio::time::timeout;

use crate::{EtcdStore, connection::Failure, read::ReadError};

/// Commits that a watch reads at once.
const READ_MAX: u64 = 64;

/// How long a silent watch is believed before the head is looked at: one that tells nothing any more is no different from
/// a head that stands.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// One watch.
struct Watcher {
    store: EtcdStore,
    last: Revision,
    read: VecDeque<WatchEvent>,
    /// etcd's watch of the head key, while it is open.
    moves: Option<WatchStream>,
    ended: bool,
}

impl EtcdStore {
    pub(crate) async fn watch_after(self, after: Revision) -> Result<Watch, StoreError> {
        let found = self
            .find_head()
            .await
            .map_err(|failure| self.connection.unavailable(failure))?;
        let head = found.0.revision;
        if after > head {
            return Err(StoreError::Future {
                revision: after,
                head,
            });
        }
        let watcher = Watcher {
            store: self,
            last: after,
            read: VecDeque::new(),
            moves: None,
            ended: false,
        };
        Ok(stream::unfold(watcher, Watcher::step).boxed())
    }
}

impl Watcher {
    async fn step(mut self) -> Option<(Result<WatchEvent, StoreError>, Self)> {
        if self.ended {
            return None;
        }
        loop {
            if let Some(event) = self.read.pop_front() {
                self.last = match &event {
                    WatchEvent::Commit { revision, .. } => *revision,
                    WatchEvent::Snapshot(snapshot) => snapshot.revision,
                };
                return Some((Ok(event), self));
            }
            match self.look().await {
                Ok(()) | Err(ReadError::Failure(Failure::Compacted)) => {}
                Err(error) => {
                    self.ended = true;
                    let error = match error {
                        ReadError::Store(error) => error,
                        ReadError::Failure(failure) => self.store.connection.unavailable(failure),
                    };
                    return Some((Err(error), self));
                }
            }
        }
    }

    /// Reads commits after the last one told; without any, waits until the head moves.
    async fn look(&mut self) -> Result<(), ReadError> {
        let (head, at) = self.store.find_head().await?;
        if head.revision == self.last {
            return Ok(self.wait(at).await?);
        }
        let to = Revision(head.revision.0.min(self.last.0.saturating_add(READ_MAX)));
        let commits = self.store.read_commits(self.last, to, at).await?;
        if commits
            .first()
            .is_none_or(|(first, _)| *first != self.last.next())
        {
            self.read
                .push_back(WatchEvent::Snapshot(self.store.read_at(None).await?));
            return Ok(());
        }
        self.read.extend(
            commits
                .into_iter()
                .map(|(revision, changes)| WatchEvent::Commit { revision, changes }),
        );
        Ok(())
    }

    /// Waits until the head moves after etcd's revision `at`, or until it is time to look by oneself: whoever told of moves
    /// says nothing, or nothing more. Then the next wait asks for them anew, whichever member answers by then.
    async fn wait(&mut self, at: i64) -> Result<(), Failure> {
        let mut moves = match self.moves.take() {
            Some(moves) => moves,
            None => {
                self.store
                    .connection
                    .watch(self.store.layout.head(), at.saturating_add(1))
                    .await?
            }
        };
        loop {
            let Ok(Ok(Some(news))) = timeout(LOOK_AGAIN, moves.message()).await else {
                return Ok(());
            };
            if news.canceled() {
                // Compacted, or ended by etcd.
                return Ok(());
            }
            if !news.events().is_empty() {
                self.moves = Some(moves);
                return Ok(());
            }
        }
    }
}
