//! What is shown does not grow with the text around it.

use nspl_syntax::limits::SCRIPT_BYTES_MAX;

use crate::{Catalog, Colour, Diagnostic, Listing, check, render};

/// Bytes that one diagnostic of a short message may take.
const SHOWN_MAX: usize = 2_500;

fn shown(text: &str) -> Vec<String> {
    let report = check("f.nspl", text, None, &Catalog::default());
    let listing = Listing::new("f.nspl", text);
    let found = report.diagnostics.iter();
    found.map(|found| listing.render(found, Colour::Never)).collect()
}

#[test]
fn faults_on_one_line_each_quote_a_piece_of_it() {
    for count in [100, 900] {
        let shown = shown(&"FOO;".repeat(count));
        assert_eq!(shown.len(), count);
        let longest = shown.iter().map(String::len).max();
        assert!(longest < Some(SHOWN_MAX), "{longest:?}");
    }
}

#[test]
fn a_piece_of_a_long_line_shows_line_column_mark_labels_and_help() {
    let text = format!("-- ä\nSET {} = nope;", "ä".repeat(500));
    let at = text.find("nope").unwrap();
    let found = Diagnostic::error("E1001", at..at + 4, "there is no nope")
        .label(6..9, "of this")
        .help("write another");
    let shown = render(&found, "a.nspl", &text, Colour::Never);
    for part in [
        "[E1001] Error: there is no nope",
        "a.nspl:2:508",
        "a.nspl:2:1: of this",
        "write another",
        "──── here",
        "…ä",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    assert!(shown.chars().count() < 600, "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let column = |line: &str, part: &str| line.split_once(part).map(|(before, _)| before.chars().count());
    assert_eq!(column(lines[3], "nope"), column(lines[4], "──── here"), "{shown}");
}

#[test]
fn a_script_past_its_bound_is_not_quoted() {
    let text = "FOO;".repeat(SCRIPT_BYTES_MAX / 4 + 1);
    let shown = shown(&text);
    assert_eq!(shown.len(), 1);
    assert!(
        shown[0].contains("E0105") && !shown[0].contains("FOO"),
        "{}",
        shown[0]
    );
}

#[test]
fn an_identifier_past_its_bound_is_not_shown_whole() {
    let name = "x".repeat(3 << 20);
    for text in [
        format!("CREATE RELAY r SCHEMA {name} UNBRANCHED;"),
        format!("CREATE {name};"),
        format!("{name};"),
        format!("CREATE DOMAIN {name};"),
    ] {
        let shown = shown(&text);
        assert!(
            !shown.is_empty() && shown.concat().len() < 4 * SHOWN_MAX,
            "{}",
            shown.len()
        );
    }
}

#[test]
fn places_far_apart_are_shown_without_what_is_between() {
    let text = format!("BEGIN;{}BEGIN;", "\n".repeat(100_000));
    let shown = shown(&text).concat();
    assert!(
        shown.contains("f.nspl:100001:1") && shown.len() < 2 * SHOWN_MAX,
        "{shown}"
    );
}

#[test]
fn what_is_past_the_bound_of_diagnostics_is_counted() {
    let relays: String = (0..2_000)
        .map(|number| format!("CREATE RELAY r{number} SCHEMA nowhere UNBRANCHED;\n"))
        .collect();
    let text = format!("CREATE DOMAIN d; USE d; BEGIN;\n{relays}COMMIT;");
    let report = check("f.nspl", &text, None, &Catalog::default());
    assert!(report.is_refused());
    assert_eq!(report.diagnostics.len(), 1_001);
    let last = report.diagnostics.last().unwrap();
    assert_eq!(
        (last.code, last.message.as_str()),
        ("E0107", "1000 more diagnostics are not listed")
    );
}
