//! Where the next statement begins although a `;` is missing: only SHOW holds CREATE, ALTER or DROP followed by a kind.
//! Statements of one word may also be names, so they are told from those by the statement before: it cannot be read
//! with them.

use crate::grammar::Tokens;
use crate::token::Token;

/// The words that follow CREATE, ALTER or DROP at the head of a statement and nowhere else.
const KINDS: [&str; 17] = [
    "IF", "UNPACED", "PACED", "DOMAIN", "SCHEMA", "WIRE", "CODEC", "BRANCH", "RELAY", "RESOURCE", "CLIENT",
    "INGESTOR", "ATTACHED", "DETACHED", "EMITTER", "NODE", "OR",
];

/// Those of them that say what is created, altered or dropped.
const ENTITIES: [&str; 11] = [
    "DOMAIN", "SCHEMA", "WIRE", "CODEC", "BRANCH", "RELAY", "RESOURCE", "CLIENT", "INGESTOR", "EMITTER",
    "NODE",
];

/// The statements of one word.
const LONE: [&str; 5] = ["BEGIN", "COMMIT", "REVERT", "START", "STOP"];

/// The index of the next token, not the first, that begins a line and a statement; spans count from `base` on.
pub(super) fn next_statement(text: &str, base: usize, tokens: Tokens<'_>) -> Option<usize> {
    (1..tokens.len())
        .find(|index| begins_statement(tokens, *index) && begins_line(text, base, tokens, *index))
}

/// The index from which on, not the first, all tokens are statements of one word on lines of their own.
pub(super) fn lone_words(text: &str, base: usize, tokens: Tokens<'_>) -> Option<usize> {
    let is_lone = |index: &usize| {
        tokens
            .get(*index)
            .is_some_and(|token| LONE.iter().any(|word| token.is_word(word)))
            && begins_line(text, base, tokens, *index)
    };
    (1..tokens.len()).rev().take_while(is_lone).last()
}

/// The index of the word behind which it is told what kind of statement this is: of CREATE, ALTER and DROP the kind.
pub(super) fn head(tokens: Tokens<'_>) -> Option<usize> {
    const DEFINING: [&str; 3] = ["CREATE", "ALTER", "DROP"];
    const BEFORE_KIND: [&str; 9] = [
        "OR", "REPLACE", "IF", "NOT", "EXISTS", "PACED", "UNPACED", "ATTACHED", "DETACHED",
    ];
    let is_one = |token: &Token<'_>, words: &[&str]| words.iter().any(|word| token.is_word(word));
    if !is_one(tokens.first()?, &DEFINING) {
        return Some(0);
    }
    let mut behind = tokens.iter().enumerate().skip(1);
    let (kind, token) = behind.find(|(_, token)| !is_one(token, &BEFORE_KIND))?;
    is_one(token, &ENTITIES).then_some(kind)
}

fn begins_statement(tokens: Tokens<'_>, index: usize) -> bool {
    let word = |at: usize, words: &[&str]| {
        tokens
            .get(at)
            .is_some_and(|token: &Token<'_>| words.iter().any(|word| token.is_word(word)))
    };
    let shown = index == 1 && word(0, &["SHOW"]);
    word(index, &["CREATE", "ALTER", "DROP"]) && word(index + 1, &KINDS) && !shown
}

fn begins_line(text: &str, base: usize, tokens: Tokens<'_>, index: usize) -> bool {
    let (Some(before), Some(token)) = (tokens.get(index - 1), tokens.get(index)) else {
        return false;
    };
    text.get(before.span.end - base..token.span.start - base)
        .is_some_and(|between| between.contains(['\n', '\r']))
}
