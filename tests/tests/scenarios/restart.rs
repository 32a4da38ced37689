//! Kills and restarts under load. What was answered DONE was acknowledged by an application; nothing is lost.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use nervix_client::{Answer, Client};
use nervix_proto::client::v1::{answer, outcome};
use nervix_tests::etcd::Etcd;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, until};
use tokio::task::JoinSet;

use crate::graph::Graph;
use crate::load::Load;

/// Control plane and worker as processes of their own, on a real etcd.
struct Cluster {
    _etcd: Etcd,
    control: Nervix,
    worker: Nervix,
}

impl Cluster {
    async fn start() -> Self {
        let etcd = Etcd::start().await;
        let store = etcd.store_url();
        let control = Nervix::start(&["control-plane", "--store", &store]).await;
        let worker = Nervix::start(&["worker", "--server", &control.ports().control]).await;
        let cluster = Self {
            _etcd: etcd,
            control,
            worker,
        };
        cluster.control.exec(&Graph::default().script());
        cluster
    }

    async fn client(&self) -> Client {
        must("connect", Client::connect(&self.control.ports().control).await)
    }
}

/// Consumes and acknowledges for ever; what it has acknowledged stands in the set before the ack is sent.
fn consume(client: Client, seen: Arc<Mutex<BTreeSet<i64>>>) -> tokio::task::JoinHandle<()> {
    tokio::task::spawn(async move {
        let mut consumer = must("consume", client.consumer("d", "outbox").open().await);
        while let Some(delivery) = consumer.next().await {
            let delivery = must("a delivery", delivery);
            seen.lock().unwrap().extend(read_ids(delivery.batch()));
            drop(delivery.ack());
        }
    })
}

/// Writes `batches` batches of ten rows and waits for their answers. Whenever one is answered DONE, all of its rows stand
/// in `seen`: no positive answer comes before an application has acknowledged.
async fn write(
    client: &Client,
    batches: i64,
    seen: &Arc<Mutex<BTreeSet<i64>>>,
) -> nervix_client::WriteReport {
    let opened = client.writer("d", "inbox").window_batches(64).open().await;
    let mut writer = must("open a writer", opened);
    let mut answers = JoinSet::new();
    for n in 0..batches {
        let rows = n * 10..n * 10 + 10;
        let ticket = must("write", writer.write(ids(rows.clone(), "ATL")).await);
        let seen = Arc::clone(seen);
        answers.spawn(async move {
            assert_eq!(must("an answer", ticket.await), Answer::Done);
            let seen = seen.lock().unwrap();
            let early: Vec<i64> = rows.filter(|row| !seen.contains(row)).collect();
            assert!(
                early.is_empty(),
                "DONE before these rows were acknowledged: {early:?}"
            );
        });
    }
    let report = must("close", writer.close().await);
    while let Some(checked) = answers.join_next().await {
        must("every answer is checked", checked);
    }
    report
}

