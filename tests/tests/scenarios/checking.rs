//! `nervix check` in a pipeline of others: files, standard input, JSON lines, exit codes.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use nervix_tests::server::{executable, text};
use nervix_tests::wait::must;
use serde_json::{Value, json};

const SCHEMAS: &str = "CREATE DOMAIN d; USE d; CREATE SCHEMA s (id I64);";
const RELAY: &str = "USE d; CREATE RELAY r SCHEMA s UNBRANCHED;";

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = must("a folder", tempfile::tempdir());
        for (name, content) in files {
            must("write a file", std::fs::write(folder.path().join(name), content));
        }
        Folder(folder)
    }

    fn check(&self, arguments: &[&str], input: &str) -> Output {
        check_in(self.0.path(), arguments, input)
    }
}

fn check_in(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(executable());
    command.arg("check").args(arguments).current_dir(folder);
    command.env_remove("NERVIX_DOMAIN");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut process = must("run nervix check", command.spawn());
    let mut stdin = process.stdin.take().expect("a pipe");
    // A run that ends before it reads closes the pipe; what it then says is what is judged.
    let _ended_early = stdin.write_all(input.as_bytes()).is_err();
    drop(stdin);
    must("wait for nervix check", process.wait_with_output())
}

fn lines(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|line| must("a JSON line", serde_json::from_str(line)))
        .collect()
}

#[test]
fn json_has_one_object_a_line_with_places_in_characters() {
    // The second line begins with two characters of two bytes each.
    let faulty =
        "USE d; BEGIN;\n/*äö*/ CREATE RELAY r SCHEMA t UNBRANCHED;\nCREATE SCHEMA s (id I64);\nCOMMIT;";
    let folder = Folder::with(&[("schemas.nspl", SCHEMAS), ("faulty.nspl", faulty)]);
    let output = folder.check(&["--format", "json", "schemas.nspl", "faulty.nspl"], "");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let found = lines(&output);
    assert_eq!(found.len(), 2, "{found:#?}");
    let keys: Vec<&String> = found[0].as_object().expect("an object").keys().collect();
    let expected = [
        "file",
        "severity",
        "code",
        "message",
        "line",
        "column",
        "end_line",
        "end_column",
        "labels",
        "help",
    ];
    assert_eq!(keys, expected);
    let place = |found: &Value| {
        json!([
            found["file"],
            found["severity"],
            found["code"],
            found["line"],
            found["column"],
            found["end_line"],
            found["end_column"]
        ])
    };
    assert_eq!(
        place(&found[0]),
        json!(["faulty.nspl", "error", "E1001", 2, 30, 2, 31])
    );
    assert_eq!(
        place(&found[1]),
        json!(["faulty.nspl", "error", "E1002", 3, 15, 3, 16])
    );
    assert!(found[0]["help"].is_string(), "{:#}", found[0]);
    assert!(found.iter().all(|found| found["labels"].is_array()));
}

#[test]
fn several_files_are_read_in_order_and_standard_input_among_them() {
    let folder = Folder::with(&[("schemas.nspl", SCHEMAS), ("relay.nspl", RELAY)]);
    for arguments in [
        ["schemas.nspl", "relay.nspl"],
        ["schemas.nspl", "-"],
        ["-", "relay.nspl"],
    ] {
        let input = if arguments[0] == "-" { SCHEMAS } else { RELAY };
        let output = folder.check(&arguments, input);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
    let turned = folder.check(&["--format", "json", "relay.nspl", "schemas.nspl"], "");
    assert_eq!(turned.status.code(), Some(1));
    assert!(lines(&turned).iter().all(|found| found["file"] == "relay.nspl"));
    let broken = folder.check(&["--format", "json", "schemas.nspl", "-"], "USE d; CREATE RELAY;");
    assert_eq!(broken.status.code(), Some(1));
    assert_eq!(lines(&broken)[0]["file"], "-");
}

#[test]
fn warnings_alone_exit_0_and_what_cannot_run_exits_2() {
    let folder = Folder::with(&[("schemas.nspl", SCHEMAS)]);
    let other = "USE d; CREATE IF NOT EXISTS SCHEMA s (id STRING);";
    let warned = folder.check(&["--format", "json", "schemas.nspl", "-"], other);
    assert_eq!(warned.status.code(), Some(0), "{}", text(&warned.stderr));
    let found = lines(&warned);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["severity"], "warning");
    assert_eq!(folder.check(&["schemas.nspl", "-"], other).status.code(), Some(0));
    for arguments in [
        &["absent.nspl"][..],
        &["schemas.nspl", "absent.nspl"],
        &[],
        &["--format", "yaml", "schemas.nspl"],
        &["--json", "schemas.nspl"],
    ] {
        let output = folder.check(arguments, "");
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(!output.stderr.is_empty(), "{arguments:?} says nothing");
    }
}
