//! The golden corpus: what is accepted, what is refused and in which words.

use std::collections::BTreeSet;

use nspl::{Diagnostic, RULES, SYNTAX_CODES, format};
use nspl_syntax::{Statement, parse, print};

use crate::case::{CORPUS, Case, Part, cases, shown, world};
use crate::golden::Golden;

#[test]
fn what_is_ok_checks_clean() {
    let mut wrong = String::new();
    for case in cases("ok") {
        let report = case.report();
        let clean = report
            .diagnostics
            .iter()
            .all(|found| found.code == nspl::ALREADY_DIFFERS);
        if !clean {
            wrong.push_str(&shown(&case.path, &case.text, &report));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_is_ok_prints_as_it_reads_and_formats_once() {
    for case in cases("ok") {
        let parsed = parse(&case.text);
        assert_eq!(parsed.faults, [], "{}", case.path);
        for statement in &parsed.statements {
            let text = print(&statement.node);
            let again = parse(&text);
            assert_eq!(again.statements.len(), 1, "{}: {text}", case.path);
            assert_eq!(again.statements[0].node, statement.node, "{}: {text}", case.path);
        }
        let once = format(&case.text).unwrap();
        assert_eq!(format(&once).unwrap(), once, "{}", case.path);
        assert_eq!(parse(&once).statements, parsed.statements, "{}", case.path);
        let comments = |text: &str| -> Vec<String> {
            parse(text)
                .comments
                .into_iter()
                .map(|comment| comment.text)
                .collect()
        };
        assert_eq!(comments(&once), comments(&case.text), "{}", case.path);
    }
}

#[test]
fn what_is_refused_is_refused_in_the_committed_words() {
    let mut golden = Golden::default();
    for case in cases("err") {
        let report = case.report();
        assert!(!report.diagnostics.is_empty(), "{} is not refused", case.path);
        let rendered = shown(case.name(), &case.text, &report);
        golden.file(&case.path.replace(".nspl", ".txt"), &rendered);
    }
    golden.finish(&format!("{CORPUS}/err"), "txt");
}

/// Codes of the diagnostics of the cases that are refused.
fn refused_codes(cases: &[Case]) -> BTreeSet<&'static str> {
    let reports = cases.iter().map(Case::report);
    reports
        .flat_map(|report| report.diagnostics)
        .map(|found| found.code)
        .collect()
}

#[test]
fn every_code_is_seen_in_a_refused_case_or_in_the_example_of_its_rule() {
    let seen = refused_codes(&cases("err"));
    let examples = RULES.iter().filter(|rule| rule.fails.is_empty());
    let codes = examples
        .map(|rule| rule.code)
        .chain(SYNTAX_CODES.iter().map(|(code, _)| *code));
    let unseen: Vec<&str> = codes.filter(|code| !seen.contains(code)).collect();
    assert!(unseen.is_empty(), "no case has {unseen:?}");
}

/// What the cases of a folder are of.
#[derive(Default)]
pub(crate) struct Covered {
    /// Every mark; of a refused case those where something is said between its line and the next.
    pub(crate) all: BTreeSet<String>,
    /// Those where the checker says so, not the grammar alone.
    pub(crate) judged: BTreeSet<String>,
}

pub(crate) fn covered(folder: &str) -> Covered {
    let mut covered = Covered::default();
    let mut wrong = Vec::new();
    for case in cases(folder) {
        let found = case.report().diagnostics;
        for part in case.parts() {
            let said = found
                .iter()
                .filter(|found| part.bytes.contains(&found.span.start));
            wrong.extend(otherwise(
                &case,
                &part,
                &said.collect::<Vec<_>>(),
                folder == "err",
            ));
            for mark in part.marks {
                if mark.codes.iter().any(|code| !is_of_the_grammar(code)) {
                    covered.judged.insert(mark.of.clone());
                }
                covered.all.insert(mark.of);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    covered
}

/// In what a part of a case is not as its marks say: all that is said there has a code that one of them names, each code
/// is said, and no statement that begins there is passed over in silence.
fn otherwise(case: &Case, part: &Part, said: &[&Diagnostic], is_refused: bool) -> Vec<String> {
    let name = |mark: &str| format!("{}: {mark}", case.path);
    let mut wrong = Vec::new();
    for mark in &part.marks {
        let unsaid = mark
            .codes
            .iter()
            .filter(|code| said.iter().all(|found| found.code != **code));
        wrong.extend(unsaid.map(|code| name(&format!("{} is refused without {code}", mark.of))));
        if mark.codes.is_empty() == is_refused {
            wrong.push(name(&format!(
                "{} names codes where it is refused, and there alone",
                mark.of
            )));
        }
    }
    let is_named = |code: &str| {
        part.marks
            .iter()
            .any(|mark| mark.codes.iter().any(|named| named == code))
    };
    let mark = &part.marks[0].of;
    let unnamed = said.iter().filter(|found| is_refused && !is_named(found.code));
    wrong.extend(unnamed.map(|found| name(&format!("{mark} does not name {}", found.code))));
    let parsed = parse(&case.text).statements;
    let silent = parsed.iter().filter(|statement| {
        let range = statement.span.range();
        let frames = matches!(
            statement.node,
            Statement::Begin | Statement::Commit | Statement::Revert
        );
        let heard = said.iter().any(|found| range.contains(&found.span.start));
        is_refused && !frames && part.bytes.contains(&range.start) && !heard
    });
    wrong.extend(silent.map(|statement| {
        let text = case.text.get(statement.span.range()).unwrap();
        name(&format!("{mark}: not refused: {text}"))
    }));
    wrong
}

fn is_of_the_grammar(code: &str) -> bool {
    SYNTAX_CODES.iter().any(|(known, _)| *known == code)
}

#[test]
fn every_refused_piece_names_the_codes_that_refuse_it() {
    for folder in ["ok", "err"] {
        assert!(covered(folder).all.len() > 100, "{folder}");
    }
}

#[test]
fn the_world_of_the_corpus_is_made() {
    assert!(world().len() > 20);
}