async fn progress(seen: &Arc<Mutex<BTreeSet<i64>>>, rows: usize) {
    until("the load is under way", || {
        let enough = seen.lock().unwrap().len() >= rows;
        async move { enough.then_some(()) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_worker_comes_back_and_every_record_is_seen() {
    let mut cluster = Cluster::start().await;
    let client = cluster.client().await;
    let seen: Arc<Mutex<BTreeSet<i64>>> = Arc::default();
    let consuming = consume(client.clone(), Arc::clone(&seen));
    let batches = 2_000;
    let (report, ()) = tokio::join!(write(&client, batches, &seen), async {
        for rows in [2_000, 8_000] {
            progress(&seen, rows).await;
            cluster.worker.process().kill();
            cluster.worker.start_again().await;
        }
    });
    assert_eq!(report.batches_done, u64::try_from(batches).expect("small"));
    assert_eq!(
        seen.lock().unwrap().len(),
        20_000,
        "answered DONE means that an application acknowledged it"
    );
    consuming.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_control_plane_comes_back_and_no_delivery_changes_identity() {
    let mut cluster = Cluster::start().await;
    let client = cluster.client().await;
    let mut held = must(
        "consume",
        nervix_tests::flight::Exchange::open(&cluster.worker.ports().flight, "d", "outbox").await,
    );
    let put = must(
        "write",
        nervix_tests::flight::Put::open(
            &cluster.worker.ports().flight,
            "d",
            "inbox",
            ids(0..0, "").schema(),
        )
        .await,
    );
    must("write", put.write(ids(-3..0, "ATL")).await);
    held.credit(1).await;
    let (delivery, _) = held.delivery().await;
    let seen: Arc<Mutex<BTreeSet<i64>>> = Arc::default();
    let consuming = consume(client.clone(), Arc::clone(&seen));
    let batches = 1_000;
    let (report, ()) = tokio::join!(write(&client, batches, &seen), async {
        progress(&seen, 1_000).await;
        cluster.control.process().kill();
        progress(&seen, 3_000).await;
        // A stream that is opened now goes where the others are.
        assert_eq!(write(&client, 10, &seen).await.batches_done, 10);
        cluster.control.start_again().await;
    });
    assert_eq!(report.batches_done, u64::try_from(batches).expect("small"));
    assert_eq!(
        report.resends, 0,
        "no emitter restarted, so nothing had to be sent again"
    );
    until("the worker is attached again", || {
        let printed = cluster.control.exec("SHOW CLUSTER STATUS;");
        async move { printed.contains("connected").then_some(()) }
    })
    .await;
    held.ack(&delivery.r#ref).await;
    let outcome = held.outcome(&delivery.r#ref).await;
    assert_eq!(outcome.result(), outcome::Result::Confirmed);
    consuming.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graceful_stop_under_load_drains_or_answers_unresolved_and_loses_nothing() {
    let mut server = Nervix::dev_with_store().await;
    server.exec(&Graph::default().script());
    let client = must("connect", Client::connect(&server.ports().control).await);
    let seen: Arc<Mutex<BTreeSet<i64>>> = Arc::default();
    let consuming = consume(client.clone(), Arc::clone(&seen));
    let batches = 2_000;
    let (report, ()) = tokio::join!(write(&client, batches, &seen), async {
        progress(&seen, 3_000).await;
        let status = server.process().terminate().await;
        assert_eq!(status.code(), Some(0), "all could be drained");
        server.start_again().await;
    });
    assert_eq!(report.batches_done, u64::try_from(batches).expect("small"));
    assert_eq!(seen.lock().unwrap().len(), 20_000);
    consuming.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graceful_stop_that_cannot_drain_answers_unresolved_within_its_bound_and_exits_1() {
    let mut server = Nervix::start(&["dev", "--ephemeral", "--drain-timeout", "1s"]).await;
    server.exec(&Graph::default().script());
    let mut put = crate::graph::writer(&server).await;
    must("write", put.write(ids(0..3, "ATL")).await);
    let mut silent = crate::graph::consumer(&server).await;
    silent.credit(1).await;
    silent.delivery().await;
    let (status, answer) = tokio::join!(server.process().terminate(), put.answer());
    assert_eq!(
        status.code(),
        Some(1),
        "what could not be drained shows in the exit code"
    );
    let answer = must("an answer", answer).expect("open positions are answered");
    assert_eq!(answer.status(), answer::Status::Unresolved);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graceful_stop_in_the_middle_of_a_load_answers_what_is_left_unresolved_and_nothing_else() {
    let mut server = Nervix::start(&["dev", "--ephemeral", "--drain-timeout", "1s"]).await;
    server.exec(&Graph::default().script());
    let load = Load::begin(&server).await;
    // From now on nothing is acknowledged: the writer still writes when the server is told to stop.
    let (status, _) = tokio::join!(server.process().terminate(), load.until_cut_off());
    assert_eq!(status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_committed_survives_a_kill() {
    let mut server = Nervix::dev_with_store().await;
    server.exec(&Graph::default().script());
    server.process().kill();
    server.start_again().await;
    let shown = server.exec("USE d; SHOW CREATE EMITTER outbox;");
    assert!(shown.contains("TO CLIENT SCHEMA event"), "{shown}");
    let client = must("connect", Client::connect(&server.ports().control).await);
    let seen: Arc<Mutex<BTreeSet<i64>>> = Arc::default();
    let consuming = consume(client.clone(), Arc::clone(&seen));
    assert_eq!(write(&client, 10, &seen).await.batches_done, 10);
    consuming.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_statements_commit_as_one_in_a_file_and_on_etcd_and_survive_a_kill() {
    let schemas: String = (0..2_000)
        .map(|n| format!("CREATE SCHEMA s{n} (x I64);\n"))
        .collect();
    let script = format!("CREATE DOMAIN many; USE many; BEGIN;\n{schemas}COMMIT;");
    let etcd = Etcd::start().await;
    for mut server in [
        Nervix::dev_with_store().await,
        Nervix::start(&["control-plane", "--store", &etcd.store_url()]).await,
    ] {
        server.exec(&script);
        server.process().kill();
        server.start_again().await;
        let shown = server.exec("USE many; SHOW SCHEMAS;");
        let named = shown.lines().filter(|line| line.starts_with('s')).count();
        assert_eq!(named, 2_000, "{shown}");
    }
}
