//! Reading revisions before the head.

use futures::StreamExt;

use super::{commit, delete, put, watching::follow};
use crate::{RETAINED_REVISIONS, Revision, Snapshot, Store, StoreError, WatchEvent};

pub(super) async fn earlier_revisions_read_as_they_were(store: &dyn Store) -> Result<(), StoreError> {
    let mut kept = vec![Snapshot::default()];
    for base in 0..300_u64 {
        let mut changes = vec![put(&format!("key/{}", base % 7), &base.to_string())];
        if base % 3 == 0 {
            changes.push(delete(&format!("key/{}", (base + 1) % 7)));
        }
        let mut snapshot = kept.last().cloned().unwrap_or_default();
        snapshot.apply(Revision(base + 1), &changes);
        commit(store, base, changes).await?;
        kept.push(snapshot);
    }
    for snapshot in &kept {
        assert_eq!(&store.read(Some(snapshot.revision)).await?, snapshot);
    }
    let refused = store.read(Some(Revision(301))).await;
    assert!(matches!(refused, Err(StoreError::Future { .. })), "{refused:?}");
    Ok(())
}

/// More than two thousand commits, one after the other: all take effect, the last [`RETAINED_REVISIONS`] can be read again,
/// those before are refused by name, and a watch from there starts with the state.
pub(super) async fn two_thousand_commits_are_kept_as_far_as_promised(
    store: &dyn Store,
) -> Result<(), StoreError> {
    const COMMITS: u64 = RETAINED_REVISIONS * 2 + 100;
    for base in 0..COMMITS {
        let statement = put(
            &format!("entity/{base:04}"),
            "CREATE RELAY r SCHEMA s UNBRANCHED;",
        );
        commit(store, base, vec![statement, put("last", &base.to_string())]).await?;
    }
    let snapshot = store.read(None).await?;
    assert_eq!(
        (snapshot.revision, snapshot.entries.len() as u64),
        (Revision(COMMITS), COMMITS + 1)
    );
    assert_eq!(snapshot.entries["entity/1234"].modified, Revision(1235));
    let refused = store.read(Some(Revision(1))).await;
    assert!(matches!(refused, Err(StoreError::Pruned { .. })), "{refused:?}");
    let oldest = COMMITS - RETAINED_REVISIONS;
    let kept = store.read(Some(Revision(oldest + 1))).await?;
    assert_eq!(kept.entries["last"].value, oldest.to_string());
    let mut watch = store.watch(Revision(1)).await?;
    let first = watch.next().await.transpose()?;
    let Some(WatchEvent::Snapshot(mut seen)) = first else {
        return Err(StoreError::Corrupt {
            what: format!("the watch began with {first:?}"),
        });
    };
    assert_eq!(seen, snapshot);
    commit(store, COMMITS, vec![put("later", "1")]).await?;
    follow(&mut watch, &mut seen).await?;
    assert_eq!(seen, store.read(None).await?);
    Ok(())
}
