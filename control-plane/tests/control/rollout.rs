//! What workers are told: assignments with generations, in steps.

use nervix_proto::{
    v1::WatchEventsRequest,
    worker::v1::{EntityId, RuntimeEvent, WorkerMessage, worker_message::Body},
};
use tokio::time::timeout;

use crate::harness::{BOUND, Control, FakeWorker, GRAPH, Outcome, emitter, emitter_status};

#[tokio::test]
async fn a_worker_gets_the_whole_and_then_each_change() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    let known = worker.until_graph().await?;
    assert_eq!(known.fulls, 1);
    let domain = &known.domains["d"];
    assert!(domain.running && domain.run_generation == 1 && domain.fingerprint_key.len() == 32);
    let statements = &known.entities["d EMITTER e"].statements;
    let kinds: Vec<_> = statements
        .iter()
        .map(|text| text.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(
        kinds.last().is_some_and(|last| last.contains("EMITTER")),
        "{kinds:?}"
    );
    let definition = nspl::definition("d", statements)?;
    assert_eq!(definition.name(), "e");

    let before = known.generations();
    control.ok("d", &emitter("e2", "FLUSH IMMEDIATE")).await?;
    let known = worker
        .until("e2", |known| known.entities.contains_key("d EMITTER e2"))
        .await?;
    assert_eq!((known.fulls, known.steps), (1, 2));
    assert!(
        before
            .iter()
            .all(|(entity, generation)| known.generations()[entity] == *generation)
    );
    assert!(known.entities["d EMITTER e2"].generation > before["d EMITTER e"]);
    Ok(())
}

#[tokio::test]
async fn a_generation_moves_with_what_an_entity_refers_to_and_with_nothing_else() -> Outcome {
    let mut control = Control::with_graph().await?;
    control
        .ok(
            "d",
            "BEGIN; CREATE SCHEMA t (a I64); CREATE RELAY q SCHEMA t UNBRANCHED; COMMIT;",
        )
        .await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    let before = worker.until_graph().await?.generations();
    control.ok("d", "ALTER RELAY q SET CAPACITY 5;").await?;
    control.ok("d", "ALTER RELAY r SET CAPACITY 7;").await?;
    let after = worker
        .until("newer", |known| {
            known.generations()["d EMITTER e"] > before["d EMITTER e"]
        })
        .await?;
    assert!(after.generations()["d INGESTOR i"] > before["d INGESTOR i"]);
    assert_eq!(after.steps, 2, "the change of q was no step");
    Ok(())
}

#[tokio::test]
async fn start_and_stop_count_and_change_no_generation() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    let before = worker.until_graph().await?.generations();
    control.ok("d", "STOP;").await?;
    let known = worker
        .until("stopped", |known| !known.domains["d"].running)
        .await?;
    assert_eq!(known.domains["d"].run_generation, 2);
    control.ok("d", "STOP;").await?;
    control.ok("d", "START;").await?;
    let known = worker
        .until("running", |known| known.domains["d"].running)
        .await?;
    assert_eq!(known.domains["d"].run_generation, 3);
    assert_eq!(known.generations(), before);
    Ok(())
}

#[tokio::test]
async fn a_large_graph_comes_in_parts_of_one_step() -> Outcome {
    let mut control = Control::with_graph().await?;
    let statements: String = (0..2500)
        .map(|n| emitter(&format!("e{n}"), "FLUSH IMMEDIATE"))
        .collect();
    control.ok("d", &format!("BEGIN; {statements} COMMIT;")).await?;
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    let known = worker.until("all", |known| known.entities.len() == 2502).await?;
    assert!(known.steps > 1, "one part");
    assert_eq!(known.fulls, 1);
    Ok(())
}

#[tokio::test]
async fn only_one_worker_executes_the_graph_and_another_takes_over_when_it_is_gone() -> Outcome {
    let store = std::sync::Arc::new(nervix_store::EmbeddedStore::in_memory()?);
    let (mut control, hands) = Control::standing(store).await?;
    control.ok("", GRAPH).await?;
    let mut first = FakeWorker::attach(&control.handle, "w1").await?;
    let before = first.until_graph().await?.generations();
    let mut second = FakeWorker::attach(&control.handle, "w2").await?;
    let known = second
        .until("its domain", |known| known.domains.len() == 1)
        .await?;
    assert!(known.entities.is_empty());
    drop(first);
    control.sees(&["w1 lost", "w2 connected"]).await?;
    control.pass_a_lease(&hands, &[&second]).await?;
    let known = second.until_graph().await?;
    assert!(
        known.generations()["d EMITTER e"] > before["d EMITTER e"],
        "the newer placement fences the older"
    );
    Ok(())
}

