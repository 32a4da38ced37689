//! `nervix shell` on a terminal, as a person sits at it, and with a script on its standard input.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use nervix_tests::server::{Nervix, executable, text};
use nervix_tests::terminal::{END, Terminal, UP};
use nervix_tests::wait::must;

use crate::graph::Graph;

fn command(server: &Nervix, arguments: &[&str]) -> Command {
    let mut command = Command::new(executable());
    command
        .arg("shell")
        .args(arguments)
        .current_dir(server.folder())
        .env("NERVIX_SERVER", &server.ports().control)
        .env("XDG_STATE_HOME", server.folder().join("state"));
    command
}

async fn shell(server: &Nervix, arguments: &[&str]) -> Terminal {
    let mut terminal = Terminal::start(command(server, arguments));
    terminal.see("=> ").await;
    terminal
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_go_over_lines_and_the_prompt_shows_domain_and_transaction() {
    let server = Nervix::dev().await;
    let mut terminal = shell(&server, &[]).await;
    terminal.enter("CREATE DOMAIN travel;");
    terminal.see("ok: CREATE DOMAIN travel").await;
    terminal.enter("USE travel;");
    terminal.see("travel=> ").await;
    terminal.enter("CREATE SCHEMA event -- not yet;");
    terminal.see("travel-> ").await;
    terminal.enter("  (id I64, note STRING);");
    terminal.see("ok: CREATE SCHEMA event").await;
    terminal.enter("BEGIN;");
    terminal.see("travel*=> ").await;
    terminal.enter("CREATE RELAY second SCHEMA later UNBRANCHED;");
    terminal.see("travel*=> ").await;
    terminal.enter("CREATE SCHEMA later (id I64); CREATE RELAY first");
    terminal.see("travel*-> ").await;
    terminal.enter("SCHEMA event UNBRANCHED; COMMIT;");
    terminal.see("ok: CREATE RELAY second").await;
    terminal.see("ok: CREATE RELAY first").await;
    terminal.see("travel=> ").await;
    terminal.enter("BEGIN; DROP RELAY first;");
    terminal.see("travel*=> ").await;
    terminal.enter("REVERT;");
    terminal.see("reverted: 1").await;
    terminal.enter("SHOW RELAYS;");
    terminal.see("\nfirst").await;
    terminal.enter("\\?");
    terminal.see("Ctrl-R searches it").await;
    terminal.enter("\\q");
    assert_eq!(terminal.exit().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tab_completes_from_the_grammar_the_catalog_and_what_was_typed() {
    let server = Graph::default().serve().await;
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.press("SHOW CREATE EMIT\toutb\t;\r");
    terminal.see("TO CLIENT SCHEMA event").await;
    terminal.press("CREATE EMITTER copy FROM events WHERE i\t");
    terminal.see("id  I64").await;
    terminal.press("d > 3 AND l\t");
    terminal.see("lower(  lower(STRING) -> STRING").await;
    terminal.interrupt("d=> ").await;
    terminal.enter("BEGIN; CREATE SCHEMA zebra (stripes I64);");
    terminal.see("d*=> ").await;
    terminal.enter("CREATE RELAY herd");
    terminal.see("d*-> ").await;
    terminal.press("SCHEMA zeb\t UNBR\t;\r");
    terminal.see("d*=> ").await;
    terminal.enter("COMMIT;");
    terminal.see("ok: CREATE RELAY herd").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_typed_is_coloured_and_what_is_sent_is_not() {
    let server = Graph::default().serve().await;
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.press("CREATE relay 'ope");
    // A string without an end, as far as it is typed.
    terminal
        .see_painted("\x1b[1mCREATE\x1b[0m relay \x1b[31m'ope\x1b[0m")
        .await;
    terminal.press("n' 30s");
    terminal
        .see_painted("\x1b[32m'open'\x1b[0m \x1b[36m30s\x1b[0m")
        .await;
    terminal.press(" -- why");
    terminal.see_painted("\x1b[2m-- why\x1b[0m").await;
    terminal.interrupt("d=> ").await;
    // A string goes on from the line above.
    terminal.enter("SHOW 'first");
    terminal.see("d-> ").await;
    terminal.press("second' 7");
    terminal
        .see_painted("\x1b[32msecond'\x1b[0m \x1b[36m7\x1b[0m")
        .await;
    terminal.interrupt("d=> ").await;
    terminal.enter("SHOW RELAYS; -- all of them");
    terminal.see("\nevents").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_are_shown_with_their_place_and_change_nothing() {
    let server = Graph::default().serve().await;
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.enter("CREATE RELAY r SCHEMA absent UNBRANCHED; CREATE SCHEMA unseen (id I64);");
    terminal.see("Error").await;
    terminal.see("shell:1:23").await;
    terminal.see("not run: 1 behind it").await;
    terminal.enter("BEGIN; CREATE SCHEMA (id I64);");
    terminal.see("shell:1:15").await;
    terminal.see("was not taken into the transaction").await;
    terminal.enter("CREATE RELAY r SCHEMA absent UNBRANCHED;");
    terminal.see("d*=> ").await;
    terminal.enter("COMMIT;");
    terminal.see("shell:2:23").await;
    terminal
        .see("rolled back: the transaction is over, its statement changed nothing")
        .await;
    terminal.see("d=> ").await;
    let schemas = server.exec("USE d; SHOW SCHEMAS;");
    assert!(!schemas.contains("unseen"), "{schemas}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_history_outlives_the_shell_without_secrets_for_its_owner_alone() {
    let server = Graph::default().serve().await;
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.enter("SHOW");
    terminal.see("d-> ").await;
    terminal.enter("RELAYS;");
    terminal.see("\nevents").await;
    terminal.enter("CREATE CLIENT c TYPE REDIS POOL SIZE MIN 1 MAX 2 CONFIG {'addr' = 'redis://h', 'password' = 'hunter2'};");
    terminal.see("ok: CREATE CLIENT c").await;
    terminal.press(END);
    assert_eq!(terminal.exit().await.code(), Some(0));
    let path = server.folder().join("state/nervix/history");
    let kept = must("read the history", std::fs::read_to_string(&path));
    assert!(kept.contains("RELAYS;") && !kept.contains("hunter2"), "{kept}");
    let mode = must("look at the history", std::fs::metadata(&path))
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut again = shell(&server, &["--domain", "d"]).await;
    again.press(UP);
    again.press("\r");
    again.see("\nevents").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ctrl_c_clears_what_is_typed_and_ctrl_d_warns_over_an_open_transaction() {
    let server = Graph::default().serve().await;
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.enter("CREATE SCHEMA 'open");
    terminal.see("d-> ").await;
    terminal.press("and more");
    terminal.interrupt("d=> ").await;
    terminal.enter("BEGIN;");
    terminal.see("d*=> ").await;
    terminal.interrupt("d*=> ").await;
    terminal.press(END);
    terminal.see("a transaction is open").await;
    terminal.see("d*=> ").await;
    terminal.press(END);
    assert_eq!(terminal.exit().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_server_is_said_the_text_is_kept_and_the_next_statement_connects_again() {
    let mut server = Nervix::dev_with_store().await;
    server.exec("CREATE DOMAIN d; USE d; CREATE RESOURCE papers;");
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.enter("BEGIN;");
    terminal.see("d*=> ").await;
    terminal.enter("CREATE RESOURCE maps;");
    terminal.see("d*=> ").await;
    server.process().kill();
    terminal.enter("COMMIT;");
    terminal.see("the server does not answer").await;
    terminal.see("d*=> COMMIT;").await;
    terminal.interrupt("d*=> ").await;
    // The grammar alone answers.
    terminal.press("DESCR\tRES\t");
    terminal.see("DESCRIBE RESOURCE ").await;
    terminal.interrupt("d*=> ").await;
    server.start_again().await;
    terminal.enter("COMMIT;");
    terminal.see("ok: CREATE RESOURCE maps").await;
    terminal.see("d=> ").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_is_uploaded_from_the_working_directory() {
    let server = Nervix::dev().await;
    server.exec("CREATE DOMAIN d; USE d; CREATE RESOURCE papers;");
    must(
        "make a folder",
        std::fs::create_dir(server.folder().join("files")),
    );
    must(
        "write a file",
        std::fs::write(server.folder().join("files/a"), "abc"),
    );
    let mut terminal = shell(&server, &["--domain", "d"]).await;
    terminal.enter("UPLOAD RESOURCE papers VERSION 'files';");
    terminal.see("version 1, 3 bytes").await;
    terminal.enter("UPLOAD RESOURCE papers VERSION 'absent';");
    terminal.see("there is no folder").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_terminal_standard_input_is_a_script() {
    let server = Nervix::dev().await;
    let run = |script: &str| -> Output {
        let mut command = command(&server, &[]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = must("start the shell", command.spawn());
        let mut input = child.stdin.take().expect("a pipe");
        must("write the script", input.write_all(script.as_bytes()));
        drop(input);
        must("wait for the shell", child.wait_with_output())
    };
    let done = run("CREATE DOMAIN piped; SHOW DOMAINS;");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("piped"), "{}", text(&done.stdout));
    assert!(
        text(&done.stderr).contains("no terminal"),
        "{}",
        text(&done.stderr)
    );
    assert_eq!(run("CREATE DOMAIN piped;").status.code(), Some(1));
    let mut absent = command(&server, &[]);
    absent.env("NERVIX_SERVER", "127.0.0.1:1").stdin(Stdio::null());
    assert_eq!(must("run the shell", absent.output()).status.code(), Some(2));
}
