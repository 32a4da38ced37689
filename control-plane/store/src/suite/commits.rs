//! Commits: whole or not at all, one for each revision, of any size within the bound.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream};

use super::{commit, delete, put};
use crate::{COMMIT_BYTES_MAX, Change, Commit, KEY_BYTES_MAX, Revision, Store, StoreError};

pub(super) async fn a_commit_takes_effect_whole_and_counts_up(store: &dyn Store) -> Result<(), StoreError> {
    assert_eq!(store.head().await?, Revision(0));
    assert!(store.read(None).await?.entries.is_empty());
    assert_eq!(
        commit(store, 0, vec![put("a", "1"), put("b", "1")]).await?,
        Revision(1)
    );
    assert_eq!(
        commit(store, 1, vec![put("a", "2"), delete("b"), delete("c")]).await?,
        Revision(2)
    );
    let snapshot = store.read(None).await?;
    assert_eq!(snapshot.revision, Revision(2));
    assert_eq!(snapshot.entries.len(), 1);
    assert_eq!(&snapshot.entries["a"].value[..], b"2");
    assert_eq!(snapshot.entries["a"].modified, Revision(2));
    assert_eq!(commit(store, 2, vec![put("z", "3")]).await?, Revision(3));
    assert_eq!(store.read(None).await?.entries["a"].modified, Revision(2));
    assert_eq!(store.head().await?, Revision(3));
    Ok(())
}

pub(super) async fn a_commit_for_another_revision_is_refused_and_changes_nothing(
    store: &dyn Store,
) -> Result<(), StoreError> {
    commit(store, 0, vec![put("a", "1")]).await?;
    let before = store.read(None).await?;
    for base in [0, 2, 77] {
        let refused = commit(store, base, vec![put("a", "2")]).await;
        assert!(
            matches!(refused, Err(StoreError::Conflict { head: Revision(1) })),
            "{base}: {refused:?}"
        );
    }
    assert_eq!(store.read(None).await?, before);
    Ok(())
}

pub(super) async fn of_many_commits_for_one_revision_exactly_one_takes_effect(
    store: Arc<dyn Store>,
) -> Result<(), StoreError> {
    for base in 0..10_u64 {
        let racers = (0..8).map(|racer| {
            let store = Arc::clone(&store);
            async move {
                commit(&*store, base, vec![put("winner", &racer.to_string())])
                    .await
                    .map(|made| (racer, made))
            }
        });
        let outcomes: Vec<_> = stream::iter(racers).buffer_unordered(8).collect().await;
        let mut winner = None;
        for outcome in outcomes {
            match outcome {
                Ok((racer, made)) => {
                    assert_eq!(made, Revision(base + 1));
                    assert_eq!(winner.replace(racer), None, "two commits made revision {made}");
                }
                Err(StoreError::Conflict { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        let winner = winner.map(|winner| winner.to_string());
        let stored = store.read(None).await?.entries["winner"].value.clone();
        assert_eq!(winner.map(Bytes::from), Some(stored));
    }
    Ok(())
}

pub(super) async fn a_commit_of_two_thousand_changes_and_four_mebibytes_takes_effect(
    store: &dyn Store,
) -> Result<(), StoreError> {
    let large = "x".repeat(2 * 1024);
    let changes = (0..2000)
        .map(|n| put(&format!("entity/{n:04}"), &large))
        .collect();
    assert_eq!(commit(store, 0, changes).await?, Revision(1));
    let huge = "y".repeat(2 * 1024 * 1024);
    assert_eq!(commit(store, 1, vec![put("one", &huge)]).await?, Revision(2));
    let snapshot = store.read(None).await?;
    assert_eq!(snapshot.entries.len(), 2001);
    assert!(
        snapshot
            .entries
            .iter()
            .all(|(key, entry)| key == "one" || entry.value.len() == large.len())
    );
    assert_eq!(snapshot.entries["one"].value, huge.as_bytes());
    Ok(())
}

pub(super) async fn what_is_too_large_is_refused_by_name(store: &dyn Store) -> Result<(), StoreError> {
    let key = "k".repeat(KEY_BYTES_MAX + 1);
    let refused = commit(store, 0, vec![delete(&key)]).await;
    assert!(
        matches!(refused, Err(StoreError::TooLarge { what: "a key", .. })),
        "{refused:?}"
    );
    let block = Bytes::from(vec![0; COMMIT_BYTES_MAX / 4]);
    let changes = (0..5)
        .map(|n| Change::Put {
            key: n.to_string(),
            value: block.clone(),
        })
        .collect();
    let refused = store
        .commit(Commit {
            base: Revision(0),
            changes,
        })
        .await;
    assert!(
        matches!(refused, Err(StoreError::TooLarge { what: "a commit", .. })),
        "{refused:?}"
    );
    assert_eq!(store.head().await?, Revision(0));
    Ok(())
}

pub(super) async fn the_later_change_of_a_key_in_a_commit_wins(store: &dyn Store) -> Result<(), StoreError> {
    commit(store, 0, vec![put("a", "0")]).await?;
    commit(
        store,
        1,
        vec![
            put("a", "1"),
            delete("a"),
            put("a", "2"),
            put("b", "1"),
            delete("b"),
        ],
    )
    .await?;
    let snapshot = store.read(None).await?;
    assert_eq!(&snapshot.entries["a"].value[..], b"2");
    assert!(!snapshot.entries.contains_key("b"));
    let earlier = store.read(Some(Revision(1))).await?;
    assert_eq!(&earlier.entries["a"].value[..], b"0");
    Ok(())
}
