//! What a broken statement means is judged where it could be read, and of what only follows from its faults nothing is
//! told.

use std::thread;

use nspl::Diagnostic;
use nspl_syntax::{LexemeKind, lexemes};

use crate::case::{Case, cases};

/// A mark that fits nowhere, and is no longer than any word.
const WRONG: char = ':';

/// One of so many words of what is refused is damaged.
const EACH: usize = 5;

/// In how many threads the accepted scripts are damaged.
const PARTS: usize = 2;

/// The words of a case: where they begin and end.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let words = lexemes(text).into_iter();
    let words = words.filter(|lexeme| lexeme.kind != LexemeKind::Comment && lexeme.text != ";");
    let places: Vec<(usize, usize)> = words.map(|lexeme| (lexeme.span.start, lexeme.span.end)).collect();
    places.into_iter()
}

/// The case with a mark and blanks for a word, so that every other place stays what it is.
fn damaged(case: &Case, (start, end): (usize, usize)) -> Case {
    let mut case = case.clone();
    let blanks = " ".repeat(end - start - WRONG.len_utf8());
    case.text.replace_range(start..end, &format!("{WRONG}{blanks}"));
    case
}

/// What is told that is not syntax.
fn meaning(case: &Case) -> Vec<Diagnostic> {
    let found = case.report().diagnostics;
    found.into_iter().filter(|found| !is_syntax(found)).collect()
}

fn is_syntax(found: &Diagnostic) -> bool {
    found.code.starts_with("E0")
}

/// Each word of each script, one at a time.
#[test]
fn a_wrong_word_in_a_script_without_faults_is_all_that_is_told() {
    let cases = cases("ok");
    let cases = &cases;
    let (mut wrong, mut count) = (Vec::new(), 0);
    thread::scope(|scope| {
        let parts: Vec<_> = (0..PARTS)
            .map(|part| scope.spawn(move || told_besides(cases.iter().skip(part).step_by(PARTS))))
            .collect();
        for part in parts {
            let (told, damaged) = part.join().unwrap();
            wrong.extend(told);
            count += damaged;
        }
    });
    assert!(count > 10_000, "{count}");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What is told that is not syntax, and how many words were damaged.
fn told_besides<'a>(cases: impl Iterator<Item = &'a Case>) -> (Vec<String>, usize) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for case in cases {
        let known = meaning(case);
        for word in words(&case.text) {
            count += 1;
            let found = meaning(&damaged(case, word)).into_iter();
            let found = found.filter(|found| !known.contains(found));
            wrong.extend(
                found.map(|found| format!("{} {word:?}: {} {}", case.path, found.code, found.message)),
            );
        }
    }
    (wrong, count)
}

/// What depends on a word that is gone is not told: what kind of thing it is, which schema, what another clause has.
#[test]
fn what_is_wrong_elsewhere_in_a_broken_statement_is_told_where_it_is_sure() {
    let (mut all, mut told) = (0, 0);
    for case in cases("err") {
        let report = case.report();
        if report.diagnostics.iter().any(is_syntax) {
            continue;
        }
        let statement = |at: usize| case.text.get(..at).unwrap().matches(';').count();
        for word in words(&case.text).step_by(EACH) {
            let known = report.diagnostics.iter();
            let here = known.filter(|found| {
                let apart = found.span.end < word.0 || found.span.start > word.1;
                apart && statement(found.span.start) == statement(word.0)
            });
            let here: Vec<&Diagnostic> = here.collect();
            if here.is_empty() {
                continue;
            }
            let found = meaning(&damaged(&case, word));
            let is_told = |fault: &&&Diagnostic| {
                let same = |other: &Diagnostic| other.code == fault.code && other.span == fault.span;
                found.iter().any(same)
            };
            all += here.len();
            told += here.iter().filter(is_told).count();
        }
    }
    assert!(all > 2_000, "{all}");
    assert!(told * 100 > all * 45, "{told} of {all}");
}
