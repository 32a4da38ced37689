//! The store on an etcd of three members, of which one is away at a time: killed, or silent as a machine without power is.

use std::{error::Error, time::Duration};

use etcd_client::Client;
use futures::StreamExt;
use nervix_store::{BlobId, Change, Commit, Revision, Store, Watch, WatchEvent};
use nervix_store_etcd::EtcdStore;
use nervix_tests::{etcd::Members, wait::until};
use tokio::time::timeout;

type Outcome = Result<(), Box<dyn Error>>;

/// How long everything that is tried with one member away may take: its silence and an election, and no more.
const BOUND: Duration = Duration::from_secs(20);

/// Commits with one member away.
const COMMITS: usize = 12;

#[derive(Clone, Copy, Debug)]
enum Away {
    Killed,
    Silent,
}

/// What is done on the store: it opens, takes commits and blobs, and tells of commits.
async fn works(url: &str, store: &EtcdStore, watch: &mut Watch) -> Outcome {
    let opened = EtcdStore::open(url).await?;
    for _ in 0..COMMITS {
        let base = store.head().await?;
        let changes = vec![Change::Put {
            key: "a".into(),
            value: base.to_string().into(),
        }];
        let made = store.commit(Commit { base, changes }).await?;
        assert_eq!(opened.read(None).await?.revision, made);
        let told = watch.next().await.ok_or("the watch ended")??;
        let is_it = matches!(told, WatchEvent::Commit { revision, .. } if revision == made);
        assert!(is_it, "{told:?}");
        let blob = BlobId::new(format!("b{base}"))?;
        store.put_chunk(blob.clone(), 0, "bytes".into()).await?;
        assert_eq!(opened.chunk(blob.clone(), 0).await?, "bytes");
        store.remove_blob(blob).await?;
    }
    Ok(())
}

/// Whether a member sees the others.
async fn is_back(address: String) -> Option<()> {
    let mut client = Client::connect([address], None).await.ok()?;
    client.get("any", None).await.ok().map(drop)
}

async fn with_each_away(how: Away) -> Outcome {
    let mut members = Members::start().await;
    let url = members.store_url();
    let store = until("the members answer", || async {
        EtcdStore::open(&url).await.ok()
    })
    .await;
    let mut watch = store.watch(Revision(0)).await?;
    works(&url, &store, &mut watch).await?;
    for away in 0..members.count() {
        match how {
            Away::Killed => members.process(away).kill(),
            Away::Silent => members.process(away).signal("STOP"),
        }
        let tried = timeout(BOUND, works(&url, &store, &mut watch)).await;
        tried
            .map_err(|_| format!("with member {away} {how:?}: it stands"))?
            .map_err(|error| format!("with member {away} {how:?}: {error}"))?;
        match how {
            Away::Killed => members.start_again(away).await,
            Away::Silent => members.process(away).signal("CONT"),
        }
        until("the member is back", || is_back(members.address(away))).await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_goes_on_while_any_one_of_three_members_is_dead() -> Outcome {
    with_each_away(Away::Killed).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_goes_on_while_any_one_of_three_members_is_silent() -> Outcome {
    with_each_away(Away::Silent).await
}
