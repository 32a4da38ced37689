//! `regexp_replace`.

use arrow::error::ArrowError;
use nspl_model::Function;
use regex::{Captures, Regex};

use super::super::call::Args;
use super::super::reference::Sample::{Fails, NullText, Text};
use super::super::reference::{Entry, example};
use super::patterns::{PatternRows, text_and_pattern};
use crate::fault::Fault;
use crate::program::built::{TEXT_BYTES_MAX, Text as Output, text_rows};
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
    text_rows(args.context, args.name, |row, out| {
        let Some((text, pattern)) = text_and_pattern(&texts, &patterns, row) else {
            return Ok(None);
        };
        let Some(other) = others.get(row) else {
            return Ok(None);
        };
        let pattern = compiled.compiled(pattern)?;
        replace_all(text, pattern, other, out).map(Some)
    })
}

/// Replaces match by match, so that no more than one replacement is ever past the bound of the result.
fn replace_all(text: &str, pattern: &Regex, other: &str, out: &mut Output<'_>) -> Result<(), Fault> {
    let references = other.bytes().filter(|byte| *byte == b'$').count();
    let mut copied = 0;
    let mut expanded = String::new();
    for found in pattern.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(text.get(copied..whole.start()).unwrap_or_default())?;
        copied = whole.end();
        if references == 0 {
            out.push_str(other)?;
            continue;
        }
        expand(&found, whole.len(), (other, references), &mut expanded)?;
        out.push_str(&expanded)?;
    }
    out.push_str(text.get(copied..).unwrap_or_default())
}

fn expand(
    found: &Captures<'_>,
    matched_bytes: usize,
    (other, references): (&str, usize),
    expanded: &mut String,
) -> Result<(), Fault> {
    // A group matches at most what the whole pattern matched.
    if references
        .saturating_mul(matched_bytes)
        .saturating_add(other.len())
        > 4 * TEXT_BYTES_MAX
    {
        return Err(Fault::TooLong);
    }
    expanded.clear();
    found.expand(other, expanded);
    Ok(())
}
