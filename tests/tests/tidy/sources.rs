//! Sizes, names and docs of source files.

use crate::tree::{files, is_test, read};

const LINES_MAX: usize = 500;
const TEST_LINES_MAX: usize = 800;
const BANNED_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "misc", "manager"];

#[test]
fn no_file_is_longer_than_its_bound() {
    let long: Vec<String> = files("rs")
        .iter()
        .filter_map(|path| {
            let lines = read(path).lines().count();
            let most = if is_test(path) { TEST_LINES_MAX } else { LINES_MAX };
            (lines > most)
                .then(|| format!("{path} has {lines} lines, {most} are allowed: split it by concept"))
        })
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn no_file_or_folder_has_a_name_that_says_nothing() {
    let bad: Vec<String> = files("rs")
        .iter()
        .filter(|path| {
            path.split('/').any(|part| {
                let stem = part.strip_suffix(".rs").unwrap_or(part);
                stem == "mod" || BANNED_NAMES.contains(&stem)
            })
        })
        .map(|path| format!("{path}: name it by the concept it holds (and use foo.rs with foo/, not mod.rs)"))
        .collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Unit tests beside a file are of its concept, and need no docs of their own.
#[test]
fn every_file_begins_with_its_docs() {
    let bare: Vec<String> = files("rs")
        .iter()
        .filter(|path| !path.ends_with("tests.rs") && !read(path).starts_with("//!"))
        .map(|path| {
            format!("{path}: begin with //! purpose, invariant, and what it deliberately does not do")
        })
        .collect();
    assert!(bare.is_empty(), "{}", bare.join("\n"));
}

#[test]
fn no_glob_import_and_no_unbounded_queue() {
    let mut bad = Vec::new();
    for path in files("rs")
        .iter()
        .filter(|path| !path.starts_with("tests/tests/tidy/"))
    {
        for (number, line) in read(path).lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("use ") && code.contains("::*") {
                bad.push(format!("{path}:{}: name what is imported", number + 1));
            }
            if code.contains("unbounded_channel")
                || code.contains("unbounded::<")
                || code.contains("unbounded()")
            {
                bad.push(format!(
                    "{path}:{}: give the queue a bound with a name",
                    number + 1
                ));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Functions that the test runner must not start by itself, since another test (or a person) starts them.
const STARTED_BY_OTHERS: [&str; 2] = ["is started by another test", "writes the committed store file"];

#[test]
fn no_test_is_switched_off() {
    let mut bad = Vec::new();
    for path in files("rs")
        .iter()
        .filter(|path| !path.starts_with("tests/tests/tidy/"))
    {
        for line in read(path)
            .lines()
            .filter(|line| line.trim_start().starts_with("#[ignore"))
        {
            if !STARTED_BY_OTHERS.iter().any(|reason| line.contains(reason)) {
                bad.push(format!("{path}: {line}: make the test run, or remove it"));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
