//! A diagnostic with a piece of its line: for lines too long to be quoted, and for places too far apart.

use nspl_check::{Diagnostic, Severity};
use nspl_syntax::limits::SCRIPT_BYTES_MAX;

use super::{Colour, MARK};
use crate::Listing;

/// Characters of a line that are quoted.
const WINDOW: usize = 200;

/// How many of them stand before the place.
const BEFORE: usize = 60;

/// Further places that are listed.
const LABELS_MAX: usize = 8;

/// Shows the main place with at most [`WINDOW`] characters of its line, and lists the others. Of a script past its
/// bound nothing is quoted.
pub(super) fn narrow(listing: &Listing<'_>, diagnostic: &Diagnostic, colour: Colour) -> String {
    let (word, paint) = match diagnostic.severity {
        Severity::Error => ("Error", "\u{1b}[31m"),
        Severity::Warning => ("Warning", "\u{1b}[33m"),
    };
    let (begin, end) = match colour {
        Colour::Always => (paint, "\u{1b}[0m"),
        Colour::Never => ("", ""),
    };
    let (line, column) = listing.place(diagnostic.span.start);
    let number = line.to_string();
    let edge = " ".repeat(number.len() + 2);
    let file = listing.file;
    let mut lines = vec![
        format!("{begin}[{}] {word}:{end} {}", diagnostic.code, diagnostic.message),
        format!("{edge}╭─[ {file}:{line}:{column} ]"),
    ];
    if listing.source.len() <= SCRIPT_BYTES_MAX {
        let window = Window::around(listing, diagnostic);
        lines.push(format!("{edge}│"));
        lines.push(format!(" {number} │ {}", window.text));
        lines.push(format!(
            "{edge}│ {}{begin}{}{end} {MARK}",
            " ".repeat(window.indent),
            "─".repeat(window.marked)
        ));
    }
    for label in diagnostic.labels.iter().take(LABELS_MAX) {
        let (line, column) = listing.place(label.span.start);
        lines.push(format!("{edge}│ {file}:{line}:{column}: {}", label.message));
    }
    if let Some(more) = diagnostic
        .labels
        .len()
        .checked_sub(LABELS_MAX)
        .filter(|more| *more > 0)
    {
        lines.push(format!("{edge}│ and {more} more places"));
    }
    if let Some(help) = &diagnostic.help {
        lines.push(format!("{edge}│ Help: {help}"));
    }
    lines.push(format!("{}╯\n", "─".repeat(edge.len())));
    lines.join("\n")
}

/// A piece of a line.
struct Window {
    text: String,
    /// Characters before what is marked.
    indent: usize,
    marked: usize,
}

impl Window {
    fn around(listing: &Listing<'_>, diagnostic: &Diagnostic) -> Window {
        let source = listing.shown();
        let start = source.floor_char_boundary(diagnostic.span.start);
        let line = listing.line(listing.line_of(start));
        let start = start.clamp(line.start, line.end);
        let end = diagnostic.span.end.clamp(start, line.end);
        let head = source.get(line.start..start).unwrap_or_default();
        let tail = source.get(start..line.end).unwrap_or_default();
        let mut before: Vec<char> = head.chars().rev().take(BEFORE + 1).collect();
        let cut_before = before.len() > BEFORE;
        before.truncate(BEFORE);
        let room = WINDOW - before.len();
        let after: Vec<char> = tail.chars().take(room + 1).collect();
        let cut_after = after.len() > room;
        let marked = source
            .get(start..end)
            .unwrap_or_default()
            .chars()
            .take(room)
            .count();
        let shown = before.iter().rev().chain(after.iter().take(room));
        let shown: String = shown.map(|c| if *c == '\t' { ' ' } else { *c }).collect();
        let mark = |cut: bool| if cut { "…" } else { "" };
        Window {
            text: format!("{}{shown}{}", mark(cut_before), mark(cut_after)),
            indent: before.len() + usize::from(cut_before),
            marked: marked.max(1),
        }
    }
}
