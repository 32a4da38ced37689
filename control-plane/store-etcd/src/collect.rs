//! Keeping what is stored bounded: whole states now and then, and the removal of what nobody needs.
//!
//! Half-written commits need no clock to be told apart: a body made for a revision that the head has left can never be
//! committed, so one that the log does not name is garbage. All of this is done by whoever commits, after the commit, and
//! may fail: the next time does it again.

use std::collections::{BTreeMap, BTreeSet};

use etcd_client::{Compare, CompareOp, DeleteOptions, Txn, TxnOp};
use nervix_store::{RETAINED_REVISIONS, Revision, StoreError, encode_changes};
use uuid::Uuid;

use crate::{
    EtcdStore,
    connection::Failure,
    layout::{Body, Layout},
    read::{ReadError, whole_changes},
};

/// Commits between two whole states: the most that a read has to apply.
const WHOLE_EVERY: u64 = 128;

impl EtcdStore {
    /// After a commit.
    pub(crate) async fn keep_bounded(&self, revision: Revision) {
        if !revision.0.is_multiple_of(WHOLE_EVERY) {
            return;
        }
        if let Err(error) = self.write_whole_and_prune(revision).await {
            tracing::warn!(%error, "the store was not tidied; a later commit does it");
        }
    }

    async fn write_whole_and_prune(&self, revision: Revision) -> Result<(), StoreError> {
        self.write_whole(revision).await?;
        self.prune(revision)
            .await
            .map_err(|error| self.store_error(error))?;
        self.collect_half_written().await
    }

    async fn write_whole(&self, revision: Revision) -> Result<(), StoreError> {
        let snapshot = self.read_at(Some(revision)).await?;
        let bytes = encode_changes(&whole_changes(&snapshot))?;
        let id = Uuid::new_v4().simple().to_string();
        let prefix = self.layout.state(revision, &id);
        let chunks = self.write_chunks(&prefix, &bytes).await?;
        let body = Body {
            id,
            chunks,
            bytes: bytes.len(),
        };
        // Holds only while nobody has collected the body meanwhile, and nobody else has written this whole state.
        let there = Compare::create_revision(Layout::chunk(&prefix, 0), CompareOp::Greater, 0);
        let first = Compare::create_revision(self.layout.whole(revision), CompareOp::Equal, 0);
        let name = TxnOp::put(self.layout.whole(revision), body.write(), None);
        let named = self
            .connection
            .txn(Txn::new().when([there, first]).and_then([name]))
            .await;
        named
            .map(drop)
            .map_err(|failure| self.connection.unavailable(failure))
    }

    /// Removes the commits and whole states before the last whole state that still lets all retained revisions be read.
    async fn prune(&self, head: Revision) -> Result<(), ReadError> {
        let oldest = Revision(head.0.saturating_sub(RETAINED_REVISIONS));
        let wholes = self
            .connection
            .keys(
                self.layout.whole(Revision(0)),
                self.layout.whole(oldest.next()),
                0,
            )
            .await?;
        let Some((key, _, _)) = wholes.entries.last() else {
            return Ok(());
        };
        let kept = Layout::revision_of(key)?;
        let ranges = [
            (self.layout.log(Revision(0)), self.layout.log(kept.next())),
            (
                self.layout.bodies_from(Revision(0)),
                self.layout.bodies_from(kept),
            ),
            (self.layout.whole(Revision(0)), self.layout.whole(kept)),
            (
                self.layout.states_from(Revision(0)),
                self.layout.states_from(kept),
            ),
        ];
        for (from, to) in ranges {
            self.connection.remove_range(from, to).await?;
        }
        Ok(())
    }

    /// Removes bodies that no commit and no whole state names and none ever will.
    pub(crate) async fn collect_half_written(&self) -> Result<(), StoreError> {
        self.try_collect().await.map_err(|error| self.store_error(error))
    }

    async fn try_collect(&self) -> Result<(), ReadError> {
        let (head, at) = self.find_head().await?;
        self.collect_bodies(head.revision, at).await?;
        self.collect_states(head.revision, at).await
    }

    /// What a body made for a revision before `end` came to is settled for ever.
    async fn collect_bodies(&self, end: Revision, at: i64) -> Result<(), ReadError> {
        let log = self
            .connection
            .range(self.layout.log(Revision(0)), self.layout.log(end.next()), at)
            .await?;
        let mut named = BTreeSet::new();
        for (key, value, _) in &log.entries {
            let base = Revision(Layout::revision_of(key)?.0.saturating_sub(1));
            named.insert(self.layout.body(base, &Body::read(value)?.id));
        }
        let bodies = self.connection.keys(
            self.layout.bodies_from(Revision(0)),
            self.layout.bodies_from(end),
            at,
        );
        let mut garbage = BTreeSet::new();
        for (key, _, _) in &bodies.await?.entries {
            let (base, id) = Layout::owner_of(key)?;
            garbage.insert(self.layout.body(base, id));
        }
        for prefix in garbage.difference(&named) {
            self.connection
                .remove_range(prefix.clone(), format!("{prefix}~"))
                .await?;
        }
        Ok(())
    }

    /// A state that nobody names may be one that another control plane is just writing: it goes only while its revision
    /// is named as it was, in one transaction.
    async fn collect_states(&self, end: Revision, at: i64) -> Result<(), ReadError> {
        let wholes = self
            .connection
            .range(self.layout.whole(Revision(0)), self.layout.whole(end), at)
            .await?;
        let mut named = BTreeMap::new();
        for (key, value, named_at) in &wholes.entries {
            named.insert(Layout::revision_of(key)?, (Body::read(value)?.id, *named_at));
        }
        let states = self.connection.keys(
            self.layout.states_from(Revision(0)),
            self.layout.states_from(end),
            at,
        );
        let mut found = BTreeSet::new();
        for (key, _, _) in &states.await?.entries {
            let (revision, id) = Layout::owner_of(key)?;
            found.insert((revision, id.to_owned()));
        }
        for (revision, id) in found {
            let named_at = match named.get(&revision) {
                Some((name, _)) if *name == id => continue,
                Some((_, named_at)) => *named_at,
                None => 0,
            };
            let prefix = self.layout.state(revision, &id);
            let as_it_was = Compare::mod_revision(self.layout.whole(revision), CompareOp::Equal, named_at);
            let all = DeleteOptions::new().with_range(format!("{prefix}~"));
            let remove = TxnOp::delete(prefix, Some(all));
            let removed = self
                .connection
                .txn(Txn::new().when([as_it_was]).and_then([remove]))
                .await?;
            tracing::debug!(%revision, removed, "a whole state that nobody named was collected");
        }
        Ok(())
    }

    fn store_error(&self, error: ReadError) -> StoreError {
        match error {
            ReadError::Store(error) => error,
            ReadError::Failure(failure) => self.connection.unavailable(failure),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Failure(failure) => failure,
            ReadError::Store(error) => Failure::Refused(error.to_string()),
        }
    }
}
