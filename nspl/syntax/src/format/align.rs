//! Which printed token stands for a token of the source.
//!
//! Invariant: the map is monotone, and the identity when both texts have the same tokens. Where printing changed the
//! tokens (parentheses dropped, `IS NULL` turned into a call), a token maps to the next printed one that is known.

use crate::token::{Token, TokenKind};

/// How far ahead a printed token is looked for.
const WINDOW: usize = 12;

/// For each source token the index of its printed token.
pub(super) fn align(source: &[Token<'_>], printed: &[Token<'_>]) -> Vec<usize> {
    let last = printed.len().saturating_sub(1);
    let mut next = 0;
    let mut map = Vec::with_capacity(source.len());
    for (index, token) in source.iter().enumerate() {
        let follower = source.get(index + 1);
        let found = (0..WINDOW).find(|ahead| {
            let Some(candidate) = printed.get(next + ahead) else {
                return false;
            };
            // A jump is trusted only when the token behind fits as well.
            let behind = follower.is_none_or(|follower| {
                printed
                    .get(next + ahead + 1)
                    .is_some_and(|candidate| same(follower, candidate))
            });
            same(token, candidate) && (*ahead == 0 || behind)
        });
        match found {
            Some(ahead) => {
                map.push(next + ahead);
                next += ahead + 1;
            }
            None => map.push(next.min(last)),
        }
    }
    map
}

/// Whether two tokens mean the same.
fn same(left: &Token<'_>, right: &Token<'_>) -> bool {
    match (left.kind, right.kind) {
        (TokenKind::Word, TokenKind::Word) => left.text.eq_ignore_ascii_case(right.text),
        (TokenKind::Text, TokenKind::Text) => left.text == right.text || left.unquoted() == right.unquoted(),
        (TokenKind::Text, TokenKind::Word) => left.unquoted() == right.text,
        (TokenKind::Symbol, TokenKind::Symbol) => {
            left.text == right.text || (left.text, right.text) == ("<>", "!=")
        }
        _ => left.text == right.text,
    }
}
