//! What every store must do, as code that each implementation's tests run: [`run`] with a way to open handles on one
//! fresh store. Meant for tests alone: a store that does it wrong ends in a failed assertion.
//!
//! Surviving a killed process, and a second process that is refused or let in, is tested by each implementation itself.

mod blobs;
mod commits;
mod history;
mod watching;

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::{Change, Commit, Revision, Store, StoreError};

/// Opens fresh stores for the suite.
pub trait Fresh: Send + Sync {
    /// A store that is empty, on which nobody else works.
    fn fresh(&self) -> BoxFuture<'_, Result<Arc<dyn Store>, StoreError>>;
}

/// Runs the whole suite.
///
/// # Errors
/// What the store answers where it should have succeeded.
pub async fn run(stores: &dyn Fresh) -> Result<(), StoreError> {
    commits::a_commit_takes_effect_whole_and_counts_up(&*stores.fresh().await?).await?;
    commits::a_commit_for_another_revision_is_refused_and_changes_nothing(&*stores.fresh().await?).await?;
    commits::of_many_commits_for_one_revision_exactly_one_takes_effect(stores.fresh().await?).await?;
    commits::a_commit_of_two_thousand_changes_and_four_mebibytes_takes_effect(&*stores.fresh().await?)
        .await?;
    history::two_thousand_commits_are_kept_as_far_as_promised(&*stores.fresh().await?).await?;
    commits::what_is_too_large_is_refused_by_name(&*stores.fresh().await?).await?;
    commits::the_later_change_of_a_key_in_a_commit_wins(&*stores.fresh().await?).await?;
    history::earlier_revisions_read_as_they_were(&*stores.fresh().await?).await?;
    watching::a_watch_tells_every_commit_once_and_in_order(stores.fresh().await?).await?;
    blobs::a_blob_reads_back_by_chunks(&*stores.fresh().await?).await?;
    Ok(())
}

fn put(key: &str, value: &str) -> Change {
    Change::Put {
        key: key.into(),
        value: value.as_bytes().to_vec().into(),
    }
}

fn delete(key: &str) -> Change {
    Change::Delete { key: key.into() }
}

async fn commit(store: &dyn Store, base: u64, changes: Vec<Change>) -> Result<Revision, StoreError> {
    store
        .commit(Commit {
            base: Revision(base),
            changes,
        })
        .await
}
