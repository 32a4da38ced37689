//! Clients that are not ours: pyarrow, Java's flight-core, grpcurl. What docs/ and examples/ show is what runs here.

use std::path::PathBuf;
use std::process::{Command, Output};

use nervix_tests::server::{Nervix, text};
use nervix_tests::wait::must;

use crate::graph::Graph;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn tool(variable: &str) -> PathBuf {
    match std::env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => {
            panic!("{variable} is not set: run the tests with `make test`, which installs what they need")
        }
    }
}

async fn run(mut command: Command) -> Output {
    let running = tokio::task::spawn_blocking(move || command.output());
    must("start a client", must("wait for a client", running.await))
}

fn succeeded(what: &str, output: &Output) -> String {
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert!(
        output.status.success(),
        "{what} failed ({}):\n{printed}",
        output.status
    );
    printed
}

fn python(server: &Nervix, script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(tool("NERVIX_TEST_PYTHON"));
    command
        .arg(root().join(script))
        .args(["--flight", &server.ports().flight])
        .args(arguments);
    command
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_examples_write_and_consume() {
    let server = Graph::default().serve().await;
    let consuming = run(python(
        &server,
        "examples/python/consumer.py",
        &["d", "outbox", "--rows", "100"],
    ));
    let writing = run(python(
        &server,
        "examples/python/writer.py",
        &["d", "inbox", "--rows", "100"],
    ));
    let (consumed, written) = tokio::join!(consuming, writing);
    succeeded("consumer.py", &consumed);
    let printed = succeeded("writer.py", &written);
    assert!(printed.contains("DONE"), "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_threaded_writer_reads_200_000_answers_only_at_the_end_in_mode_no_ack() {
    let server = Graph {
        ingestor_mode: "NO_ACK",
        attachment: "DETACHED",
        ..Graph::default()
    }
    .serve()
    .await;
    let consuming = run(python(
        &server,
        "tests/clients/patient_consumer.py",
        &["d", "outbox", "200000"],
    ));
    let writing = run(python(
        &server,
        "tests/clients/late_reader.py",
        &["d", "inbox", "200000"],
    ));
    let (written, consumed) = tokio::join!(writing, consuming);
    succeeded("late_reader.py", &written);
    succeeded("patient_consumer.py", &consumed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_threaded_writer_reads_200_000_answers_only_at_the_end_in_mode_ack() {
    let server = Graph::default().serve().await;
    let consuming = run(python(
        &server,
        "tests/clients/patient_consumer.py",
        &["d", "outbox", "200000"],
    ));
    let writing = run(python(
        &server,
        "tests/clients/late_reader.py",
        &["d", "inbox", "200000"],
    ));
    let (written, consumed) = tokio::join!(writing, consuming);
    succeeded("late_reader.py", &written);
    succeeded("patient_consumer.py", &consumed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pyarrow_sees_why_a_call_ended() {
    let server = Graph::default().serve().await;
    server.exec("USE d; STOP;");
    let ended = run(python(&server, "tests/clients/why_it_ended.py", &["d", "inbox"])).await;
    let printed = succeeded("why_it_ended.py", &ended);
    assert!(printed.contains("stopped: "), "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_java_example_makes_its_round_trip() {
    let server = Graph::default().serve().await;
    let classes = must("a folder", tempfile::tempdir());
    let jars = format!("{}/*", tool("NERVIX_TEST_JARS").display());
    let mut compile = Command::new("javac");
    let source = root().join("examples/java/src/main/java/RoundTrip.java");
    compile.args(["-cp", &jars, "-d"]).arg(classes.path()).arg(source);
    succeeded("javac", &run(compile).await);
    let mut java = Command::new("java");
    let path = format!("{}:{jars}", classes.path().display());
    java.args([
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-cp",
        &path,
        "RoundTrip",
    ]);
    java.args([server.ports().flight.as_str(), "d", "inbox", "outbox"]);
    succeeded("RoundTrip", &run(java).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_grpcurl_transcript_of_the_docs_runs_as_written() {
    let server = Graph::default().serve().await;
    let docs = must(
        "read the transcript",
        std::fs::read_to_string(root().join("docs/grpcurl.md")),
    );
    let mut ran = 0;
    for block in docs.split("```sh\n").skip(1) {
        let script = block.split("```").next().unwrap_or_default();
        let mut shell = Command::new("bash");
        let grpcurl = tool("NERVIX_TEST_GRPCURL");
        let folder = grpcurl.parent().expect("a folder").display().to_string();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = format!("{folder}:{}", path.to_string_lossy());
        shell.args(["-euo", "pipefail", "-c", script]).env("PATH", path);
        shell.env("NERVIX_SERVER", &server.ports().control);
        succeeded(script, &run(shell).await);
        ran += 1;
    }
    assert!(ran >= 4, "the transcript has {ran} commands");
}
