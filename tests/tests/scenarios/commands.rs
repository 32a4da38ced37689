//! What the commands take and write, in each of their forms.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use nervix_tests::rows::read_ids;
use nervix_tests::server::{Nervix, executable, text};
use nervix_tests::terminal::Terminal;
use nervix_tests::wait::must;

use crate::graph::{Graph, batch, schema};

fn save(server: &Nervix, name: &str, content: &[u8]) -> PathBuf {
    let path = server.folder().join(name);
    must("write a file", std::fs::write(&path, content));
    path
}

/// Three records, starting with `first`, in each form that `nervix send` takes.
fn lines(first: i64) -> Vec<u8> {
    let line = |id: i64| format!("{{\"id\":{id},\"origin\":\"ATL\"}}\n");
    (first..first + 3).map(line).collect::<String>().into_bytes()
}

fn arrow_stream(first: i64) -> Vec<u8> {
    let mut writer = must("begin a stream", StreamWriter::try_new(Vec::new(), &schema()));
    must("write", writer.write(&batch(first, 3)));
    must("end the stream", writer.into_inner())
}

fn arrow_file(first: i64) -> Vec<u8> {
    let mut writer = must("begin a file", FileWriter::try_new(Vec::new(), &schema()));
    must("write", writer.write(&batch(first, 3)));
    must("end the file", writer.into_inner())
}

/// `nervix send` of a file, or of the same bytes on standard input.
fn send(server: &Nervix, path: &PathBuf, piped: bool) {
    let mut command = Command::new(executable());
    command
        .args(["send", "d.inbox"])
        .env("NERVIX_SERVER", &server.ports().control);
    if piped {
        command.stdin(must("open the input", File::open(path)));
    } else {
        command.arg(path).stdin(Stdio::null());
    }
    let sent = must("run nervix send", command.output());
    assert_eq!(sent.status.code(), Some(0), "{}", text(&sent.stderr));
}

/// `nervix consume` of three records.
fn consume(server: &Nervix, more: &[&str]) -> Vec<u8> {
    let arguments = [&["consume", "d.outbox", "--rows", "3"], more].concat();
    let consumed = server.command(&arguments);
    assert_eq!(consumed.status.code(), Some(0), "{}", text(&consumed.stderr));
    consumed.stdout
}

fn ids_of_stream(bytes: &[u8]) -> Vec<i64> {
    let reader = must("an Arrow stream", StreamReader::try_new(bytes, None));
    reader.flat_map(|rows| read_ids(&must("a batch", rows))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_form_that_send_takes_comes_out_in_every_form_that_consume_writes() {
    let graph = Graph {
        ingestor_mode: "NO_ACK",
        ..Graph::default()
    };
    let server = graph.serve().await;
    send(&server, &save(&server, "a.ndjson", &lines(0)), false);
    let table = text(&consume(&server, &["--format", "table"]));
    for cell in ["id", "origin", "0", "1", "2", "ATL"] {
        assert!(table.contains(cell), "no {cell} in\n{table}");
    }
    send(&server, &save(&server, "b.ndjson", &lines(10)), true);
    let json = text(&consume(&server, &["--format", "json"]));
    assert_eq!(json.as_bytes(), lines(10), "one object a line, fields in order");
    send(&server, &save(&server, "c.arrows", &arrow_stream(20)), true);
    assert_eq!(
        ids_of_stream(&consume(&server, &["--format", "arrow"])),
        [20, 21, 22]
    );
    send(&server, &save(&server, "d.arrow", &arrow_file(30)), false);
    consume(&server, &["--format", "arrow", "--output", "out.arrows"]);
    let written = must(
        "read the output",
        std::fs::read(server.folder().join("out.arrows")),
    );
    assert_eq!(ids_of_stream(&written), [30, 31, 32]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn describe_shows_all_a_kind_and_one_and_names_what_is_not_there() {
    let server = Graph::default().serve().await;
    let described = |arguments: &[&str]| {
        let output = server.command(&[&["describe"], arguments].concat());
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let holds = |arguments: &[&str], wanted: &[&str]| {
        let (code, said) = described(arguments);
        assert_eq!(code, Some(0), "{said}");
        for word in wanted {
            assert!(said.contains(word), "no {word} in\n{said}");
        }
    };
    holds(&[], &["dev", "inbox", "outbox", "events"]);
    holds(&["emitter", "--domain", "d"], &["outbox"]);
    holds(&["d.outbox"], &["state", "running", "transient error"]);
    holds(&["emitter", "outbox", "--domain", "d"], &["running"]);
    let (code, said) = described(&["d.nothing"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("nothing"), "{said}");
    let (code, said) = described(&["emiter", "--domain", "d"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("EMITTER") || said.contains("emitter"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_with_reset_forgets_what_was_stored_and_declares_the_file_anew() {
    let folder = must("a folder", tempfile::tempdir());
    let file = folder.path().join("pipeline.nspl");
    must("write a file", std::fs::write(&file, Graph::default().script()));
    let file = file.to_str().expect("a plain path");
    let mut server = Nervix::start(&["dev", file, "--reset"]).await;
    server.exec("USE d; CREATE SCHEMA extra (x I64);");
    assert!(server.exec("USE d; SHOW SCHEMAS;").contains("extra"));
    assert!(server.process().terminate().await.success());
    server.start_again().await;
    let shown = server.exec("USE d; SHOW SCHEMAS;");
    assert!(shown.contains("event") && !shown.contains("extra"), "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_are_for_a_person_on_a_terminal_and_json_elsewhere() {
    let mut server = Nervix::dev().await;
    let printed = server.process().printed();
    assert!(printed.contains("ready"), "{printed}");
    for line in printed.lines() {
        let line: serde_json::Value = must("a line of JSON", serde_json::from_str(line));
        assert!(line["message"].is_string() && line["level"].is_string(), "{line}");
    }

    let folder = must("a folder", tempfile::tempdir());
    let mut command = Command::new(executable());
    command.args(["dev", "--ephemeral", "--control-addr", "127.0.0.1:0"]);
    command.args(["--flight-addr", "127.0.0.1:0", "--http-addr", "127.0.0.1:0"]);
    command.current_dir(folder.path());
    let mut terminal = Terminal::start(command);
    // The first thing on the screen is a line for a person, and no object.
    terminal.see("INFO").await;
    terminal.see("ready; SIGTERM or Ctrl-C drains").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sending_on_a_terminal_shows_how_far_it_is_and_ends_with_what_is_done() {
    let server = Graph::default().serve().await;
    let path = save(&server, "rows.ndjson", &lines(0));
    let mut command = Command::new(executable());
    command
        .args(["send", "d.inbox"])
        .arg(path)
        .env("NERVIX_SERVER", &server.ports().control);
    let mut terminal = Terminal::start(command);
    terminal.see("0 rows answered").await;
    consume(&server, &["--format", "json"]);
    terminal.see("3 rows").await;
    assert!(terminal.exit().await.success());
}
