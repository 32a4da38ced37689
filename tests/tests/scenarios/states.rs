//! Materialized state: what survives, what waits for it, what is dropped or defaulted without it (docs/state.md).

use nervix_proto::client::v1::answer::Status;
use nervix_tests::flight::Put;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until, within};

use crate::graph::{Graph, batch, consumer, describe, expand, schema, writer};

/// Ids of events get the id of the state added.
const ADDING: &str = "INHERIT ALL EXCEPT id SET id = input.id + relay_state.settings.id";
const WAIT: &str = "USING MATERIALIZED STATE settings REQUIRED WAIT";
const SKIP: &str = "USING MATERIALIZED STATE settings REQUIRED SKIP";
const DEFAULT: &str = "USING MATERIALIZED STATE settings DEFAULT {'id' = 7000, 'origin' = 'none'}";

/// A materialized relay with a way in of its own.
const SETTINGS: &str =
    "CREATE RELAY settings SCHEMA event UNBRANCHED WITH MATERIALIZED STATE LAST BY TIMESTAMP;
    CREATE INGESTOR settings_in FROM CLIENT SCHEMA event MODE ACK
      TO settings INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";
const SETTINGS_BY_ORIGIN: &str =
    "CREATE RELAY settings SCHEMA event BRANCHED BY by_origin WITH MATERIALIZED STATE LAST BY TIMESTAMP;
    CREATE INGESTOR settings_in FROM CLIENT SCHEMA event MODE ACK
      TO settings INHERIT ALL BRANCHED BY by_origin SET origin = message.origin FLUSH IMMEDIATE
      ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";

fn graph(dependency: &'static str) -> Graph {
    Graph {
        collect: dependency,
        construction: ADDING,
        more: SETTINGS,
        ..Graph::default()
    }
}

fn branched(dependency: &'static str) -> Graph {
    Graph {
        branched: true,
        more: SETTINGS_BY_ORIGIN,
        ..graph(dependency)
    }
}

/// Writes one state and waits for its answer.
async fn set(server: &Nervix, id: i64, origin: &str) {
    let flight = &server.ports().flight;
    let put = must("open", Put::open(flight, "d", "settings_in", schema()).await);
    must("write", put.write(ids(id..id + 1, origin)).await);
    let answers = expand(must("finish", put.finish().await));
    assert_eq!(answers, [(0, Status::Done)]);
}

