//! Where reading goes on after a statement that broke before its `;`.

use crate::grammar::Tokens;
use crate::token::Token;

/// The words that follow CREATE, ALTER or DROP at the head of a statement and nowhere else.
const KINDS: [&str; 17] = [
    "IF", "UNPACED", "PACED", "DOMAIN", "SCHEMA", "WIRE", "CODEC", "BRANCH", "RELAY", "RESOURCE", "CLIENT",
    "INGESTOR", "ATTACHED", "DETACHED", "EMITTER", "NODE", "OR",
];

/// The index of the next token, at `from` or behind it, that begins a line and a statement. Never 0.
pub(super) fn next_statement(text: &str, tokens: Tokens<'_>, from: usize) -> Option<usize> {
    (from.max(1)..tokens.len())
        .find(|index| begins_statement(tokens, *index) && begins_line(text, tokens, *index))
}

fn begins_statement(tokens: Tokens<'_>, index: usize) -> bool {
    let word = |at: usize, words: &[&str]| {
        tokens
            .get(at)
            .is_some_and(|token: &Token<'_>| words.iter().any(|word| token.is_word(word)))
    };
    word(index, &["CREATE", "ALTER", "DROP"]) && word(index + 1, &KINDS)
}

fn begins_line(text: &str, tokens: Tokens<'_>, index: usize) -> bool {
    let (Some(before), Some(token)) = (tokens.get(index - 1), tokens.get(index)) else {
        return false;
    };
    text.get(before.span.end..token.span.start)
        .is_some_and(|between| between.contains('\n'))
}
