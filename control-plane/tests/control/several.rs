//! Several control planes on one store.

use std::sync::Arc;

use bytes::Bytes;
use futures::{future::BoxFuture, join};
use nervix_proto::v1::statement_result::Status;
use nervix_store::{BlobId, Commit, EmbeddedStore, Revision, Snapshot, Store, StoreError, Watch};

use crate::harness::{Control, FakeWorker, GRAPH, Outcome, emitter};

/// A store that says of itself that it is shared, as etcd does.
struct Shared(EmbeddedStore);

impl Store for Shared {
    fn head(&self) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.0.head()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.0.commit(commit)
    }

    fn read(&self, at: Option<Revision>) -> BoxFuture<'_, Result<Snapshot, StoreError>> {
        self.0.read(at)
    }

    fn watch(&self, after: Revision) -> BoxFuture<'_, Result<Watch, StoreError>> {
        self.0.watch(after)
    }

    fn put_chunk(&self, blob: BlobId, index: u32, chunk: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.put_chunk(blob, index, chunk)
    }

    fn chunk(&self, blob: BlobId, index: u32) -> BoxFuture<'_, Result<Bytes, StoreError>> {
        self.0.chunk(blob, index)
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>, StoreError>> {
        self.0.blobs()
    }

    fn remove_blob(&self, blob: BlobId) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.remove_blob(blob)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn place(&self) -> String {
        self.0.place()
    }
}

fn shared() -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(Shared(EmbeddedStore::in_memory()?)))
}

#[tokio::test]
async fn concurrent_commits_of_two_control_planes_all_take_effect_or_are_refused() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mine: String = (0..20)
        .map(|n| emitter(&format!("a{n}"), "FLUSH IMMEDIATE") + "SHOW DOMAINS;")
        .collect();
    let theirs: String = (0..20)
        .map(|n| emitter(&format!("b{n}"), "FLUSH IMMEDIATE") + "SHOW DOMAINS;")
        .collect();
    let (mine, theirs) = join!(one.ok("d", &mine), other.ok("d", &theirs));
    mine?;
    theirs?;
    let both = emitter("both", "FLUSH IMMEDIATE");
    let (a, b) = join!(one.run("d", &both), other.run("d", &both));
    let (a, b) = (a?, b?);
    let made = [&a, &b]
        .iter()
        .filter(|answer| {
            answer
                .results
                .first()
                .is_some_and(|result| result.status() == Status::Ok)
        })
        .count();
    assert_eq!(made, 1, "{a:?} {b:?}");
    let loser = if a.results.is_empty() { &a } else { &b };
    assert!(
        loser
            .diagnostics
            .iter()
            .any(|found| found.message.contains("both")),
        "{loser:?}"
    );
    one.ok("", "SHOW DOMAINS;").await?;
    let emitters = |control: &Control| {
        control
            .handle
            .catalog()
            .list("d", nspl::model::EntityKind::Emitter)
            .len()
    };
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    worker.until("all", |known| known.entities.len() == 43).await?;
    assert_eq!(emitters(&one), 42);
    Ok(())
}

#[tokio::test]
async fn a_worker_sees_what_the_other_control_plane_commits() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    let before = worker.until_graph().await?.generations();
    other.ok("d", &emitter("e2", "FLUSH IMMEDIATE")).await?;
    other.ok("d", "STOP;").await?;
    let known = worker
        .until("e2", |known| {
            known.entities.len() == 3 && !known.domains["d"].running
        })
        .await?;
    assert!(
        before
            .iter()
            .all(|(entity, generation)| known.generations()[entity] == *generation)
    );
    drop(worker);
    let mut moved = FakeWorker::attach(&other.handle, "w1").await?;
    let after = moved
        .until("the graph", |known| known.entities.len() == 3)
        .await?;
    assert_eq!(after.generations(), known.generations());
    assert_eq!(after.domains, known.domains);
    Ok(())
}

#[tokio::test]
async fn a_change_that_needs_a_drain_is_carried_out_by_the_control_plane_of_the_worker() -> Outcome {
    let store = shared()?;
    let (mut one, mut other) = (Control::on(Arc::clone(&store)).await?, Control::on(store).await?);
    one.ok("", GRAPH).await?;
    let mut worker = FakeWorker::attach(&one.handle, "w1").await?;
    worker.until_graph().await?;
    let described = other.describe("EMITTER", "e").await?;
    assert_eq!(described["consumers"], "active 2");
    other.ok("d", "DROP EMITTER e;").await?;
    let known = worker.until("dropped", |known| known.entities.len() == 1).await?;
    assert_eq!(known.drains.len(), 1);
    Ok(())
}
