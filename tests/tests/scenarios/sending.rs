//! `nervix send` and `nervix consume` where the input is damaged or the output goes nowhere.

use std::fs::File;
use std::io::{PipeWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use arrow::array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use nervix_tests::process::Process;
use nervix_tests::rows::ids;
use nervix_tests::server::{Nervix, executable, text};
use nervix_tests::wait::{must, until, within};
use nix::libc::O_NONBLOCK;
use tokio::net::TcpListener;

use crate::graph::{Graph, batch, schema, writer};
use crate::outside::delivered;

fn stream_of_two() -> Vec<u8> {
    let mut writer = must("begin a stream", StreamWriter::try_new(Vec::new(), &schema()));
    must("write", writer.write(&batch(0, 5)));
    must("write", writer.write(&batch(5, 5)));
    must("end the stream", writer.into_inner())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_arrow_input_is_no_success_and_says_what_was_written_before() {
    let graph = Graph {
        ingestor_mode: "NO_ACK",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let whole = stream_of_two();
    let path = server.folder().join("rows.arrows");
    let send = |bytes: &[u8]| {
        must("write the input", std::fs::write(&path, bytes));
        server.command(&["send", "d.inbox", "rows.arrows"])
    };
    let sent = send(&whole);
    assert_eq!(sent.status.code(), Some(0), "{}", text(&sent.stderr));

    let cut = send(&whole[..whole.len() - 30]);
    let said = text(&cut.stderr);
    assert_eq!(cut.status.code(), Some(2), "{said}");
    assert!(said.contains("at byte "), "{said}");
    assert!(said.contains("5 rows in 1 batches before it are done"), "{said}");

    // Whatever byte is damaged, it is a documented exit, and never the abort of an allocation.
    for at in (8..whole.len()).step_by(37) {
        let mut damaged = whole.clone();
        damaged[at] = 0x7f;
        let sent = send(&damaged);
        let code = sent.status.code();
        assert!(
            matches!(code, Some(0..=2)),
            "byte {at}: {code:?} {}",
            text(&sent.stderr)
        );
        assert!(
            !text(&sent.stderr).contains("panicked"),
            "byte {at}: {}",
            text(&sent.stderr)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_standard_output_is_refused_before_anything_is_acknowledged() {
    let server = Graph::default().serve().await;
    let run = |redirection: &str| {
        let command = format!("exec \"$0\" consume d.outbox --format json --idle 100ms {redirection}");
        let output = Command::new("bash")
            .args(["-c", &command])
            .arg(executable())
            .env("NERVIX_SERVER", &server.ports().control)
            .stdin(Stdio::null())
            .output();
        must("run bash", output)
    };
    let closed = run(">&-");
    assert_eq!(closed.status.code(), Some(2), "{}", text(&closed.stderr));
    assert!(text(&closed.stderr).contains("standard output is closed"));
    let chosen = run(">/dev/null");
    assert_eq!(chosen.status.code(), Some(0), "{}", text(&chosen.stderr));
}

/// A batch of so many rows of a mebibyte each.
fn wide(first: i64, rows: i64) -> RecordBatch {
    ids(first..first + rows, &"x".repeat(1 << 20))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_larger_than_a_message_goes_in_parts_and_a_row_that_is_says_what_was_written_before() {
    let graph = Graph {
        ingestor_mode: "NO_ACK",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let path = server.folder().join("rows.arrows");
    let send = |batches: &[RecordBatch]| {
        let mut writer = must("begin a stream", StreamWriter::try_new(Vec::new(), &schema()));
        for batch in batches {
            must("write", writer.write(batch));
        }
        let stream = must("end the stream", writer.into_inner());
        must("write the input", std::fs::write(&path, stream));
        let sent = server.command(&["send", "d.inbox", "rows.arrows"]);
        (sent.status.code(), text(&sent.stderr))
    };
    let (code, said) = send(&[batch(0, 5), wide(5, 70), batch(75, 5)]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("80 rows in 4 batches done"), "{said}");
    let row = ids(0..1, &"x".repeat(65 << 20));
    let (code, said) = send(&[batch(0, 5), row]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("one record has ") && said.contains("5 rows in 1 batches before it are done"),
        "{said}"
    );
}

/// `nervix send` of two rows that nobody consumes, with what it says going to a file.
fn sending(server: &Nervix) -> Process {
    let rows = "{\"id\": 1, \"origin\": \"hidden\"}\n{\"id\": 2, \"origin\": \"hidden\"}\n";
    must(
        "write the input",
        std::fs::write(server.folder().join("rows.ndjson"), rows),
    );
    let mut command = Command::new(executable());
    command
        .args(["send", "d.inbox", "rows.ndjson"])
        .current_dir(server.folder())
        .env("NERVIX_SERVER", &server.ports().control);
    Process::start("nervix send", command, &server.folder().join("send.log"))
}

async fn said(process: &Process, what: &str) {
    until(&format!("it says {what}"), || {
        let found = process.printed().contains(what).then_some(());
        async move { found }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sending_off_a_terminal_says_that_it_waits_and_at_sigterm_what_was_not_answered() {
    let server = Graph::default().serve().await;
    let mut send = sending(&server);
    said(&send, "waiting: 2 rows in 1 batches await their answer").await;
    let status = send.terminate().await;
    let printed = send.printed();
    assert_eq!(status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("0 rows in 0 batches are done; 2 rows in 1 batches were not answered"),
        "{printed}"
    );
    assert!(!printed.contains("hidden"), "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sending_whose_server_is_gone_says_so_with_one_voice() {
    let mut server = Graph::default().serve().await;
    let send = sending(&server);
    until("the rows are in", || async {
        let label = "target=\"inbox\"";
        (server.metric_of("nervix_messages_total", label).await >= 2.0).then_some(())
    })
    .await;
    server.process().kill();
    said(&send, "waiting: ").await;
    let printed = send.printed();
    assert!(
        !printed.contains("WARN") && !printed.contains("comes back"),
        "{printed}"
    );
    assert!(!printed.contains("hidden"), "{printed}");
}

/// Whether a process has taken over a signal, by its number.
fn catches(process: &Process, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// `nervix consume` in a folder of its own, at a control API.
fn consuming(folder: &Path, control: &str, arguments: &[&str]) -> Process {
    let mut command = Command::new(executable());
    command
        .args(["consume", "d.outbox"])
        .args(arguments)
        .current_dir(folder)
        .env("NERVIX_SERVER", control);
    Process::start("nervix consume", command, &folder.join("consume.log"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consume_ends_at_sigterm_while_its_server_says_nothing() {
    let folder = must("a folder", tempfile::tempdir());
    let listener = must("listen", TcpListener::bind("127.0.0.1:0").await);
    let address = must("an address", listener.local_addr()).to_string();
    let mut consume = consuming(folder.path(), &address, &[]);
    let _held = within("it connects", listener.accept()).await;
    let status = consume.terminate().await;
    assert_eq!(status.code(), Some(0), "{}", consume.printed());
}

/// Fills a pipe to its last byte, without waiting for a reader, and without having who else writes to it not wait either.
fn fill(pipe: &PipeWriter) {
    let own = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    let opened = File::options().write(true).custom_flags(O_NONBLOCK).open(own);
    let mut own = must("open the pipe", opened);
    for piece in [&[0; 4096][..], &[0]] {
        while own.write(piece).is_ok() {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consume_ends_at_sigterm_though_its_output_does_not_take_the_end_of_an_arrow_stream() {
    let graph = Graph {
        ingestor_mode: "NO_ACK",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 5)).await);
    let (_unread, pipe) = must("a pipe", std::io::pipe());
    let mut command = Command::new(executable());
    command
        .args(["consume", "d.outbox", "--format", "arrow"])
        .env("NERVIX_SERVER", &server.ports().control)
        .stdout(must("share the pipe", pipe.try_clone()))
        .stderr(Stdio::piped());
    let mut consuming = must("run nervix consume", command.spawn());
    until("its batch is acknowledged", || async {
        let sent = delivered(&server, "nervix_messages_total").await;
        (sent >= 5.0).then_some(())
    })
    .await;
    fill(&pipe);
    let id = consuming.id().to_string();
    assert!(must("kill", Command::new("kill").args(["-s", "TERM", &id]).status()).success());
    let ended = until("it has ended", || {
        let ended = must("ask", consuming.try_wait());
        async move { ended }
    });
    assert_eq!(ended.await.code(), Some(0));
    let told = text(&must("its words", consuming.wait_with_output()).stderr);
    assert!(told.contains("its end is not written"), "{told}");
    assert!(told.contains("5 rows in 1 batches acknowledged"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consume_ends_at_sigterm_while_nobody_opens_the_other_end_of_its_output() {
    let server = Graph::default().serve().await;
    let path = server.folder().join("unread");
    let made = must("run mkfifo", Command::new("mkfifo").arg(&path).status());
    assert!(made.success());
    let control = &server.ports().control;
    let mut consume = consuming(server.folder(), control, &["--output", "unread"]);
    until("it has its stream", || async {
        (server.metric("nervix_client_consumers").await == 1.0).then_some(())
    })
    .await;
    let status = consume.terminate().await;
    assert_eq!(status.code(), Some(0), "{}", consume.printed());
}

/// `nervix send` whose standard input is `pipe` in the server's folder.
fn sending_from(server: &Nervix, pipe: &str) -> Process {
    let mut command = Command::new("bash");
    command
        .args(["-c", "exec \"$0\" send d.inbox < \"$1\""])
        .arg(executable())
        .arg(pipe)
        .current_dir(server.folder())
        .env("NERVIX_SERVER", &server.ports().control);
    Process::start("nervix send", command, &server.folder().join("send.log"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sending_from_a_silent_pipe_ends_at_sigterm() {
    let server = Graph::default().serve().await;
    let path = server.folder().join("silent");
    let made = must("run mkfifo", Command::new("mkfifo").arg(&path).status());
    assert!(made.success());
    let silent = File::options().read(true).write(true).open(&path);
    let silent = must("open the pipe", silent);
    let mut send = sending_from(&server, "silent");
    until("it listens for SIGTERM", || {
        let listens = catches(&send, 15).then_some(());
        async move { listens }
    })
    .await;
    let status = send.terminate().await;
    let printed = send.printed();
    assert_eq!(status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("ended by a signal before anything was sent"),
        "{printed}"
    );
    drop(silent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_arrow_file_is_sent_from_a_pipe() {
    let graph = Graph {
        ingestor_mode: "NO_ACK",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let mut writer = must("begin a file", FileWriter::try_new(Vec::new(), &schema()));
    must("write", writer.write(&batch(0, 5)));
    let file = must("end the file", writer.into_inner());
    must(
        "write the input",
        std::fs::write(server.folder().join("rows.arrow"), file),
    );
    let mut command = Command::new("bash");
    command
        .args(["-c", "cat rows.arrow | \"$0\" send d.inbox"])
        .arg(executable())
        .current_dir(server.folder())
        .env("NERVIX_SERVER", &server.ports().control);
    let mut send = Process::start("nervix send", command, &server.folder().join("send.log"));
    let status = send.exit().await;
    let printed = send.printed();
    assert_eq!(status.code(), Some(0), "{printed}");
    assert!(printed.contains("5 rows in 1 batches done"), "{printed}");
}
