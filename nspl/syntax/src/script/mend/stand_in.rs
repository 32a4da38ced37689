//! What may stand in for what a broken statement lacks: the shortest text that fits a label of the grammar.

use crate::data_type::DATA_TYPE;
use crate::grammar::{END, EXPRESSION, HIDDEN, OPERATOR, Tokens};
use crate::lexer::lex;
use crate::quantity::{DURATION, SIZE, WHOLE};
use crate::span::Span;
use crate::token::Token;

/// The texts that fit where the grammar would have taken this: of a phrase, all of it and its first word. None fit for the
/// end and for what is never offered.
pub(super) fn texts(label: &'static str) -> impl Iterator<Item = &'static str> {
    let text = text(label);
    let other = match label {
        // What would have been an operand may have been a function.
        OPERATOR => Some("("),
        _ => text.and_then(|text| text.split_once(' ')).map(|(first, _)| first),
    };
    text.into_iter().chain(other)
}

fn text(label: &'static str) -> Option<&'static str> {
    Some(match label {
        HIDDEN | END => return None,
        EXPRESSION => "NULL",
        OPERATOR => "+",
        DATA_TYPE => "STRING",
        WHOLE | "a number" => "1",
        DURATION => "1s",
        SIZE => "1MiB",
        "a string, a number, TRUE or FALSE" => "''",
        "a function call" => "_()",
        "an expression with AS and a type" => "NULL AS STRING",
        label if label.starts_with("a quoted ") => "''",
        label if label.starts_with("a ") || label.starts_with("an ") => "_",
        word => word,
    })
}

/// The tokens of a text that nobody wrote, all in the same empty place.
pub(super) fn tokens(text: &'static str, place: usize) -> Vec<Token<'static>> {
    let tokens = lex(text).tokens.into_iter();
    let stand_in = |token: Token<'static>| Token {
        span: Span::new(place, place),
        stand_in: Some(token.text),
        ..token
    };
    tokens.map(stand_in).collect()
}

/// The brackets that are open behind some tokens, the innermost last.
pub(super) fn open<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<&'a Token<'t>> {
    let mut open = Vec::new();
    for token in tokens {
        match token.text {
            "(" | "[" | "{" => open.push(token),
            ")" | "]" | "}" => _ = open.pop(),
            _ => {}
        }
    }
    open
}

/// What closes them.
pub(super) fn closers(tokens: Tokens<'_>, place: usize) -> Vec<Token<'static>> {
    let closer = |token: &Token<'_>| match token.text {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    open(tokens)
        .into_iter()
        .rev()
        .flat_map(|token| self::tokens(closer(token), place))
        .collect()
}
