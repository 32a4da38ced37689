//! The examples and the table of casts in docs/reference/functions, which the engine writes, are what the checker thinks too.

use nspl::check;

use crate::case::{shown, world};
use crate::golden::{files, read};

const FOLDER: &str = "docs/reference/functions";

/// The code of an expression that always fails.
const ALWAYS_FAILS: &str = "E1313";

/// The code of a constant pattern that is none, also where a null beside it would make the result null.
const BAD_PATTERN: &str = "E1317";

/// The diagnostics of a condition: their codes, and how they are shown.
fn judged(condition: &str) -> (Vec<&'static str>, String) {
    let text = format!(
        "CREATE INGESTOR judged FROM CLIENT SCHEMA order_event FILTER WHERE {condition} MODE ACK \
         TO orders INHERIT ALL UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
    );
    let report = check("example.nspl", &text, Some("shop"), world());
    let codes = report.diagnostics.iter().map(|found| found.code).collect();
    (codes, shown("example.nspl", &text, &report))
}

/// The calls of a page and what they give.
fn examples(page: &str) -> Vec<(String, String)> {
    let text = read(page);
    let blocks = text.split("```sql\n").skip(1);
    let mut examples = Vec::new();
    for block in blocks {
        let mut call = String::new();
        for line in block.split("```").next().unwrap().lines() {
            match line.split_once(" -- ") {
                // A text may hold a line break.
                None => call.push_str(&format!("{line}\n")),
                Some((end, result)) => {
                    call.push_str(end);
                    examples.push((call.trim().to_owned(), result.to_owned()));
                    call.clear();
                }
            }
        }
    }
    examples
}

#[test]
fn the_checker_takes_every_example_and_refuses_only_what_fails() {
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for page in files(FOLDER, "md") {
        for (call, result) in examples(&page) {
            looked_at += 1;
            let (codes, said) = judged(&format!("is_null({call})"));
            let fails = result.starts_with("error: ");
            let bad_pattern = call.starts_with("regexp_") && call.contains("'('") && codes == [BAD_PATTERN];
            let allowed = codes.is_empty() || bad_pattern || (fails && codes == [ALWAYS_FAILS]);
            if !allowed {
                wrong.push(format!("{page}: {call} gives {result}\n{said}"));
            }
            if let (false, Some(text)) = (fails, equal(&call, &result)) {
                let (codes, said) = judged(&text);
                if !codes.is_empty() {
                    wrong.push(format!("{page}: {call} is not of the type of {result}\n{said}"));
                }
            }
        }
    }
    assert!(looked_at > 150, "only {looked_at} examples");
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A comparison of a call with its result: the checker takes it when both have one type.
fn equal(call: &str, result: &str) -> Option<String> {
    (!result.starts_with("NULL")).then(|| format!("({call}) = ({result})"))
}

#[test]
fn the_checker_lets_through_the_casts_of_the_table() {
    let text = read(&format!("{FOLDER}/conversions.md"));
    let mut rows = text.lines().filter(|line| line.starts_with("| ")).map(|line| {
        line.trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect::<Vec<_>>()
    });
    let head = rows.next().unwrap();
    let mut cells = 0;
    for row in rows.take(head.len() - 1) {
        for (to, cell) in head.iter().zip(&row).skip(1) {
            cells += 1;
            let from = row[0];
            let (codes, said) = judged(&format!("is_null(TRY_CAST((NULL AS {from}) AS {to}))"));
            assert_eq!(codes.is_empty(), !cell.is_empty(), "{from} to {to}\n{said}");
        }
    }
    assert_eq!(cells, 14 * 14);
}
