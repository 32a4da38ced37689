//! Rows a second of a Postgres emitter, beside a hand-written client that inserts the same rows by the same statement, and
//! beside COPY in binary form, which has no conflict policy and no row that fails alone. The server shares a core with this
//! process, which writes to Nervix what it has encoded beforehand; Nervix, or the hand-written client, has the other.

use nervix_tests::postgres::{DATABASE, Postgres, USER};
use nervix_tests::process::Process;
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls};

use crate::bound::Bound;
use crate::report::{CLIENT_CORE, Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{graph, peer};

/// Runs of each side, taken in turns.
const RUNS: usize = 5;
/// Inserts of a run.
const INSERTS: usize = 200;
/// Rows of an insert.
const ROWS: usize = 1_000;
/// Inserts before the time is taken.
const WARM_UP: usize = 10;
/// Bytes of the text of a row.
const WIDTH: usize = 100;
/// A password that the server asks for.
const PASSWORD: &str = "bench";

const COPY: &str = "COPY events (id, sent, payload) FROM STDIN (FORMAT binary)";
const INSERT: &str =
    "INSERT INTO events (id, sent, payload) SELECT * FROM unnest($1::int8[], $2::int8[], $3::text[])";

/// Measures all sides.
pub(crate) async fn measure(report: &mut Report) {
    let server = Postgres::start_with(PASSWORD, "max_wal_size = 4GB\nautovacuum = off").await;
    let mut postgres = server;
    pin(postgres.process().id(), CLIENT_CORE);
    postgres
        .table("events", "id bigint, sent bigint, payload text")
        .await;
    let (mut ours, mut inserts, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        ours.push(run_nervix(&postgres).await);
        inserts.push(run_bare(&postgres, "insert").await);
        copies.push(run_bare(&postgres, "copy").await);
    }
    let figure = |rates: &[f64]| {
        let thousands = Runs::of(rates.iter().map(|rate| rate / 1_000.0));
        thousands.text(|rate| format!("{rate:.0}")) + " thousand rows/s"
    };
    let ratio = |beside: &[f64]| Runs::of(ours.iter().zip(beside).map(|(ours, beside)| ours / beside));
    report.row(Row {
        what: "Postgres emitter, rows of 116 bytes in inserts of 1,000",
        nervix: figure(&ours),
        beside: format!("hand-written unnest: {}", figure(&inserts)),
        ratio: Some(ratio(&inserts)),
        bound: Bound::AtLeast(0.8),
    });
    report.row(Row {
        what: "the same beside one COPY in binary form",
        nervix: figure(&ours),
        beside: format!("COPY: {}", figure(&copies)),
        ratio: Some(ratio(&copies)),
        bound: Bound::Reported,
    });
}

async fn empty(postgres: &Postgres) {
    postgres.sql("TRUNCATE events").await;
    postgres.sql("CHECKPOINT").await;
}

/// From the last acknowledged row of the warm-up to the last of all.
async fn run_nervix(postgres: &Postgres) -> f64 {
    empty(postgres).await;
    let mut server = Nervix::dev().await;
    let address = format!(
        "postgresql://{USER}:{PASSWORD}@{}/{DATABASE}?sslmode=disable",
        postgres.address()
    );
    server.exec(&graph::inserts(&address, ROWS));
    pin(server.process().id(), SERVER_CORE);
    let rows = i64::try_from(ROWS).unwrap_or(i64::MAX);
    let message = peer::message(peer::batch(0, rows, WIDTH, 0));
    let mut put = peer::put(&server.ports().flight).await;
    let sender = put.sender();
    let sending = peer::send(&sender, std::slice::from_ref(&message), WARM_UP + INSERTS);
    let answering = async {
        let (mut answered, mut before) = (0, 0);
        let mut started = Instant::now();
        while answered < (WARM_UP + INSERTS) as u64 {
            let answer = must("an answer", put.answer().await);
            let answer = must("an answer", answer.ok_or("the stream ended"));
            answered += answer.last - answer.first + 1;
            if before < WARM_UP as u64 {
                (before, started) = (answered, Instant::now());
            }
        }
        (answered - before) as f64 * ROWS as f64 / started.elapsed().as_secs_f64()
    };
    let ((), rate) = tokio::join!(sending, answering);
    let expected = ((WARM_UP + INSERTS) * ROWS).to_string();
    assert_eq!(
        postgres.value("SELECT count(*) FROM events").await,
        expected,
        "every row is there"
    );
    rate
}

/// What the hand-written client says of itself.
async fn run_bare(postgres: &Postgres, how: &str) -> f64 {
    empty(postgres).await;
    let folder = must("make a folder", tempfile::tempdir());
    let mut command = std::process::Command::new(must("find this program", std::env::current_exe()));
    command.args(["bare-inserts", how, &postgres.port().to_string()]);
    let mut client = Process::start(
        "the hand-written client",
        command,
        &folder.path().join("bare.log"),
    );
    pin(client.id(), SERVER_CORE);
    let ended = client.exit().await;
    let said = client.printed();
    assert!(ended.success(), "{said}");
    must("read the rate", said.trim().parse())
}

/// The baseline, in a process of its own: prints its rows a second.
pub(crate) async fn insert_bare(how: &str, port: &str) {
    let mut config = tokio_postgres::Config::new();
    config
        .host("127.0.0.1")
        .user(USER)
        .password(PASSWORD)
        .dbname(DATABASE);
    config.port(must("read the port", port.parse()));
    let (client, connection) = must("connect", config.connect(NoTls).await);
    let mut driver = JoinSet::new();
    driver.spawn(async move { connection.await.unwrap_or_default() });
    let source = source();
    let rate = if how == "copy" {
        copy(&client, &source, WARM_UP).await;
        copy(&client, &source, INSERTS).await
    } else {
        insert(&client, &source, WARM_UP).await;
        insert(&client, &source, INSERTS).await
    };
    use std::io::Write;
    must("print", writeln!(std::io::stdout(), "{rate}"));
}

/// The rows of one insert, as an application would have them.
fn source() -> Vec<(i64, i64, String)> {
    let rows = i64::try_from(ROWS).unwrap_or(i64::MAX);
    (0..rows).map(|id| (id, 0, "x".repeat(WIDTH))).collect()
}

async fn insert(client: &Client, source: &[(i64, i64, String)], inserts: usize) -> f64 {
    let types = [Type::INT8_ARRAY, Type::INT8_ARRAY, Type::TEXT_ARRAY];
    let statement = must("prepare", client.prepare_typed(INSERT, &types).await);
    let started = Instant::now();
    for _ in 0..inserts {
        let ids: Vec<i64> = source.iter().map(|(id, ..)| *id).collect();
        let sent: Vec<i64> = source.iter().map(|(_, sent, _)| *sent).collect();
        let payloads: Vec<&str> = source.iter().map(|(.., payload)| payload.as_str()).collect();
        must(
            "insert",
            client.execute(&statement, &[&ids, &sent, &payloads]).await,
        );
    }
    (inserts * source.len()) as f64 / started.elapsed().as_secs_f64()
}

async fn copy(client: &Client, source: &[(i64, i64, String)], inserts: usize) -> f64 {
    let started = Instant::now();
    let sink = must("begin to copy", client.copy_in(COPY).await);
    let mut writer = Box::pin(BinaryCopyInWriter::new(
        sink,
        &[Type::INT8, Type::INT8, Type::TEXT],
    ));
    for _ in 0..inserts {
        for (id, sent, payload) in source {
            must("copy", writer.as_mut().write(&[id, sent, payload]).await);
        }
    }
    must("end to copy", writer.as_mut().finish().await);
    (inserts * source.len()) as f64 / started.elapsed().as_secs_f64()
}
