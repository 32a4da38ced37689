//! What may be typed next: what the grammar would accept at the end of a text.
//!
//! Names and values are not proposed here: they are in no grammar, which says only what belongs there ("a relay name").
//! `nspl` joins the names of the catalog to these. Only the last statement is read, whatever precedes it.

#[cfg(test)]
mod tests;

use crate::grammar::{END, HIDDEN};
use crate::lexer::{Lexed, lex};
use crate::limits::SCRIPT_BYTES_MAX;
use crate::script::{last_statement, shape_is_bounded};
use crate::span::Span;
use crate::statement;
use crate::token::{Source, Token, TokenKind};

/// What would be accepted at the end of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The keywords, phrases and symbols that fit and begin with what is typed of a word, in the order of the grammar.
    pub words: Vec<&'static str>,
    /// What else fits, described: "a relay name", "an expression".
    pub places: Vec<&'static str>,
    /// What is being typed.
    pub typed: Typed,
    /// The bytes of what is being typed, which a choice replaces; empty behind a blank.
    pub span: Span,
    /// Where the statement begins that is being typed.
    pub statement: usize,
}

/// What stands directly before the end of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Typed {
    /// A blank or a mark: something new begins.
    #[default]
    Nothing,
    /// A part of a word.
    Word,
    /// A number, perhaps with a part of its unit.
    Number,
    /// A string that is not closed, from its quote on.
    Text,
    /// A comment: nothing fits.
    Comment,
}

/// What would be accepted at the end of `text`, the part of a script before the cursor. The time is linear in the
/// length of `text`, and little but for its last statement.
#[must_use]
pub fn propose(text: &str) -> Proposal {
    let end = Span::new(text.len(), text.len());
    let mut proposal = Proposal {
        span: end,
        statement: text.len(),
        ..Proposal::default()
    };
    if text.len() > SCRIPT_BYTES_MAX {
        return proposal;
    }
    let lexed = lex(text);
    let mut tokens = last_statement(text, &lexed.tokens).to_vec();
    (proposal.typed, proposal.span) = typed(text, &lexed, &tokens);
    if matches!(proposal.typed, Typed::Word | Typed::Number) {
        tokens.pop();
    }
    proposal.statement = tokens
        .first()
        .map_or(proposal.span.start, |first| first.span.start);
    if proposal.typed == Typed::Comment || !shape_is_bounded(&tokens) {
        return proposal;
    }
    let typed = text.get(proposal.span.range()).unwrap_or_default();
    for label in labels(tokens, text) {
        let described = label.starts_with("a ") || label.starts_with("an ");
        let head = label.get(..typed.len());
        let fits = head.is_some_and(|head| head.eq_ignore_ascii_case(typed));
        let list = match described {
            true => &mut proposal.places,
            false => &mut proposal.words,
        };
        if (described || fits) && !list.contains(&label) && (label != END || typed.is_empty()) {
            list.push(label);
        }
    }
    proposal
}

/// What is being typed at the end of a text, and its bytes.
fn typed(text: &str, lexed: &Lexed<'_>, tokens: &[Token<'_>]) -> (Typed, Span) {
    let end = text.len();
    if let Some(open) = lexed.open_texts(text).last().filter(|open| open.end == end) {
        return (Typed::Text, open);
    }
    // A line comment goes on behind its trimmed text until the line ends.
    let comment = lexed.comments.last().filter(|comment| comment.span.end == end);
    if comment
        .is_some_and(|comment| !comment.block || !comment.text.ends_with("*/") || comment.text.len() < 4)
    {
        return (Typed::Comment, Span::new(end, end));
    }
    match tokens.last().filter(|last| last.span.end == end) {
        Some(last) if last.kind == TokenKind::Word => (Typed::Word, last.span),
        Some(last) if matches!(last.kind, TokenKind::Number | TokenKind::Quantity { .. }) => {
            (Typed::Number, last.span)
        }
        _ => (Typed::Nothing, Span::new(end, end)),
    }
}

/// What the grammar would take behind the tokens of a text; nothing where they are wrong already.
fn labels(mut tokens: Vec<Token<'_>>, text: &str) -> Vec<&'static str> {
    // A token that fits nowhere makes the grammar tell what would have fitted in its place.
    tokens.push(Token {
        kind: TokenKind::Symbol,
        text: "",
        span: Span::new(text.len(), text.len()),
        stand_in: None,
    });
    let failures = statement::read(&tokens, &Source::new(text, 0)).err();
    let behind = failures.into_iter().flatten();
    let behind = behind.filter(|failure| failure.index(&tokens) + 1 == tokens.len());
    let labels = behind.flat_map(|failure| failure.expected.iter().collect::<Vec<_>>());
    labels.filter(|label| *label != HIDDEN).collect()
}
