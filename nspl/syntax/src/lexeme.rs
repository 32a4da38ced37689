//! What a text is made of, for those who colour it, look for its end or propose what fits: every token and comment with
//! its place.
//!
//! Invariant: lexemes are in order, do not overlap, and lie on character boundaries; what is between them is blank or
//! begins nothing. Which words are keywords is not known here.

use crate::lexer::lex;
use crate::span::Span;
use crate::token::TokenKind;

/// One token or comment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme<'t> {
    /// What it is.
    pub kind: LexemeKind,
    /// As it is written.
    pub text: &'t str,
    /// Where.
    pub span: Span,
}

/// The sorts of lexemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexemeKind {
    /// A keyword or an identifier.
    Word,
    /// Digits, with a fraction, an exponent or a unit.
    Number,
    /// A string with both of its quotes.
    Text,
    /// A string that is never closed: the rest of its line.
    OpenText,
    /// An operator or a mark.
    Symbol,
    /// A comment.
    Comment,
    /// A comment that is never closed: the rest of its line.
    OpenComment,
}

impl Lexeme<'_> {
    /// Whether it is this symbol.
    #[must_use]
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == LexemeKind::Symbol && self.text == symbol
    }

    /// Whether it is this word, in any case.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == LexemeKind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// The lexemes of a text, in order. The time is linear in its length.
#[must_use]
pub fn lexemes(text: &str) -> Vec<Lexeme<'_>> {
    let lexed = lex(text);
    let at = |kind, span: Span| Lexeme {
        kind,
        text: text.get(span.range()).unwrap_or_default(),
        span,
    };
    let tokens = lexed.tokens.iter().map(|token| {
        let kind = match token.kind {
            TokenKind::Word => LexemeKind::Word,
            TokenKind::Number | TokenKind::Quantity { .. } => LexemeKind::Number,
            TokenKind::Text => LexemeKind::Text,
            TokenKind::Symbol => LexemeKind::Symbol,
        };
        at(kind, token.span)
    });
    let comments = lexed.comments.iter().map(|comment| {
        let written = text.get(comment.span.range()).unwrap_or_default();
        let closed = !comment.block || (written.len() >= 4 && written.ends_with("*/"));
        let kind = match closed {
            true => LexemeKind::Comment,
            false => LexemeKind::OpenComment,
        };
        at(kind, comment.span)
    });
    let open = lexed.open_texts(text).map(|span| at(LexemeKind::OpenText, span));
    let mut found: Vec<Lexeme<'_>> = tokens.chain(comments).chain(open).collect();
    found.sort_by_key(|lexeme| lexeme.span.start);
    found
}

#[cfg(test)]
mod tests {
    use super::{LexemeKind, lexemes};

    #[test]
    fn everything_written_is_a_lexeme_in_its_place() {
        let text = "USE d; -- why\n/* x */ 'a;''b' 250ms € /* open";
        let found: Vec<_> = lexemes(text)
            .iter()
            .map(|found| (found.kind, found.text))
            .collect();
        assert_eq!(
            found,
            [
                (LexemeKind::Word, "USE"),
                (LexemeKind::Word, "d"),
                (LexemeKind::Symbol, ";"),
                (LexemeKind::Comment, "-- why"),
                (LexemeKind::Comment, "/* x */"),
                (LexemeKind::Text, "'a;''b'"),
                (LexemeKind::Number, "250ms"),
                (LexemeKind::OpenComment, "/* open"),
            ]
        );
        let open = lexemes("USE \"a;");
        assert_eq!(
            open.last().map(|last| (last.kind, last.text)),
            Some((LexemeKind::OpenText, "\"a;"))
        );
    }
}
