//! Diagnostics for programs: one JSON object a line.

use std::ops::Range;

use nspl_check::Diagnostic;
use serde::Serialize;

use crate::Listing;

/// One diagnostic as one line of JSON, without the line's end: file, severity, code, message, line, column, end_line,
/// end_column, labels, help. Lines and columns count from 1, columns in characters; an end is the place after the last
/// character. For several diagnostics of one text, make a [`Listing`] once.
pub fn json_line(diagnostic: &Diagnostic, file: &str, source: &str) -> String {
    Listing::new(file, source).json_line(diagnostic)
}

impl Listing<'_> {
    /// One diagnostic as one line of JSON, as [`json_line`] gives it.
    pub fn json_line(&self, diagnostic: &Diagnostic) -> String {
        let line = Line {
            file: self.file,
            severity: diagnostic.severity.as_str(),
            code: diagnostic.code,
            message: &diagnostic.message,
            place: Place::of(self, &diagnostic.span),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| LabelLine {
                    message: &label.message,
                    place: Place::of(self, &label.span),
                })
                .collect(),
            help: diagnostic.help.as_deref(),
        };
        // Strings and numbers always have a JSON form.
        serde_json::to_string(&line).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    severity: &'a str,
    code: &'a str,
    message: &'a str,
    #[serde(flatten)]
    place: Place,
    labels: Vec<LabelLine<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct LabelLine<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl Place {
    fn of(listing: &Listing<'_>, span: &Range<usize>) -> Place {
        let (line, column) = listing.place(span.start);
        let (end_line, end_column) = listing.place(span.end);
        Place {
            line,
            column,
            end_line,
            end_column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::json_line;
    use nspl_check::Diagnostic;

    #[test]
    fn places_count_from_one_in_characters() {
        let text = "-- ä\nSET ü = x;";
        let at = text.find('x').unwrap();
        let found = Diagnostic::error("E1001", at..at + 1, "no \"x\"")
            .label(0..2, "here")
            .help("y");
        let line: serde_json::Value = serde_json::from_str(&json_line(&found, "f.nspl", text)).unwrap();
        assert_eq!(
            line,
            serde_json::json!({"file": "f.nspl", "severity": "error", "code": "E1001", "message": "no \"x\"",
                "line": 2, "column": 9, "end_line": 2, "end_column": 10,
                "labels": [{"message": "here", "line": 1, "column": 1, "end_line": 1, "end_column": 3}], "help": "y"})
        );
    }
}
