//! Watches: every commit once and in order, or the state in place of those no longer kept.

use std::sync::Arc;

use futures::{StreamExt, join};

use super::{commit, put};
use crate::{Revision, Snapshot, Store, StoreError, Watch, WatchEvent};

pub(super) async fn a_watch_tells_every_commit_once_and_in_order(
    store: Arc<dyn Store>,
) -> Result<(), StoreError> {
    for base in 0..10 {
        commit(&*store, base, vec![put("a", &base.to_string())]).await?;
    }
    let mut watch = store.watch(Revision(5)).await?;
    let reader = async {
        let mut snapshot = store.read(Some(Revision(5))).await?;
        for _ in 5..110 {
            let told = follow(&mut watch, &mut snapshot).await?;
            assert_eq!(told, Told::Commit, "all of these commits are kept");
        }
        Ok::<_, StoreError>(snapshot)
    };
    let writer = async {
        for base in 10..110 {
            commit(&*store, base, vec![put(&format!("k{base}"), &base.to_string())]).await?;
        }
        Ok::<_, StoreError>(())
    };
    let (read, written) = join!(reader, writer);
    written?;
    assert_eq!(read?, store.read(None).await?);
    let refused = store.watch(Revision(111)).await;
    assert!(matches!(refused.map(drop), Err(StoreError::Future { .. })));
    Ok(())
}

/// What a watch told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The next commit.
    Commit,
    /// The whole state.
    Snapshot,
}

/// Applies one event and checks that no commit was left out.
pub(super) async fn follow(watch: &mut Watch, snapshot: &mut Snapshot) -> Result<Told, StoreError> {
    let event = watch.next().await.ok_or(StoreError::Corrupt {
        what: "the watch ended".into(),
    })??;
    match event {
        WatchEvent::Commit { revision, changes } => {
            assert_eq!(revision, snapshot.revision.next());
            snapshot.apply(revision, &changes);
            Ok(Told::Commit)
        }
        WatchEvent::Snapshot(whole) => {
            *snapshot = whole;
            Ok(Told::Snapshot)
        }
    }
}
