//! The executable as a person uses it: `dev` with a file, `apply`, `check`, `send`, `consume`, pages, exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nervix_proto::client::v1::answer::Status;
use nervix_tests::process::Process;
use nervix_tests::rows::ids;
use nervix_tests::server::{Nervix, executable, text};
use nervix_tests::wait::{must, until, within};

use crate::graph::{Graph, describe, expand, writer};

fn in_folder(folder: &Path, arguments: &[&str]) -> Output {
    must(
        "run nervix",
        Command::new(executable())
            .args(arguments)
            .current_dir(folder)
            .output(),
    )
}

fn save(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    must("write a file", std::fs::write(&path, content));
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_start_with_the_same_file_goes_on_and_with_a_changed_file_says_what_differs() {
    let folder = must("a folder", tempfile::tempdir());
    let graph = Graph::default();
    let file = save(folder.path(), "pipeline.nspl", &graph.script());
    let file = file.to_str().expect("a plain path");
    let mut server = Nervix::start(&["dev", file]).await;
    assert!(server.process().terminate().await.success());
    server.start_again().await;
    assert!(server.process().terminate().await.success());
    server.start_again().await;
    server.exec("USE d; CREATE SCHEMA only_kept (id I64);");
    assert!(server.process().terminate().await.success());
    let changed = Graph {
        flush: "FLUSH EACH 1s MAX BATCH SIZE 1MiB",
        ..graph
    };
    let script = changed.script() + "USE d; CREATE SCHEMA only_written (id I64);\n";
    save(folder.path(), "pipeline.nspl", &script);
    let mut command = Command::new(executable());
    command.args([
        "dev",
        file,
        "--control-addr",
        "127.0.0.1:0",
        "--flight-addr",
        "127.0.0.1:0",
    ]);
    command
        .args(["--http-addr", "127.0.0.1:0"])
        .current_dir(server.folder());
    let mut changed = Process::start("nervix dev", command, &folder.path().join("log"));
    let status = changed.exit().await;
    assert!(!status.success());
    let printed = changed.printed();
    for expected in [
        "EMITTER outbox in domain d: defined differently",
        "SCHEMA only_written in domain d: only in the file",
        "SCHEMA only_kept in domain d: only in the catalog",
        "--reset",
        "apply",
    ] {
        assert!(
            printed.contains(expected),
            "`{expected}` is not mentioned:\n{printed}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn apply_creates_once_says_already_existed_and_exits_3_when_a_definition_differs() {
    let server = Nervix::dev().await;
    let statement =
        |fields: &str| format!("CREATE DOMAIN d; USE d; CREATE IF NOT EXISTS SCHEMA s ({fields});");
    save(server.folder(), "one.nspl", &statement("id I64"));
    let dry = server.command(&["apply", "--dry-run", "one.nspl"]);
    assert!(dry.status.success(), "{}", text(&dry.stderr));
    assert!(server.command(&["apply", "one.nspl"]).status.success());
    let again = "USE d; CREATE IF NOT EXISTS SCHEMA s (id I64);";
    save(server.folder(), "two.nspl", again);
    let second = server.command(&["apply", "two.nspl"]);
    assert!(second.status.success());
    assert!((text(&second.stdout) + &text(&second.stderr)).contains("already_existed"));
    save(
        server.folder(),
        "three.nspl",
        "USE d; CREATE IF NOT EXISTS SCHEMA s (id STRING);",
    );
    assert_eq!(server.command(&["apply", "three.nspl"]).status.code(), Some(3));
}

#[test]
fn check_reports_every_fault_of_a_script_offline() {
    let folder = must("a folder", tempfile::tempdir());
    save(
        folder.path(),
        "bad.nspl",
        "CREATE DOMAIN d;\nUSE d;\nCREATE SCHEMA a (id I65);\nCREATE RELAY r SCHEMA absent UNBRANCHED;\nCREAT SCHEMA b (id I64);\n",
    );
    let output = in_folder(folder.path(), &["check", "bad.nspl"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stdout) + &text(&output.stderr);
    for line in ["bad.nspl:3", "bad.nspl:4", "bad.nspl:5"] {
        assert!(printed.contains(line), "no diagnostic at {line}:\n{printed}");
    }
    save(folder.path(), "good.nspl", &Graph::default().script());
    let good = in_folder(folder.path(), &["check", "good.nspl"]);
    assert_eq!(
        good.status.code(),
        Some(0),
        "{}{}",
        text(&good.stdout),
        text(&good.stderr)
    );
    assert_eq!(
        in_folder(folder.path(), &["check", "absent.nspl"]).status.code(),
        Some(2)
    );
}

#[test]
fn fmt_is_idempotent_and_keeps_comments_in_every_file() {
    let folder = must("a folder", tempfile::tempdir());
    let script = format!("-- what this is for\n{}", Graph::default().script());
    save(folder.path(), "p.nspl", &script);
    save(folder.path(), "q.nspl", "use   d;");
    let check = ["fmt", "--check", "p.nspl", "q.nspl"];
    assert_eq!(in_folder(folder.path(), &check).status.code(), Some(1));
    assert!(
        in_folder(folder.path(), &["fmt", "p.nspl", "q.nspl"])
            .status
            .success()
    );
    assert!(in_folder(folder.path(), &check).status.success());
    assert_eq!(
        must("read", std::fs::read_to_string(folder.path().join("q.nspl"))),
        "USE d;\n"
    );
    let once = must("read", std::fs::read_to_string(folder.path().join("p.nspl")));
    assert!(once.contains("-- what this is for"));
    assert!(in_folder(folder.path(), &["fmt", "p.nspl"]).status.success());
    assert_eq!(
        once,
        must("read", std::fs::read_to_string(folder.path().join("p.nspl")))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_are_sent_and_consumed_from_the_command_line() {
    let server = Graph::default().serve().await;
    save(
        server.folder(),
        "rows.ndjson",
        "{\"id\":1,\"origin\":\"ATL\"}\n{\"id\":2,\"origin\":\"DTW\"}\n",
    );
    let folder = server.folder().to_owned();
    let address = server.ports().control.clone();
    let sending = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(executable());
        command
            .args(["send", "d.inbox", "rows.ndjson"])
            .env("NERVIX_SERVER", address)
            .current_dir(folder);
        must("run nervix send", command.output())
    });
    let consumed = server.command(&["consume", "d.outbox", "--format", "json", "--rows", "2"]);
    assert!(consumed.status.success(), "{}", text(&consumed.stderr));
    let lines: Vec<serde_json::Value> = text(&consumed.stdout)
        .lines()
        .map(|line| must("a JSON line", serde_json::from_str(line)))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (lines[0]["id"].as_i64(), lines[1]["origin"].as_str()),
        (Some(1), Some("DTW"))
    );
    let sent = must("send", sending.await);
    assert!(sent.status.success(), "{}", text(&sent.stderr));
}

/// Deliveries of the graph's emitter whose ACK TIMEOUT has passed.
fn timeouts(server: &Nervix) -> u64 {
    let lines = describe(server);
    let consumers = lines.iter().find(|(key, _)| key == "consumers");
    let after = consumers.and_then(|(_, line)| line.split_once("timeouts "));
    let number = after.and_then(|(_, after)| after.split(' ').next()?.parse().ok());
    number.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consume_ends_by_what_the_server_confirmed_not_by_what_was_printed() {
    const ROWS: i64 = 500;
    let server = Graph {
        mode: "ACK PARALLEL MAX 8 ACK TIMEOUT 1s RETRY POLICY BACKOFF 10ms MAX 10ms",
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    // More than the pipe takes that nobody reads, so that printing outlasts ACK TIMEOUT.
    must("write", put.write(ids(0..ROWS, &"x".repeat(1_000))).await);
    let mut command = Command::new(executable());
    command
        .args(["consume", "d.outbox", "--format", "json", "--batches", "1"])
        .env("NERVIX_SERVER", &server.ports().control)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let consuming = must("run nervix consume", command.spawn());
    until("the first delivery has expired", || {
        let expired = timeouts(&server) >= 1;
        async move { expired.then_some(()) }
    })
    .await;
    let ended = tokio::task::spawn_blocking(move || consuming.wait_with_output());
    let ended = must("the end", must("read", within("consuming", ended).await));
    let told = text(&ended.stderr);
    assert!(ended.status.success(), "{told}");
    assert!(told.contains("500 rows in 1 batches acknowledged"), "{told}");
    assert!(told.contains("answered too late"), "{told}");
    assert_eq!(text(&ended.stdout).lines().count() as i64, 2 * ROWS);
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consume_ends_at_a_signal_while_its_output_takes_nothing() {
    const ROWS: i64 = 500;
    let server = Graph {
        mode: "ACK PARALLEL MAX 8 ACK TIMEOUT 1s RETRY POLICY BACKOFF 10ms MAX 10ms",
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    must("write", put.write(ids(0..ROWS, &"x".repeat(1_000))).await);
    let mut command = Command::new(executable());
    command
        .args(["consume", "d.outbox", "--format", "json"])
        .env("NERVIX_SERVER", &server.ports().control)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut consuming = must("run nervix consume", command.spawn());
    // Nobody reads what it prints, which is more than a pipe takes.
    until("the first delivery has expired", || {
        let expired = timeouts(&server) >= 1;
        async move { expired.then_some(()) }
    })
    .await;
    let id = consuming.id().to_string();
    assert!(must("kill", Command::new("kill").args(["-s", "TERM", &id]).status()).success());
    until("it has ended", || {
        let ended = must("ask", consuming.try_wait()).is_some();
        async move { ended.then_some(()) }
    })
    .await;
    let ended = must("its words", consuming.wait_with_output());
    let told = text(&ended.stderr);
    assert!(told.contains("its last batch is not acknowledged"), "{told}");
    assert!(told.contains("0 rows in 0 batches acknowledged"), "{told}");
    drop(put);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_health_and_metrics_answer() {
    let server = Graph::default().serve().await;
    assert_eq!(server.page("/livez").await.0, 200);
    assert_eq!(server.page("/readyz").await.0, 200);
    let (status, page) = server.page("/metrics").await;
    assert_eq!(status, 200);
    for family in [
        "nervix_messages_total",
        "nervix_relay_buffer_len",
        "nervix_client_consumers",
    ] {
        assert!(page.contains(family), "{family} is missing");
    }
}

#[test]
fn listening_beyond_loopback_is_refused_without_insecure() {
    let folder = must("a folder", tempfile::tempdir());
    for (command, flags) in [
        ("dev", &["--control-addr", "--flight-addr", "--http-addr"][..]),
        ("control-plane", &["--control-addr", "--http-addr"]),
        ("worker", &["--flight-addr", "--http-addr"]),
    ] {
        for flag in flags {
            let output = in_folder(folder.path(), &[command, flag, "0.0.0.0:0"]);
            let told = text(&output.stderr);
            assert!(!output.status.success(), "{command} {flag}");
            assert!(
                told.contains(flag) && told.contains("--insecure"),
                "{command} {flag}: {told}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_ephemeral_leaves_no_store() {
    let mut server = Graph::default().serve().await;
    assert!(server.process().terminate().await.success());
    let kept = |folder: &Path| folder.join(".nervix").exists();
    assert!(!kept(server.folder()));
    let mut server = Nervix::dev_with_store().await;
    assert!(server.process().terminate().await.success());
    assert!(kept(server.folder()));
}

#[test]
fn help_is_worth_reading() {
    let folder = must("a folder", tempfile::tempdir());
    for command in [
        "dev",
        "control-plane",
        "worker",
        "apply",
        "exec",
        "shell",
        "check",
        "fmt",
        "describe",
        "send",
        "consume",
    ] {
        let output = in_folder(folder.path(), &[command, "--help"]);
        assert!(output.status.success(), "{command} --help");
        let page = text(&output.stdout);
        for part in ["Usage:", "Exit codes:", "Examples:"] {
            assert!(page.contains(part), "{command} --help has no {part}");
        }
    }
}
