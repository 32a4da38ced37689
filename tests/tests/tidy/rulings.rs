//! docs/rulings.md: every decision has its number, and cases or tests on either side that exist.
//!
//! Invariant: what a row names is in the corpus or a test, and no line of the corpus is a case of a row that does not name it.

use std::collections::BTreeSet;

use crate::documents::Tests;
use crate::tree::{files, read};

const PAGE: &str = "docs/rulings.md";

const CORPUS: &str = "nspl/tests/corpus/";

/// What begins the line of a case, before the number.
const MARK: &str = "--! ruling ";

/// What stands where there is no other side.
const NOTHING: &str = "nothing is";

/// The sections of the rulings.
const SECTIONS: u32 = 9;

/// Section, paragraph, and which decision of it.
type Number = (u32, u32, u32);

struct Row {
    number: Number,
    written: String,
    /// What shows that it holds, and what is refused.
    sides: [(&'static str, String); 2],
}

fn rows() -> Vec<Row> {
    let page = read(PAGE);
    let lines = page.lines().filter(|line| {
        let digits = line.strip_prefix("| ").and_then(|rest| rest.chars().next());
        digits.is_some_and(|first| first.is_ascii_digit())
    });
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let [number, decides, holds, refused] = cells[..] else {
        panic!("{PAGE}: four columns: {line}")
    };
    assert!(!decides.is_empty(), "{number} says what it decides");
    Row {
        number: parsed(number),
        written: number.to_owned(),
        sides: [("ok", holds.to_owned()), ("err", refused.to_owned())],
    }
}

fn parsed(number: &str) -> Number {
    let parts: Vec<u32> = number.split('.').map(|part| part.parse().unwrap()).collect();
    let [section, paragraph, decision] = parts[..] else {
        panic!("three parts: {number}")
    };
    (section, paragraph, decision)
}

/// What a cell names.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Whether a name of a cell is one of a file of the corpus.
fn is_case(name: &str) -> bool {
    name.contains('/')
}

/// The numbers of the rulings that a file of the corpus has cases of.
fn cases(text: &str) -> impl Iterator<Item = &str> {
    let marks = text.lines().filter_map(|line| line.trim().strip_prefix(MARK));
    marks.map(|rest| rest.split(':').next().unwrap_or_default())
}

#[test]
fn the_numbers_of_the_rulings_have_no_gap() {
    let mut before = (1, 1, 0);
    for Row { number, written, .. } in rows() {
        let (section, paragraph, decision) = before;
        let follows = [
            (section, paragraph, decision + 1),
            (section, paragraph + 1, 1),
            (section + 1, 1, 1),
        ];
        assert!(follows.contains(&number), "{written} stands behind {before:?}");
        before = number;
    }
    assert_eq!(before.0, SECTIONS, "the last section");
}

#[test]
fn every_ruling_has_a_case_or_a_test_on_either_side() {
    let tests = Tests::read();
    let mut wrong = Vec::new();
    for row in rows() {
        for (side, cell) in &row.sides {
            let has_names = names(cell).next().is_some();
            if !has_names && (*side == "ok" || cell != NOTHING) {
                wrong.push(format!("{}: no {side} case", row.written));
            }
            for name in names(cell) {
                let is_there = match is_case(name) {
                    true => name.starts_with(side) && holds_case(name, &row.written),
                    false => tests.has(name),
                };
                if !is_there {
                    wrong.push(format!("{}: {name}", row.written));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{PAGE} names what is not there:\n{}",
        wrong.join("\n")
    );
}

fn holds_case(name: &str, number: &str) -> bool {
    let path = format!("{CORPUS}{name}.nspl");
    files("nspl").contains(&path) && cases(&read(&path)).any(|case| case == number)
}

#[test]
fn every_case_of_a_ruling_is_named_by_its_row() {
    let mut named = BTreeSet::new();
    for row in rows() {
        for (_, cell) in &row.sides {
            named.extend(names(cell).map(|name| (row.written.clone(), name.to_owned())));
        }
    }
    let mut unnamed = Vec::new();
    for path in files("nspl") {
        let Some(name) = path.strip_prefix(CORPUS) else {
            continue;
        };
        let name = name.trim_end_matches(".nspl");
        let cases: Vec<String> = cases(&read(&path)).map(str::to_owned).collect();
        let strange = cases
            .iter()
            .filter(|case| !named.contains(&((*case).clone(), name.to_owned())));
        unnamed.extend(strange.map(|case| format!("{case} in {path}")));
    }
    assert!(
        unnamed.is_empty(),
        "{PAGE} does not name:\n{}",
        unnamed.join("\n")
    );
}
