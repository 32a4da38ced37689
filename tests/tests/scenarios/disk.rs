//! A disk that has no room for a while: the catalog and the states work again once there is.

use arrow::array::RecordBatch;
use nervix_proto::client::v1::Answer;
use nervix_proto::client::v1::answer::Status;
use nervix_tests::flight::Put;
use nervix_tests::rows::ids;
use nervix_tests::server::{Nervix, text};
use nervix_tests::wait::{must, until};

use crate::graph::{Graph, schema};

/// Enough attempts to fill what is free inside a file that may not grow.
const ATTEMPTS: i64 = 200;
/// Branches that one attempt writes.
const BRANCHES: i64 = 50;
/// A state a branch.
const STATES: &str =
    "CREATE RELAY settings SCHEMA event BRANCHED BY by_origin WITH MATERIALIZED STATE LAST BY TIMESTAMP;
    CREATE INGESTOR settings_in FROM CLIENT SCHEMA event MODE ACK
      TO settings INHERIT ALL BRANCHED BY by_origin SET origin = message.origin FLUSH IMMEDIATE
      ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";

/// Writes rows of branches of their own, with large keys, and waits for the answer.
async fn set(server: &Nervix, id: i64) -> Answer {
    let flight = &server.ports().flight;
    let put = must("open", Put::open(flight, "d", "settings_in", schema()).await);
    let filler = "x".repeat(900);
    let rows: Vec<RecordBatch> = (0..BRANCHES)
        .map(|row| ids(id..id + 1, &format!("{id} {row} {filler}")))
        .collect();
    let batch = must("make a batch", arrow::compute::concat_batches(&schema(), &rows));
    must("write", put.write(batch).await);
    let mut answers = must("finish", put.finish().await);
    must("have an answer", answers.pop().ok_or("there is none"))
}

/// A schema of many fields, so that the catalog grows.
fn wide_schema(number: i64) -> String {
    let fields: Vec<String> = (0..1500)
        .map(|field| format!("a_rather_long_name_of_a_field_{field} I64"))
        .collect();
    format!("USE d; CREATE SCHEMA wide_{number} ({});", fields.join(", "))
}

fn lines(server: &mut Nervix, words: &str) -> usize {
    let printed = server.process().printed();
    printed.lines().filter(|line| line.contains(words)).count()
}

async fn until_ready(server: &Nervix) {
    until("it is ready", || async {
        let (status, _) = server.page("/readyz").await;
        (status == 200).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn states_that_found_no_room_are_written_once_there_is_room() {
    let mut server = Nervix::dev_with_store().await;
    let graph = Graph {
        more: STATES,
        ..Graph::default()
    };
    server.exec(&graph.script());
    assert_eq!(set(&server, 0).await.status(), Status::Done);
    let file = server.folder().join(".nervix/states/dev.redb");
    let bytes = must("look at the file", std::fs::metadata(&file)).len();
    server.process().limit_files(Some(bytes));
    let mut refused = None;
    for id in 1..ATTEMPTS {
        let answer = set(&server, id).await;
        if answer.status() != Status::Done {
            refused = Some(answer);
            break;
        }
    }
    let answer = must("fill the file", refused.ok_or("it never was full"));
    assert_eq!(answer.status(), Status::Unresolved);
    assert!(answer.retry_after_ms > 0, "{answer:?}");
    let (status, page) = server.page("/readyz").await;
    assert_eq!(status, 503);
    assert!(
        page.contains("not ready: ") && page.contains("dev.redb"),
        "{page}"
    );
    for again in 0..3 {
        let answer = set(&server, ATTEMPTS + again).await;
        assert_eq!(answer.status(), Status::Unresolved);
    }

    server.process().limit_files(None);
    until_ready(&server).await;
    assert_eq!(set(&server, ATTEMPTS).await.status(), Status::Done);
    assert_eq!(lines(&mut server, "the file cannot be read or written"), 1);
    assert_eq!(lines(&mut server, "the file can be written again"), 1);
    let rows = server.exec("USE d; DESCRIBE RELAY settings;");
    server.process().kill();
    server.start_again().await;
    let restored = server.exec("USE d; DESCRIBE RELAY settings;");
    assert_eq!(restored, rows, "what was owed is durable");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_catalog_that_found_no_room_takes_changes_once_there_is_room() {
    let mut server = Nervix::dev_with_store().await;
    server.exec("CREATE DOMAIN d;");
    let file = server.folder().join(".nervix/catalog.redb");
    let bytes = must("look at the file", std::fs::metadata(&file)).len();
    server.process().limit_files(Some(bytes));
    let mut refused = None;
    for number in 0..ATTEMPTS {
        let output = server.command(&["exec", &wide_schema(number)]);
        if !output.status.success() {
            refused = Some((number, text(&output.stderr) + &text(&output.stdout)));
            break;
        }
    }
    let (number, said) = must("fill the file", refused.ok_or("it never was full"));
    assert!(said.contains("E3003"), "{said}");
    let name = format!("wide_{number}");
    let shown = server.exec("USE d; SHOW SCHEMAS;");
    assert!(!shown.contains(&name), "{shown}");

    server.process().limit_files(None);
    server.exec(&wide_schema(number));
    until_ready(&server).await;
    server.process().kill();
    server.start_again().await;
    let shown = server.exec("USE d; SHOW SCHEMAS;");
    assert!(shown.contains(&name), "{shown}");
}
