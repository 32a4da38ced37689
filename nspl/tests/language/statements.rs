//! The pages of docs/reference/statements: their grammar is that of the parser, their examples check clean, and every
//! clause they show has an accepted and a refused case in the corpus.

mod notation;

use std::collections::{BTreeMap, BTreeSet};

use nspl::check;
use nspl_syntax::{parse, print, propose};

use crate::case::{shown, world};
use crate::corpus::covered;
use crate::golden::{Golden, files, read};
use notation::{Node, Rules};

const FOLDER: &str = "docs/reference/statements";

/// The last words of a text that decide what may follow.
const WORDS_OF_CONTEXT: usize = 4;

/// Words that begin the statements of several pages.
const HEADS: [&str; 9] = [
    "CREATE", "ALTER", "DROP", "SHOW", "DESCRIBE", "IF", "NOT", "EXISTS", "WIRE",
];

/// What may follow any statement, and any expression.
const FOLLOWS: [&str; 2] = [";", "AS"];

/// A page about one statement.
struct Page {
    path: String,
    title: String,
    grammar: String,
    statement: Node,
    examples: Vec<String>,
}

/// The text of the code blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    let blocks = text.split(&begin).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

/// Every page, and the rules of all of them: a rule may be written on another page.
fn pages() -> (Vec<Page>, Rules) {
    let mut rules = Rules::new();
    let mut pages = Vec::new();
    for path in files(FOLDER, "md")
        .into_iter()
        .filter(|path| !path.ends_with("README.md"))
    {
        let text = read(&path);
        let grammars = blocks(&text, "text");
        let [grammar] = &grammars[..] else {
            panic!("{path}: one block of grammar")
        };
        let (statement, own) = notation::read(grammar);
        for (name, rule) in own {
            assert!(
                rules.insert(name.clone(), rule).is_none(),
                "{path}: <{name}> is written twice"
            );
        }
        let title = text.lines().next().unwrap().trim_start_matches("# ").to_owned();
        let examples = blocks(&text, "sql");
        assert!(!examples.is_empty(), "{path} has no example");
        pages.push(Page {
            path,
            title,
            grammar: grammar.clone(),
            statement,
            examples,
        });
    }
    (pages, rules)
}

