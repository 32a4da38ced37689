//! Changes of what runs: drained first, or not at all.

use std::{sync::Arc, time::Duration};

use nervix_control_plane::{ControlOptions, LEASE};
use nervix_proto::v1::{ExecuteRequest, statement_result::Status};
use nervix_store::EmbeddedStore;
use tokio::{task::JoinSet, time::timeout};

use crate::harness::{BOUND, Control, Drains, FakeWorker, GRAPH, Outcome, emitter, name};

fn quick(mut options: ControlOptions) -> ControlOptions {
    options.drain_bound = Duration::from_millis(200);
    options
}

#[tokio::test]
async fn a_dropped_emitter_drains_before_it_goes() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    worker.until_graph().await?;
    let answer = control.ok("d", "DROP EMITTER e;").await?;
    assert_eq!(answer.results[0].change_class, "ENTITY_PAUSE");
    let known = worker
        .until("gone and resumed", |known| {
            known.entities.len() == 1 && !known.resumed.is_empty()
        })
        .await?;
    let drained: Vec<_> = known.drains[0].entities.iter().map(name).collect();
    assert_eq!(drained, ["d EMITTER e"]);
    assert!(known.resumed.contains(&known.drains[0].id));
    Ok(())
}

#[tokio::test]
async fn a_drain_that_fails_changes_nothing_and_is_taken_back() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::with(&control.handle, "w1", Drains::Fail).await?;
    worker.until_graph().await?;
    let before = control.handle.revision();
    let refused = control.refused("d", "DROP EMITTER e;").await?;
    assert!(
        refused.contains("E3001") && refused.contains("EMITTER e did not drain"),
        "{refused}"
    );
    assert!(
        refused.contains("it still holds 3 batches") && refused.contains("STOP"),
        "{refused}"
    );
    let known = worker
        .until("taken back", |known| !known.resumed.is_empty())
        .await?;
    assert_eq!(known.entities.len(), 2);
    assert_eq!(control.handle.revision(), before);
    Ok(())
}

#[tokio::test]
async fn a_drain_past_its_bound_changes_nothing() -> Outcome {
    let mut control = Control::with(Arc::new(EmbeddedStore::in_memory()?), quick).await?;
    control.ok("", GRAPH).await?;
    let mut worker = FakeWorker::with(&control.handle, "w1", Drains::NeverAnswer).await?;
    worker.until_graph().await?;
    let answer = control.run("d", "DROP EMITTER e; SHOW RELAYS;").await?;
    let statuses: Vec<_> = answer.results.iter().map(|result| result.status()).collect();
    assert_eq!(
        statuses,
        [Status::Refused, Status::NotRun],
        "{:?}",
        answer.diagnostics
    );
    worker
        .until("taken back", |known| !known.resumed.is_empty())
        .await?;
    assert!(
        control
            .handle
            .catalog()
            .list("d", nspl::model::EntityKind::Emitter)
            .len()
            == 1
    );
    Ok(())
}

#[tokio::test]
async fn a_change_of_flush_drains_nothing() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    let before = worker.until_graph().await?.generations();
    let script = format!(
        "BEGIN; DROP EMITTER e; {} COMMIT;",
        emitter("e", "FLUSH EACH 1s MAX BATCH SIZE 1MiB")
    );
    let answer = control.ok("d", &script).await?;
    assert!(
        answer
            .results
            .iter()
            .all(|result| result.change_class == "DYNAMIC"),
        "{:?}",
        answer.results
    );
    let known = worker
        .until("newer", |known| {
            known.generations()["d EMITTER e"] > before["d EMITTER e"]
        })
        .await?;
    assert!(known.drains.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_domain_pause_drains_ways_in_before_emitters() -> Outcome {
    let mut control = Control::with_graph().await?;
    let errors = "BEGIN; CREATE SCHEMA x (message STRING); CREATE RELAY failed SCHEMA x UNBRANCHED; \
        CREATE EMITTER a_reader FROM failed TO CLIENT SCHEMA x MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
        RETRY POLICY BACKOFF 100ms MAX 1s INHERIT ALL BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE \
        ON MESSAGE ERROR LOG ON GENERAL ERROR LOG; \
        CREATE EMITTER z_feeder FROM r TO CLIENT SCHEMA s MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
        RETRY POLICY BACKOFF 100ms MAX 1s INHERIT ALL BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE \
        ON MESSAGE ERROR SEND TO failed SET message = error.message ON GENERAL ERROR LOG; COMMIT;";
    control.ok("d", errors).await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    worker
        .until("the graph", |known| known.entities.len() == 4)
        .await?;
    let answer = control
        .ok("d", "ALTER SCHEMA s ADD FIELD extra I64 OPTIONAL;")
        .await?;
    assert_eq!(answer.results[0].change_class, "DOMAIN_PAUSE");
    let known = worker.until("resumed", |known| !known.resumed.is_empty()).await?;
    let drained: Vec<_> = known.drains[0].entities.iter().map(name).collect();
    assert_eq!(
        drained,
        [
            "d INGESTOR i",
            "d EMITTER e",
            "d EMITTER z_feeder",
            "d EMITTER a_reader"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn nothing_drains_in_a_stopped_domain_or_without_a_worker() -> Outcome {
    let (mut control, hands) = Control::standing(Arc::new(EmbeddedStore::in_memory()?)).await?;
    control.ok("", GRAPH).await?;
    control.ok("d", &emitter("e2", "FLUSH IMMEDIATE")).await?;
    control.ok("d", "DROP EMITTER e2;").await?;
    let mut worker = FakeWorker::with(&control.handle, "w1", Drains::Fail).await?;
    worker.until_graph().await?;
    control.ok("d", "STOP;").await?;
    control.ok("d", "DROP EMITTER e;").await?;
    control.ok("d", "START;").await?;
    let known = worker.until("dropped", |known| known.entities.len() == 1).await?;
    assert!(known.drains.is_empty());
    drop(worker);
    control.sees(&["w1 lost"]).await?;
    hands.advance(LEASE).await;
    control.ok("d", "DROP INGESTOR i;").await?;
    Ok(())
}

#[tokio::test]
async fn stop_does_not_wait_for_a_drain_and_ends_those_of_its_domain() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::with(&control.handle, "w1", Drains::NeverAnswer).await?;
    worker.until_graph().await?;
    let mut client = control.client.clone();
    let mut dropping = JoinSet::new();
    dropping.spawn(async move {
        let request = ExecuteRequest {
            script: "DROP EMITTER e;".into(),
            domain: "d".into(),
            ..ExecuteRequest::default()
        };
        client.execute(request).await
    });
    worker
        .until("the drain", |known| !known.drains.is_empty())
        .await?;
    timeout(BOUND, control.ok("d", "STOP;")).await??;
    let dropped = timeout(BOUND, dropping.join_next())
        .await?
        .ok_or("no answer")???;
    assert!(dropped.into_inner().diagnostics.is_empty());
    let known = worker.until("dropped", |known| known.entities.len() == 1).await?;
    assert_eq!(known.resumed.len(), 1);
    Ok(())
}
