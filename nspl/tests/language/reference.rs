//! docs/reference: a page per code, written from the rules and the corpus.

use nspl::{Catalog, EXAMPLE_CATALOG, RULES, Report, Rule, SYNTAX_CODES, Settings, check, check_with};

use crate::case::{CORPUS, Case, shown};
use crate::golden::{Golden, files, read};

const FOLDER: &str = "docs/reference/diagnostics";

/// A page about one code.
struct Page {
    code: &'static str,
    title: String,
    refused: Example,
    accepted: Example,
    /// The page with the script in whose catalog both stand.
    catalog: &'static str,
}

/// A script and what is said about it.
struct Example {
    text: String,
    said: String,
}

/// Codes without an example of their own stand in the corpus under their names.
fn from_corpus(code: &'static str, title: &str) -> Page {
    let example = |side: &str| {
        let case = Case::read(&format!("{CORPUS}/{side}/codes/{code}.nspl"));
        let report = case.report();
        let has = report.diagnostics.iter().any(|found| found.code == code);
        assert_eq!(has, side == "err", "{}", case.path);
        Example {
            said: shown("example.nspl", &case.text, &report),
            // As written: a text that is repeated is shown once.
            text: read(&case.path),
        }
    };
    Page {
        code,
        title: title.to_owned(),
        refused: example("err"),
        accepted: example("ok"),
        catalog: "corpus.md",
    }
}

fn from_rule(rule: &Rule, catalog: &Catalog) -> Page {
    let example = |written: &str| {
        let text = wrapped(written);
        let report: Report = check_with("example.nspl", &text, &Settings::in_domain(Some("d")), catalog);
        Example {
            said: shown("example.nspl", &text, &report),
            text,
        }
    };
    Page {
        code: rule.code,
        title: rule.title.to_owned(),
        refused: example(rule.fails),
        accepted: example(rule.passes),
        catalog: "examples.md",
    }
}

/// A script of one line, laid out for a narrow page; the words stay the same.
fn wrapped(text: &str) -> String {
    let clauses = [
        " USING MATERIALIZED",
        " TO ",
        " VALUES ",
        " MODE ",
        " ENCODE ",
        " INHERIT ",
        " BATCH MAX ",
        " FLUSH ",
        " UNBRANCHED FLUSH ",
        " BRANCHED BY ",
        " ON MESSAGE ",
        " ON GENERAL ",
        " CONFIG ",
        " DECODE ",
    ];
    let mut lines = Vec::new();
    for statement in text.split_inclusive(';') {
        let statement = statement.trim();
        let breaks = if statement.len() > 90 { &clauses[..] } else { &[] };
        let broken = breaks.iter().fold(statement.to_owned(), |text, clause| {
            text.replacen(clause, &format!("\n  {}", clause.trim_start()), 1)
        });
        lines.push(broken);
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n") + "\n"
}

fn pages() -> Vec<Page> {
    let catalog = check("examples.nspl", EXAMPLE_CATALOG, None, &Catalog::default())
        .plan
        .catalog;
    let syntax = SYNTAX_CODES.iter().map(|(code, title)| from_corpus(code, title));
    let rules = RULES.iter().map(|rule| match rule.fails {
        "" => from_corpus(rule.code, rule.title),
        _ => from_rule(rule, &catalog),
    });
    syntax.chain(rules).collect()
}

impl Page {
    fn text(&self) -> String {
        let Page {
            code,
            title,
            refused,
            accepted,
            catalog,
        } = self;
        let family = family(code);
        let title = capitalised(title);
        let what = match code.starts_with('W') {
            true => "Said about",
            false => "Refused",
        };
        let mut text = format!("# {code}: {title}\n\n{family} [All codes](README.md).\n\n## {what}\n\n");
        text.push_str(&format!(
            "```sql\n{}```\n\n```text\n{}```\n\n",
            refused.text, refused.said
        ));
        text.push_str(&format!("## Accepted\n\n```sql\n{}```\n", accepted.text));
        if !accepted.said.trim().is_empty() {
            text.push_str(&format!("\n```text\n{}```\n", accepted.said));
        }
        text.push_str(&format!("\nBoth stand in [this catalog]({catalog}).\n"));
        if refused.text.contains("--! ") {
            text.push_str("Lines that begin with `--!` are comments that say in which surroundings the example is judged.\n");
        }
        text
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str()
}

/// What the codes that begin alike are about.
fn family(code: &str) -> &'static str {
    match code.get(..3).unwrap_or_default() {
        "E01" => "The text falls into no tokens, or is past a [bound](../../limits.md).",
        "E02" => "The tokens form no statement.",
        "E10" => "What a statement names is there, or is not.",
        "E11" => "Statements, transactions and domains.",
        "E12" => "The clauses of a definition fit one another and the graph.",
        "E13" => "Types and scopes of expressions.",
        "E15" => "Wire schemas and codecs.",
        "E14" => "The CONFIG of a CLIENT.",
        "W10" => "A warning: the script is accepted.",
        other => panic!("{other} begins a family of codes: say here what they are about"),
    }
}

fn index(pages: &[Page]) -> String {
    let mut text = String::from(
        "# Diagnostics\n\nEvery code that `nervix check` and `nervix apply` may show, with an example that is refused, what is said \
         about it, and the example corrected.\n\nAll faults of a script are told at once, by their places. In a \
         statement that does not fit the grammar reading goes on behind each fault, at the next word, comma, bracket or clause \
         that fits, and what could be read is judged: a fault of its meaning is told where it stands apart from what is \
         broken and does not depend on it. Nothing is said about what refers to such a statement.\n",
    );
    let mut last = "";
    for page in pages {
        let family = family(page.code);
        if family != last {
            text.push_str(&format!("\n## {family}\n\n| code | rule |\n|---|---|\n"));
            last = family;
        }
        text.push_str(&format!(
            "| [{0}]({0}.md) | {1} |\n",
            page.code,
            capitalised(&page.title)
        ));
    }
    text.push_str("\n## Said by a server that carries out a change\n\n| code | meaning |\n|---|---|\n");
    for path in runtime_pages() {
        let page = read(&path);
        let (code, title) = page
            .trim_start_matches("# ")
            .lines()
            .next()
            .unwrap()
            .split_once(": ")
            .unwrap();
        text.push_str(&format!("| [{code}]({code}.md) | {title} |\n"));
    }
    text
}

/// The pages of the codes of the control plane, which are written by hand and compared with its codes there.
fn runtime_pages() -> Vec<String> {
    let mut pages = files(FOLDER, "md");
    pages.retain(|path| path.contains("/E3"));
    pages
}

fn catalog_page(title: &str, text: &str) -> String {
    format!("# {title}\n\n```sql\n{}\n```\n", text.trim())
}

#[test]
fn every_code_has_its_page() {
    let pages = pages();
    let mut golden = Golden::default();
    for page in &pages {
        golden.file(&format!("{FOLDER}/{}.md", page.code), &page.text());
    }
    golden.file(&format!("{FOLDER}/README.md"), &index(&pages));
    let examples = catalog_page(
        "The catalog of the examples, and their domain `d`",
        EXAMPLE_CATALOG,
    );
    golden.file(&format!("{FOLDER}/examples.md"), &examples);
    let world = read(&format!("{CORPUS}/world.nspl"));
    golden.file(
        &format!("{FOLDER}/corpus.md"),
        &catalog_page("The catalog of the corpus, and its domain `shop`", &world),
    );
    runtime_pages().iter().for_each(|path| golden.kept(path));
    golden.finish(FOLDER, "md");
}
