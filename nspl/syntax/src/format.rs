//! `nervix fmt`: a script in canonical form with its comments kept.
//!
//! Each statement is printed by the canonical printer, and its comments are put back beside the tokens they stood at:
//! one that had a line of its own goes on a line of its own before the line of the token behind it, one behind a token
//! goes to the end of that token's line. At most one blank line is kept between statements. Invariant: formatting twice
//! is formatting once, and no comment is lost.

mod align;
mod lines;
#[cfg(test)]
mod tests;

use crate::comment::Comment;
use crate::fault::Fault;
use crate::lexer::lex;
use crate::printer::print;
use crate::script::{Parsed, parse};
use crate::span::{Span, Spanned};
use crate::statement::Statement;
use crate::token::Token;

/// Formats a script: canonical statements, comments kept, idempotent.
///
/// # Errors
/// The faults of a script that does not parse; it is left alone.
pub fn format(text: &str) -> Result<String, Vec<Fault>> {
    let Parsed {
        statements,
        faults,
        comments,
        ..
    } = parse(text);
    if !faults.is_empty() {
        return Err(faults);
    }
    let tokens = lex(text).tokens;
    let mut layout = Layout {
        text,
        tokens: &tokens,
        out: String::new(),
        written: 0,
    };
    let mut comments = comments.as_slice();
    for statement in &statements {
        let before = comments.partition_point(|comment| comment.span.start < statement.span.start);
        let (between, rest) = comments.split_at(before);
        between
            .iter()
            .for_each(|comment| layout.item(comment.span, &comment.text));
        comments = layout.statement(statement, rest);
    }
    comments
        .iter()
        .for_each(|comment| layout.item(comment.span, &comment.text));
    Ok(layout.out)
}

/// The formatted script under construction.
struct Layout<'a, 't> {
    text: &'t str,
    tokens: &'a [Token<'t>],
    out: String,
    /// Up to where the source is written.
    written: usize,
}

impl<'t> Layout<'_, 't> {
    /// Writes a statement or a comment on lines of its own, behind a blank line where the source has one.
    fn item(&mut self, source: Span, content: &str) {
        let gap = self.text.get(self.written..source.start).unwrap_or_default();
        let count = |end: char| gap.matches(end).count();
        if !self.out.is_empty() && count('\n').max(count('\r')) > 1 {
            self.out.push('\n');
        }
        self.out.push_str(content);
        self.out.push('\n');
        self.written = source.end;
    }

    /// Writes a statement with the comments up to its `;` and on the line of that; returns the rest.
    fn statement<'c>(&mut self, statement: &Spanned<Statement>, comments: &'c [Comment]) -> &'c [Comment] {
        let first = self
            .tokens
            .partition_point(|token| token.span.start < statement.span.start);
        let behind = self
            .tokens
            .partition_point(|token| token.span.start < statement.span.end);
        let semicolon = self.tokens.get(behind).map(|token| token.span);
        let end = semicolon.unwrap_or_else(|| Span::new(self.text.len(), self.text.len()));
        let inside = comments.partition_point(|comment| comment.span.start < end.end);
        let on_line = semicolon
            .is_some()
            .then(|| self.comments_on_line(end.end, comments.get(inside..).unwrap_or_default()));
        let (own, rest) = comments
            .split_at_checked(inside + on_line.unwrap_or(0))
            .unwrap_or((comments, &[]));
        let source = self
            .tokens
            .get(first..(behind + 1).min(self.tokens.len()))
            .unwrap_or_default();
        let content = lines::with_comments(self.text, source, &print(&statement.node), own);
        let last = own
            .last()
            .map_or(end.end, |comment| comment.span.end.max(end.end));
        self.item(Span::new(statement.span.start, last), &content);
        rest
    }

    /// How many of the comments follow `from` on the same line.
    fn comments_on_line(&self, from: usize, comments: &[Comment]) -> usize {
        let mut at = from;
        comments
            .iter()
            .take_while(|comment| {
                let gap = self.text.get(at..comment.span.start).unwrap_or_default();
                at = comment.span.end;
                gap.bytes().all(|byte| byte == b' ' || byte == b'\t')
            })
            .count()
    }
}
