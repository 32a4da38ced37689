//! Diagnostics for people: the text with the places marked.

use std::ops::Range;

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};
use nspl_check::{Diagnostic, Severity};

/// What stands at the main place: the sentence itself is above it.
const MARK: &str = "here";

/// Whether to mark by colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI sequences.
    Always,
}

/// One diagnostic as text of several lines. `file` is the name to show, `source` the text it is about.
pub fn render(diagnostic: &Diagnostic, file: &str, source: &str, colour: Colour) -> String {
    let (kind, paint) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let config = Config::default()
        .with_color(colour == Colour::Always)
        .with_char_set(CharSet::Unicode)
        .with_index_type(IndexType::Byte);
    let place = |span: &Range<usize>| (file, span.clone());
    let mut report = Report::build(kind, place(&diagnostic.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_label(
            Label::new(place(&diagnostic.span))
                .with_message(MARK)
                .with_color(paint),
        );
    for label in &diagnostic.labels {
        report = report.with_label(
            Label::new(place(&label.span))
                .with_message(&label.message)
                .with_color(Color::Blue)
                .with_order(1),
        );
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let mut text = Vec::new();
    match report.finish().write((file, Source::from(source)), &mut text) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        // Writing into memory does not fail; the bare facts stand in for the impossible.
        Err(_) => format!(
            "{} {}: {}\n",
            diagnostic.severity.as_str(),
            diagnostic.code,
            diagnostic.message
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Colour, render};
    use nspl_check::Diagnostic;

    #[test]
    fn a_diagnostic_shows_file_line_code_label_and_help() {
        let text = "CREATE RELAY r\n  SCHEMA ä nope;\n";
        let at = text.find("nope").unwrap();
        let found = Diagnostic::error("E1001", at..at + 4, "there is no SCHEMA nope")
            .label(13..14, "this RELAY needs it")
            .help("CREATE SCHEMA nope (...)");
        let shown = render(&found, "a.nspl", text, Colour::Never);
        for part in [
            "E1001",
            "there is no SCHEMA nope",
            "a.nspl:2:12",
            "this RELAY needs it",
            "CREATE SCHEMA nope (...)",
        ] {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
        assert!(!shown.contains('\u{1b}'));
        assert!(render(&found, "a.nspl", text, Colour::Always).contains('\u{1b}'));
    }
}
