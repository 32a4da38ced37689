//! What may be typed next: the words that the grammar would accept at the end of a text.
//!
//! Names and values are not proposed here: they are in no grammar. `nspl` joins the names of the catalog to these.

#[cfg(test)]
mod tests;

use chumsky::Parser;

use crate::grammar::{END, HIDDEN};
use crate::lexer::lex;
use crate::limits::SCRIPT_BYTES_MAX;
use crate::script::shape_is_bounded;
use crate::span::Span;
use crate::statement;
use crate::token::{Token, TokenKind};

/// What would be accepted at the end of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The keywords, phrases and symbols that fit and begin with what is typed of a word, in the order of the grammar.
    pub words: Vec<&'static str>,
    /// What else fits, described: "a relay name", "an expression".
    pub places: Vec<&'static str>,
    /// The bytes of the word being typed, which a chosen word replaces; empty behind a blank.
    pub typed: Span,
}

/// What would be accepted at the end of `text`, the part of a script before the cursor.
#[must_use]
pub fn complete(text: &str) -> Completion {
    let end = Span::new(text.len(), text.len());
    let mut completion = Completion {
        typed: end,
        ..Completion::default()
    };
    if text.len() > SCRIPT_BYTES_MAX {
        return completion;
    }
    let lexed = lex(text);
    let begin = lexed
        .tokens
        .iter()
        .rposition(|token| token.is_symbol(";"))
        .map_or(0, |index| index + 1);
    let mut tokens = lexed.tokens.get(begin..).unwrap_or_default().to_vec();
    let inside = lexed
        .faults
        .last()
        .is_some_and(|fault| fault.span.end == text.len())
        || lexed
            .comments
            .last()
            .is_some_and(|comment| comment.span.end == text.len());
    let typed = tokens.pop_if(|token| token.kind == TokenKind::Word && token.span.end == text.len());
    if inside || !shape_is_bounded(&tokens) {
        return completion;
    }
    completion.typed = typed.map_or(end, |token| token.span);
    // A token that fits nowhere makes the grammar tell what would have fitted in its place.
    tokens.push(Token {
        kind: TokenKind::Symbol,
        text: "",
        span: end,
    });
    let labels = statement::rule().parse(tokens.as_slice()).into_errors();
    let labels = labels
        .into_iter()
        .filter(|failure| failure.at + 1 == tokens.len())
        .flat_map(|failure| failure.expected);
    let typed = typed.map_or("", |token| token.text);
    for label in labels.filter(|label| *label != HIDDEN) {
        let described = label.starts_with("a ") || label.starts_with("an ");
        let fits = label
            .get(..typed.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(typed));
        let list = if described {
            &mut completion.places
        } else {
            &mut completion.words
        };
        if (described || fits) && !list.contains(&label) && (label != END || typed.is_empty()) {
            list.push(label);
        }
    }
    completion
}
