//! Reading revisions before the head.

use super::{commit, delete, put};
use crate::{RETAINED_REVISIONS, Revision, Snapshot, Store, StoreError};

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

pub(super) async fn revisions_past_the_retained_ones_are_refused_by_name(
    store: &dyn Store,
) -> Result<(), StoreError> {
    let commits = RETAINED_REVISIONS * 2 + 100;
    for base in 0..commits {
        commit(store, base, vec![put("a", &base.to_string())]).await?;
    }
    let refused = store.read(Some(Revision(1))).await;
    assert!(matches!(refused, Err(StoreError::Pruned { .. })), "{refused:?}");
    let kept = store
        .read(Some(Revision(commits - RETAINED_REVISIONS + 1)))
        .await?;
    assert_eq!(
        kept.entries["a"].value,
        (commits - RETAINED_REVISIONS).to_string()
    );
    Ok(())
}
