//! Diagnostics for programs: one JSON object a line.

use nspl_check::Diagnostic;
use serde::Serialize;

/// One diagnostic as one line of JSON, without the line's end: file, severity, code, message, line, column, end_line,
/// end_column, labels, help. Lines and columns count from 1, columns in characters; an end is the place after the last
/// character.
pub fn json_line(diagnostic: &Diagnostic, file: &str, source: &str) -> String {
    let lines = Lines::of(source);
    let line = Line {
        file,
        severity: diagnostic.severity.as_str(),
        code: diagnostic.code,
        message: &diagnostic.message,
        place: lines.place(&diagnostic.span),
        labels: diagnostic
            .labels
            .iter()
            .map(|label| LabelLine {
                message: &label.message,
                place: lines.place(&label.span),
            })
            .collect(),
        help: diagnostic.help.as_deref(),
    };
    // Strings and numbers always have a JSON form.
    serde_json::to_string(&line).unwrap_or_default()
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

struct Lines<'a> {
    source: &'a str,
}

impl<'a> Lines<'a> {
    fn of(source: &'a str) -> Lines<'a> {
        Lines { source }
    }

    fn place(&self, span: &std::ops::Range<usize>) -> Place {
        let (line, column) = self.position(span.start);
        let (end_line, end_column) = self.position(span.end);
        Place {
            line,
            column,
            end_line,
            end_column,
        }
    }

    fn position(&self, byte: usize) -> (usize, usize) {
        let before = self.source.get(..byte).unwrap_or(self.source);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        (line, last.chars().count() + 1)
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
