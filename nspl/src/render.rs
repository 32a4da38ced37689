//! Diagnostics for people: the text with the places marked.

use std::cmp::Reverse;
use std::ops::Range;

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind};
use nspl_check::{Diagnostic, Severity};
use nspl_syntax::limits::SCRIPT_BYTES_MAX;

use crate::Listing;

#[cfg(test)]
mod growth;
mod narrow;

use narrow::narrow;

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

/// Diagnostics on lines longer than this many bytes are shown with a piece of the line alone.
const LINE_BYTES_MAX: usize = 240;

/// Diagnostics whose places are more lines apart than this are shown with their main place alone.
const LINES_MAX: usize = 1_000;

/// One diagnostic as text of several lines. `file` is the name to show, `source` the text it is about. For several
/// diagnostics of one text, make a [`Listing`] once.
pub fn render(diagnostic: &Diagnostic, file: &str, source: &str, colour: Colour) -> String {
    Listing::new(file, source).render(diagnostic, colour)
}

impl Listing<'_> {
    /// One diagnostic as text of several lines. Its size and cost do not grow with the text or the lines around it.
    pub fn render(&self, diagnostic: &Diagnostic, colour: Colour) -> String {
        if self.fits(diagnostic) {
            drawn(self, diagnostic, colour).unwrap_or_else(|| narrow(self, diagnostic, colour))
        } else {
            narrow(self, diagnostic, colour)
        }
    }

    /// Whether all that it points to may be drawn as it stands.
    fn fits(&self, diagnostic: &Diagnostic) -> bool {
        if self.source.len() > SCRIPT_BYTES_MAX {
            return false;
        }
        let labels = diagnostic.labels.iter().map(|label| &label.span);
        let spans = || std::iter::once(&diagnostic.span).chain(labels.clone());
        let lines = |span: &Range<usize>| (self.line_of(span.start), self.line_of(span.end.max(span.start)));
        let first = spans().map(|span| lines(span).0).min().unwrap_or(0);
        let last = spans().map(|span| lines(span).1).max().unwrap_or(0);
        last - first <= LINES_MAX
            && spans().all(|span| {
                let (first, last) = lines(span);
                (first..=last).all(|line| self.line(line).len() <= LINE_BYTES_MAX)
            })
    }
}

fn drawn(listing: &Listing<'_>, diagnostic: &Diagnostic, colour: Colour) -> Option<String> {
    let (kind, paint) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let config = Config::default()
        .with_color(colour == Colour::Always)
        .with_char_set(CharSet::Unicode)
        .with_index_type(IndexType::Byte);
    let place = |span: &Range<usize>| (listing.file, span.clone());
    let mut report = Report::build(kind, place(&diagnostic.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    let labels = diagnostic.labels.iter();
    let labels = labels.map(|label| (&label.span, label.message.as_str(), Color::Blue));
    let mut labels: Vec<_> = std::iter::once((&diagnostic.span, MARK, paint))
        .chain(labels)
        .collect();
    // Lines in order make one excerpt of them all; in a line the last is drawn first, so that no two cross.
    labels.sort_by_key(|(span, ..)| {
        let last = span.end.saturating_sub(1).max(span.start);
        (listing.line_of(last), Reverse(span.start))
    });
    for (order, (span, message, paint)) in (0..).zip(labels) {
        let label = Label::new(place(span)).with_message(message).with_color(paint);
        report = report.with_label(label.with_order(order));
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let mut text = Vec::new();
    // Writing into memory does not fail.
    report
        .finish()
        .write((listing.file, listing.drawn()), &mut text)
        .ok()?;
    let text = String::from_utf8_lossy(&text);
    Some(
        text.lines()
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect(),
    )
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