#[test]
fn every_sentence_of_a_grammar_is_read_and_printed() {
    let (pages, rules) = pages();
    let mut wrong = Vec::new();
    for page in &pages {
        let sentences = page.statement.sentences(&rules);
        for sentence in sentences {
            let parsed = parse(&sentence);
            let again: Vec<_> = parsed.statements.iter().map(|found| print(&found.node)).collect();
            let printed = parse(&again.join("\n"));
            if !parsed.faults.is_empty() {
                wrong.push(format!(
                    "{}: {sentence}\n  {}",
                    page.path, parsed.faults[0].message
                ));
            } else if printed.statements != parsed.statements {
                wrong.push(format!("{}: {sentence}\n  is printed as {again:?}", page.path));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_the_parser_takes_is_in_the_grammar() {
    let (pages, rules) = pages();
    let heads: BTreeSet<String> = pages
        .iter()
        .flat_map(|page| page.statement.words(&rules))
        .collect();
    let mut unwritten = BTreeMap::new();
    let mut asked = BTreeSet::new();
    let mut look = |text: &str, known: &BTreeSet<String>, page: &str| {
        // What may follow is decided by the last words, so one text is asked for that ends in them.
        let tail: Vec<&str> = text.rsplit(' ').take(WORDS_OF_CONTEXT).collect();
        if !asked.insert((tail.join(" "), page.to_owned())) {
            return;
        }
        for phrase in propose(text).words {
            for word in phrase
                .split(' ')
                .filter(|word| !FOLLOWS.contains(word) && !known.contains(*word))
            {
                unwritten
                    .entry(format!("{page}: {word}"))
                    .or_insert_with(|| text.to_owned());
            }
        }
    };
    look("", &heads, "all");
    for page in &pages {
        let begins = |page: &Page| {
            page.grammar
                .split(' ')
                .take(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let alike = pages.iter().filter(|other| begins(other) == begins(page));
        let known: BTreeSet<String> = alike.flat_map(|page| page.statement.words(&rules)).collect();
        for sentence in page.statement.sentences(&rules) {
            for (at, _) in sentence.match_indices(' ') {
                let text = sentence.get(..=at).unwrap();
                let is_head = text.split_whitespace().all(|word| HEADS.contains(&word));
                let (known, name) = if is_head {
                    (&heads, "all")
                } else {
                    (&known, &*page.path)
                };
                look(text, known, name);
            }
        }
    }
    assert!(unwritten.is_empty(), "{unwritten:#?}");
}

#[test]
fn every_example_checks_clean() {
    let (pages, _) = pages();
    let mut wrong = String::new();
    for page in &pages {
        for example in &page.examples {
            let report = check(&page.path, example, Some("shop"), world());
            if !report.diagnostics.is_empty() {
                wrong.push_str(&shown(&page.path, example, &report));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A page's clauses: the lines of its statement, each by its first words, and its rules, each by its name.
fn clauses(page: &Page) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut in_rules = false;
    for line in page.grammar.lines() {
        let rule = line.strip_prefix('<').and_then(|line| line.split_once(">:"));
        in_rules |= rule.is_some();
        let clause = match rule {
            Some((name, _)) => format!("<{name}>"),
            None if in_rules => continue,
            None => first_words(line),
        };
        clauses.push(format!("clause {} / {clause}", page.title));
    }
    clauses.sort();
    clauses.dedup();
    clauses
}

/// The keywords a line begins with, or its place.
fn first_words(line: &str) -> String {
    let line = line.trim_start();
    if line.starts_with("'(") {
        return "'('".to_owned();
    }
    let line = line.trim_start_matches([' ', '[', '|', '(']);
    if line.starts_with('<') {
        return line.split_inclusive('>').next().unwrap().to_owned();
    }
    let words = line.split([' ', ']', ')', '(']).take_while(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|letter| letter.is_ascii_uppercase() || letter == '_')
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Clauses of words alone: what is not in the grammar is refused by it, and there is nothing to judge.
const WORDS_ALONE: [&str; 4] = [
    "clause CORDON, UNCORDON, DRAIN and DROP NODE / CORDON",
    "clause CREATE EMITTER / ON GENERAL ERROR",
    "clause CREATE INGESTOR / ON GENERAL ERROR",
    "clause CREATE WIRE SCHEMA / MODE",
];

#[test]
fn every_clause_has_a_case_on_either_side() {
    let (pages, _) = pages();
    let known: BTreeSet<String> = pages.iter().flat_map(clauses).collect();
    let (accepted, refused) = (covered("ok"), covered("err"));
    let marks = accepted.all.iter().chain(&refused.all);
    let unknown: Vec<&String> = marks
        .filter(|mark| mark.starts_with("clause") && !known.contains(*mark))
        .collect();
    assert!(unknown.is_empty(), "of no page: {unknown:#?}");
    let accepted: Vec<&String> = known.difference(&accepted.all).collect();
    assert!(accepted.is_empty(), "without an accepted case: {accepted:#?}");
    let all: Vec<&String> = known.difference(&refused.all).collect();
    assert!(all.is_empty(), "without a refused case: {all:#?}");
    let judged: Vec<&String> = known.difference(&refused.judged).collect();
    assert_eq!(
        judged, WORDS_ALONE,
        "without a case that the checker refuses, and those that can have none"
    );
}

#[test]
fn the_index_lists_every_page() {
    let (pages, _) = pages();
    let mut golden = Golden::default();
    let mut text = String::from(
        "# NSPL\n\n- [Diagnostics](diagnostics/README.md): a page for every code.\n- [Expressions](functions/README.md): functions, casts, JSON and operators.\n- Statements: a page for each. Their grammar is \
         written so: WORDS stand for themselves in any case, `<place>` for what its rule on this or another page says or for \
         something of that name, `[a]` for a or nothing, `(a | b)` for one of them, `a, ...` for one or more with commas between, \
         `a ...` for one or more. Parentheses of the language are quoted: `'('`. Each statement ends with `;`.\n\n\
         | statement | what it does |\n|---|---|\n",
    );
    for page in &pages {
        let file = page.path.trim_start_matches("docs/reference/");
        let page_text = read(&page.path);
        let first = page_text
            .lines()
            .skip(1)
            .find(|line| !line.trim().is_empty())
            .unwrap();
        let sentence = first.split_inclusive(". ").next().unwrap().trim();
        assert!(
            !sentence.contains("]("),
            "{}: a link of the first sentence leads nowhere from the index",
            page.path
        );
        text.push_str(&format!("| [{}]({file}) | {sentence} |\n", page.title));
    }
    golden.file("docs/reference/README.md", &text);
    for page in &pages {
        golden.kept(&page.path);
    }
    golden.finish(FOLDER, "md");
}