/// Takes and acknowledges what comes until there are `rows` ids.
async fn take(server: &Nervix, rows: usize) -> Vec<i64> {
    let mut consumer = consumer(server).await;
    consumer.credit(1000).await;
    let mut seen = Vec::new();
    while seen.len() < rows {
        let (delivery, batch) = consumer.delivery().await;
        seen.extend(read_ids(&batch));
        consumer.ack(&delivery.r#ref).await;
        // Before the stream goes: an ack that has not arrived would bring the batch again.
        consumer.outcome(&delivery.r#ref).await;
    }
    seen
}

fn line(lines: &[(String, String)], key: &str) -> Option<String> {
    let found = lines.iter().find(|(known, _)| known == key);
    found.map(|(_, value)| value.clone())
}

fn lines_of(server: &Nervix, statement: &str) -> String {
    server.exec(&format!("USE d; {statement}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_released_by_the_state_and_its_writer_is_answered() {
    let server = graph(WAIT).serve().await;
    let mut put = writer(&server).await;
    must("write", put.write(batch(0, 10)).await);
    until("the emitter says that it waits", || {
        let lines = describe(&server);
        let waits = line(&lines, "state").is_some_and(|state| state == "waiting for the state of settings");
        let count = line(&lines, "waiting");
        async move { (waits && count? == "10 records of 1 branches wait for the state of settings").then_some(()) }
    })
    .await;
    assert_eq!(server.metric("nervix_emitter_waiting_records").await, 10.0);
    set(&server, 1_000, "ATL").await;
    assert_eq!(take(&server, 10).await, (1_000..1_010).collect::<Vec<i64>>());
    let answer = within("the writer is answered", put.answer()).await;
    assert_eq!(
        must("an answer", answer).map(|answer| answer.status()),
        Some(Status::Done)
    );
    assert_eq!(line(&describe(&server), "state").as_deref(), Some("running"));
    let relay = lines_of(&server, "DESCRIBE RELAY settings;");
    assert!(relay.contains("materialized state: rows 1 bytes "), "{relay}");
    let domain = lines_of(&server, "DESCRIBE DOMAIN;");
    assert!(
        domain.contains("memory: held ") && domain.contains("none waits"),
        "{domain}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_branch_waits_for_its_own_state_and_no_other() {
    let server = branched(WAIT).serve().await;
    let put = writer(&server).await;
    must("write", put.write(ids(0..1, "ATL")).await);
    set(&server, 500, "DTW").await;
    must("write", put.write(ids(1..2, "DTW")).await);
    assert_eq!(take(&server, 1).await, [501]);
    set(&server, 100, "ATL").await;
    assert_eq!(take(&server, 1).await, [100]);
    let answers = expand(must("finish", put.finish().await));
    assert_eq!(answers, [(0, Status::Done), (1, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn skip_answers_done_and_default_binds_its_record() {
    let server = graph(SKIP).serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 5)).await);
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
    assert_eq!(server.metric("nervix_emitter_skipped_total").await, 5.0);
    let server = graph(DEFAULT).serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    assert_eq!(take(&server, 1).await, [7_000]);
    set(&server, 100, "ATL").await;
    must("write", put.write(batch(1, 1)).await);
    assert_eq!(take(&server, 1).await, [101]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_state_survives_a_kill_and_a_graceful_restart_and_the_last_row_wins() {
    let mut server = Nervix::dev_with_store().await;
    server.exec(&branched(WAIT).script());
    for id in [100, 200, 300] {
        set(&server, id, "ATL").await;
    }
    set(&server, 500, "DTW").await;
    server.process().kill();
    server.start_again().await;
    let put = writer(&server).await;
    must("write", put.write(ids(0..1, "ATL")).await);
    must("write", put.write(ids(0..1, "DTW")).await);
    let mut seen = take(&server, 2).await;
    seen.sort_unstable();
    assert_eq!(seen, [300, 500]);
    must("finish", put.finish().await);
    set(&server, 400, "ATL").await;
    assert!(server.process().terminate().await.success(), "it drains");
    server.start_again().await;
    let put = writer(&server).await;
    must("write", put.write(ids(1..2, "ATL")).await);
    assert_eq!(take(&server, 1).await, [401]);
    let file = server.folder().join(".nervix/states/dev.redb");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evicted_branch_forgets_its_state_and_stop_and_start_keep_states() {
    let graph = Graph {
        branch: "TTL 1h MAX INSTANCES 2 EVICT LRU",
        ..branched(SKIP)
    };
    let server = graph.serve().await;
    for (id, origin) in [(100, "ATL"), (200, "DTW"), (300, "LAS")] {
        set(&server, id, origin).await;
    }
    let relay = lines_of(&server, "DESCRIBE RELAY settings;");
    assert!(
        relay.contains("materialized state: rows 2 ") && relay.contains("forgotten 1 "),
        "{relay}"
    );
    lines_of(&server, "STOP;");
    lines_of(&server, "START;");
    let put = writer(&server).await;
    must("write", put.write(ids(0..1, "LAS")).await);
    assert_eq!(take(&server, 1).await, [300]);
    must("write", put.write(ids(0..1, "ATL")).await);
    let answers = expand(must("finish", put.finish().await));
    assert_eq!(
        answers,
        [(0, Status::Done), (1, Status::Done)],
        "the one of ATL is skipped"
    );
    assert_eq!(server.metric("nervix_emitter_skipped_total").await, 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_while_something_waits_answers_unresolved_within_its_bound() {
    let arguments = ["dev", "--ephemeral", "--drain-timeout", "1s"];
    let mut server = Nervix::start(&arguments).await;
    server.exec(&graph(WAIT).script());
    let mut put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    until("it waits", || async {
        (server.metric("nervix_emitter_waiting_records").await > 0.0).then_some(())
    })
    .await;
    let refused = server.command(&["exec", "USE d; DROP EMITTER outbox;"]);
    assert!(
        !refused.status.success(),
        "a drain cannot finish while something waits"
    );
    assert_eq!(server.process().terminate().await.code(), Some(1));
    let answer = within("an answer", put.answer()).await;
    assert_eq!(
        must("an answer", answer).map(|answer| answer.status()),
        Some(Status::Unresolved)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_that_is_dropped_and_created_again_has_no_state() {
    let server = graph(SKIP).serve().await;
    set(&server, 100, "ATL").await;
    lines_of(&server, "DROP EMITTER outbox;");
    lines_of(&server, "DROP INGESTOR settings_in;");
    lines_of(&server, "DROP RELAY settings;");
    server.exec(&format!(
        "USE d; BEGIN; {SETTINGS} {} COMMIT;",
        graph(SKIP).emitter("outbox")
    ));
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
    assert_eq!(server.metric("nervix_emitter_skipped_total").await, 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paced_domain_goes_on_in_its_own_time_and_a_state_of_the_future_gives_way() {
    let mut server = Nervix::dev_with_store().await;
    let paced = "CREATE PACED DOMAIN d WITH PERIOD 1s SKEW 1s; USE d; START AT '2030-01-01T00:00:00Z' TIME RATE 1000;";
    let graph = Graph {
        collect: DEFAULT,
        flush: "FLUSH EACH 10m MAX BATCH SIZE 1MiB",
        ingestor_flush: "FLUSH EACH 10m MAX BATCH SIZE 1MiB",
        ..graph(DEFAULT)
    };
    server.exec(&format!("{paced}\n{}", graph.statements()));
    set(&server, 100, "ATL").await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    assert_eq!(
        take(&server, 1).await,
        [100],
        "twenty minutes pass in little more than a second"
    );
    must("finish", put.finish().await);
    server.process().kill();
    server.start_again().await;
    set(&server, 200, "ATL").await;
    let put = writer(&server).await;
    must("write", put.write(batch(1, 1)).await);
    assert_eq!(take(&server, 1).await, [201]);
    must("finish", put.finish().await);
    lines_of(&server, "STOP;");
    lines_of(&server, "START AT '2020-01-01T00:00:00Z' TIME RATE 1000;");
    let put = writer(&server).await;
    must("write", put.write(batch(2, 1)).await);
    assert_eq!(take(&server, 1).await, [202], "the state outlives the run");
    must("finish", put.finish().await);
    set(&server, 300, "ATL").await;
    let put = writer(&server).await;
    must("write", put.write(batch(3, 1)).await);
    assert_eq!(
        take(&server, 1).await,
        [303],
        "a row of an earlier time replaces it"
    );
}
