//! `regexp_replace`.

use arrow::error::ArrowError;
use nspl_model::Function;
use regex::{CaptureLocations, Regex};

use super::super::call::Args;
use super::super::reference::Sample::{Fails, NullText, Text};
use super::super::reference::{Entry, example};
use super::patterns::{PatternRows, text_and_pattern};
use super::replacement::Replacement;
use crate::fault::Fault;
use crate::program::built::{Text as Output, text_rows};
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::RegexpReplace,
    summary: "The text with everything that the pattern matches replaced; `$1`, `${name}` stand for what a group \
              matched, `$$` for a dollar.",
    examples: &[
        example(&[Text("a1b22"), Text("[0-9]+"), Text("<$0>")], Text("a<1>b<22>")),
        example(
            &[Text("k=v"), Text("(?P<k>\\w)=(\\w)"), Text("$2=${k}$$")],
            Text("v=k$"),
        ),
        example(&[Text("baac"), Text("a*"), Text("-")], Text("-b-c-")),
        example(&[Text("abc"), Text("b"), Text("$9")], Text("ac")),
        example(&[Text("a"), Text("("), Text("")], Fails(Fault::Pattern)),
        example(&[Text("a"), Text("("), NullText], NullText),
    ],
    kernel: regexp_replace,
}];

fn regexp_replace(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, patterns, others) = (args.text(0)?, args.text(1)?, args.text(2)?);
    let mut compiled = PatternRows::new(args);
    let mut known: Option<Known<'_>> = None;
    text_rows(args.context, args.name, |row, out| {
        let Some((text, pattern)) = text_and_pattern(&texts, &patterns, row) else {
            return Ok(None);
        };
        let Some(other) = others.get(row) else {
            return Ok(None);
        };
        let regex = compiled.compiled(pattern)?;
        // Almost always the same two texts in every row.
        let known = match known.take() {
            Some(same) if same.pattern == pattern && same.other == other => known.insert(same),
            _ => known.insert(Known::new(regex, pattern, other)),
        };
        known.replace_all(regex, text, out).map(Some)
    })
}

/// What is known of a pattern and a replacement before any text is looked at.
struct Known<'a> {
    pattern: &'a str,
    other: &'a str,
    replacement: Replacement<'a>,
    found: CaptureLocations,
}

impl<'a> Known<'a> {
    fn new(regex: &Regex, pattern: &'a str, other: &'a str) -> Self {
        Self {
            pattern,
            other,
            replacement: Replacement::new(other, regex),
            found: regex.capture_locations(),
        }
    }

    /// Replaces match by match, so that no more than one part is ever past the bound of the result.
    fn replace_all(&mut self, regex: &Regex, text: &str, out: &mut Output<'_>) -> Result<(), Fault> {
        let refers = self.replacement.refers();
        let (mut copied, mut at, mut last) = (0, 0, None);
        while at <= text.len() {
            let found = if refers {
                regex.captures_read_at(&mut self.found, text, at)
            } else {
                regex.find_at(text, at)
            };
            let Some(found) = found else { break };
            if found.is_empty() && last == Some(found.end()) {
                // No empty match right after a match: the search goes on behind the next character.
                at = found.end() + text.get(found.end()..).map_or(1, first_bytes);
                continue;
            }
            out.push_str(text.get(copied..found.start()).unwrap_or_default())?;
            self.replacement.append(text, &self.found, out)?;
            (copied, at, last) = (found.end(), found.end(), Some(found.end()));
        }
        out.push_str(text.get(copied..).unwrap_or_default())
    }
}

/// Bytes of the first character; behind the last one a search is over.
fn first_bytes(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}