#[tokio::test]
async fn a_worker_that_loses_the_graph_is_told_where_it_went() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut first = FakeWorker::attach(&control.handle, "w1").await?;
    first.until_graph().await?;
    let mut second = FakeWorker::attach(&control.handle, "w2").await?;
    control.ok("", "DRAIN NODE w1;").await?;
    let known = first.until("nothing", |known| known.entities.is_empty()).await?;
    assert_eq!(known.moved_to, "w2.test:7461");
    let known = second.until_graph().await?;
    assert_eq!(known.moved_to, "");
    Ok(())
}

#[tokio::test]
async fn a_worker_without_the_graph_is_told_when_it_goes_from_one_to_another() -> Outcome {
    let mut control = Control::with_graph().await?;
    let mut first = FakeWorker::attach(&control.handle, "w1").await?;
    first.until_graph().await?;
    let mut idle = FakeWorker::attach(&control.handle, "w3").await?;
    idle.until("where it is", |known| known.moved_to == "w1.test:7461")
        .await?;
    let _second = FakeWorker::attach(&control.handle, "w2").await?;
    control.ok("", "DRAIN NODE w1;").await?;
    idle.until("where it went", |known| known.moved_to == "w2.test:7461")
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_node_that_attaches_again_ends_its_older_session_and_keeps_its_generations() -> Outcome {
    let control = Control::with_graph().await?;
    let mut first = FakeWorker::attach(&control.handle, "w1").await?;
    let before = first.until_graph().await?.generations();
    let mut again = FakeWorker::attach(&control.handle, "w1").await?;
    first.until("the end", |known| known.ended).await?;
    let after = again.until_graph().await?.generations();
    assert_eq!(before, after);
    Ok(())
}

#[tokio::test]
async fn describe_emitter_joins_the_catalog_and_the_node_in_the_order_of_the_specification() -> Outcome {
    let mut control = Control::with_graph().await?;
    let away = control.describe("EMITTER", "e").await?;
    assert_eq!(away["state"], "unavailable");
    assert_eq!(away["transient error"], "no worker executes it");
    assert_eq!(control.entity("EMITTER", "e").await?.emitter_status, None);
    let mut worker = FakeWorker::attach(&control.handle, "w1").await?;
    worker.until_graph().await?;
    let answer = control.ok("d", "DESCRIBE EMITTER e;").await?;
    let lines: Vec<_> = answer.results[0].message.lines().collect();
    let expected_keys = [
        "emitter",
        "domain",
        "state",
        "owner",
        "attachment",
        "from",
        "collect",
        "sink",
        "batch",
        "flush",
        "publishing mode",
        "message error",
        "general error",
        "transient error",
        "consumers",
        "metrics",
    ];
    let keys: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, expected_keys, "{lines:#?}");
    assert!(
        lines.contains(&"publishing mode: ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 100ms MAX 1s"),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"batch: MAX MESSAGES 100 MAX SIZE 1MiB"),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"transient error: none") && lines.contains(&"consumers: active 2"),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"state: running") && lines.contains(&"from: r"),
        "{lines:#?}"
    );
    let told = control.entity("EMITTER", "e").await?.emitter_status;
    assert_eq!(told, Some(emitter_status()));
    let ingestor = control.describe("INGESTOR", "i").await?;
    assert_eq!(ingestor["mode"], "ACK");
    Ok(())
}

#[tokio::test]
async fn events_of_workers_reach_those_who_watch() -> Outcome {
    let mut control = Control::with_graph().await?;
    let worker = FakeWorker::attach(&control.handle, "w1").await?;
    let watch = WatchEventsRequest { domain: "d".into() };
    let mut events = control.client.watch_events(watch).await?.into_inner();
    let entity = |domain: &str| EntityId {
        domain: domain.into(),
        kind: "EMITTER".into(),
        name: "e".into(),
    };
    for domain in ["other", "d"] {
        let event = RuntimeEvent {
            at_ns: 1,
            entity: Some(entity(domain)),
            kind: "unavailable".into(),
            message: "why".into(),
        };
        worker
            .outbox
            .send(WorkerMessage {
                body: Some(Body::Event(event)),
            })
            .await?;
    }
    loop {
        let event = timeout(BOUND, events.message())
            .await??
            .ok_or("the watch ended")?;
        if event.kind == "unavailable" {
            assert_eq!(
                (
                    event.domain.as_str(),
                    event.entity_name.as_str(),
                    event.node.as_str()
                ),
                ("d", "e", "w1")
            );
            return Ok(());
        }
    }
}
