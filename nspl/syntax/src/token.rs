//! The tokens of NSPL. Keywords are ordinary words: they are not reserved outside expressions (rulings section 2).

use std::rc::Rc;

use crate::limits::{NAME_BYTES_MAX, NUMBER_BYTES_MAX, TEXT_BYTES_MAX};
use crate::span::Span;

/// One token; comments and blanks are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Its text as written.
    pub(crate) text: &'t str,
    /// Where it stands.
    pub(crate) span: Span,
    /// Its text, when nobody wrote it and it stands in for what a broken statement lacks: its place is empty then.
    pub(crate) stand_in: Option<&'static str>,
}

/// A token without its text, so that its reader need not be built for that text: what it says is asked of its
/// [`Source`]. The grammar looks at each token a hundred times, so it is as small to copy as can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldToken {
    pub(crate) kind: TokenKind,
    /// Where it stands.
    pub(crate) span: Span,
    /// Its text, when it is in no [`Source`].
    pub(crate) stand_in: Option<&'static str>,
}

/// A text whose spans count from `base` on.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    text: Rc<str>,
    base: usize,
}

impl Source {
    pub(crate) fn new(text: &str, base: usize) -> Self {
        Self {
            text: text.into(),
            base,
        }
    }

    /// A token that is cut from this text.
    pub(crate) fn token(&self, held: HeldToken) -> Token<'_> {
        let HeldToken { kind, span, stand_in } = held;
        let written = || self.text.get(span.start - self.base..span.end - self.base);
        Token {
            kind,
            text: stand_in.or_else(written).unwrap_or_default(),
            span,
            stand_in,
        }
    }

    /// Whether a token is this keyword, in any case: [`Token::is_word`], with the text looked at only where its length
    /// fits.
    pub(crate) fn is_word(&self, held: HeldToken, word: &str) -> bool {
        held.kind == TokenKind::Word
            && length(held) == word.len()
            && self.bytes(held).eq_ignore_ascii_case(word.as_bytes())
    }

    /// Whether a token is this symbol, likewise.
    pub(crate) fn is_symbol(&self, held: HeldToken, symbol: &str) -> bool {
        held.kind == TokenKind::Symbol
            && length(held) == symbol.len()
            && self.bytes(held) == symbol.as_bytes()
    }

    fn bytes(&self, held: HeldToken) -> &[u8] {
        if let Some(text) = held.stand_in {
            return text.as_bytes();
        }
        let bytes = held.span.start - self.base..held.span.end - self.base;
        self.text.as_bytes().get(bytes).unwrap_or_default()
    }
}

/// The bytes of its text.
fn length(held: HeldToken) -> usize {
    held.stand_in.map_or(held.span.len(), str::len)
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// `12`, `1.5`, `1e9`
    Number,
    /// A number with letters right behind it: `250ms`, but also `1.5MiB` or `12x`.
    Quantity {
        /// The bytes of the number.
        number: usize,
    },
    /// A string literal, quotes included.
    Text,
    /// An operator or a mark, by its text.
    Symbol,
}

impl TokenKind {
    /// The most bytes of such a token, and what it is called.
    pub(crate) fn bound(self) -> Option<(usize, &'static str)> {
        match self {
            TokenKind::Word => Some((NAME_BYTES_MAX, "an identifier")),
            TokenKind::Number | TokenKind::Quantity { .. } => Some((NUMBER_BYTES_MAX, "a number")),
            TokenKind::Text => Some((TEXT_BYTES_MAX, "a string literal")),
            TokenKind::Symbol => None,
        }
    }
}

impl Token<'_> {
    /// Without its text.
    pub(crate) fn held(&self) -> HeldToken {
        HeldToken {
            kind: self.kind,
            span: self.span,
            stand_in: self.stand_in,
        }
    }

    /// Whether it is past its bound, which is a fault of its own.
    pub(crate) fn is_oversized(&self) -> bool {
        self.kind.bound().is_some_and(|(max, _)| self.text.len() > max)
    }

    /// Whether it is this keyword, in any case.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is this symbol.
    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// The value of a string literal: without its quotes, doubled quotes undone.
    pub(crate) fn unquoted(&self) -> String {
        let Some(quote) = self.text.chars().next() else {
            return String::new();
        };
        let inside = self
            .text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote))
            .unwrap_or(self.text);
        let mut doubled = String::from(quote);
        doubled.push(quote);
        inside.replace(&doubled, self.text.get(..1).unwrap_or_default())
    }

    /// How a fault names it. The inside of a string literal is never shown.
    pub(crate) fn describe(&self) -> String {
        match self.kind {
            TokenKind::Text => "a string".to_owned(),
            _ => format!("`{}`", self.text),
        }
    }
}

/// Whether a text lexes as one identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
