//! Text to tokens and comments (companion section 1).
//!
//! Invariant: every byte is looked at a bounded number of times, and the tokens, comments and blanks together cover
//! the whole text. Bad characters become a fault and no token. Which words are keywords is not known here.

mod scan;
#[cfg(test)]
mod tests;

use crate::comment::Comment;
use crate::fault::{Fault, code};
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// What a text is made of.
#[derive(Debug, Default)]
pub(crate) struct Lexed<'t> {
    /// The tokens in order.
    pub(crate) tokens: Vec<Token<'t>>,
    /// The comments in order.
    pub(crate) comments: Vec<Comment>,
    /// The lexical faults in order.
    pub(crate) faults: Vec<Fault>,
    /// Whether no block comment is closed any more, so that the end of the next is not looked for.
    comments_end: bool,
}

impl Lexed<'_> {
    /// The strings of `text` that are never closed: each reaches to the end of its line.
    pub(crate) fn open_texts(&self, text: &str) -> impl Iterator<Item = Span> {
        let open = self.faults.iter().filter(|fault| fault.code == code::OPEN_TEXT);
        open.map(|fault| {
            let start = fault.span.start;
            Span::new(start, start + scan::line(text.get(start..).unwrap_or_default()))
        })
    }

    /// With every span counted from `base` on.
    pub(crate) fn moved(mut self, base: usize) -> Self {
        let tokens = self.tokens.iter_mut().map(|token| &mut token.span);
        let comments = self.comments.iter_mut().map(|comment| &mut comment.span);
        let faults = self.faults.iter_mut().map(|fault| &mut fault.span);
        for span in tokens.chain(comments).chain(faults) {
            *span = Span::new(span.start + base, span.end + base);
        }
        self
    }
}

/// Symbols, longest first. `==`, `||` and `&&` are no operators of NSPL: the parser refuses them with a help.
const SYMBOLS: [&str; 26] = [
    "<=", ">=", "<>", "!=", "==", "||", "&&", "(", ")", "[", "]", "{", "}", ",", ";", ".", "=", "<", ">",
    "+", "-", "*", "/", "%", ":", "!",
];

/// What some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Cuts a text into tokens.
pub(crate) fn lex(text: &str) -> Lexed<'_> {
    let mut lexed = Lexed::default();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += step(rest, at, &mut lexed);
    }
    lexed
}

/// Takes one blank, comment, token or bad character from `rest` and returns its length, at least 1.
fn step<'t>(rest: &'t str, at: usize, lexed: &mut Lexed<'t>) -> usize {
    let first = rest.as_bytes().first().copied().unwrap_or_default();
    if at == 0 && rest.starts_with(BYTE_ORDER_MARK) {
        return BYTE_ORDER_MARK.len_utf8();
    }
    if first.is_ascii_whitespace() {
        return scan::while_bytes(rest, |byte| byte.is_ascii_whitespace());
    }
    if rest.starts_with("--") || rest.starts_with("/*") {
        return comment(rest, at, lexed);
    }
    if first == b'_' || first.is_ascii_alphabetic() {
        let length = scan::word(rest);
        return push(rest, at, (TokenKind::Word, length), lexed);
    }
    if first.is_ascii_digit() {
        let number = scan::number(rest);
        let length = number + rest.get(number..).map_or(0, scan::word);
        let kind = if length == number {
            TokenKind::Number
        } else {
            TokenKind::Quantity { number }
        };
        return push(rest, at, (kind, length), lexed);
    }
    if first == b'\'' || first == b'"' {
        return text_literal(rest, at, lexed);
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return push(rest, at, (TokenKind::Symbol, symbol.len()), lexed);
    }
    bad_characters(rest, at, lexed)
}

/// Pushes a token and returns its length; one past its bound becomes a fault as well.
fn push<'t>(rest: &'t str, at: usize, (kind, length): (TokenKind, usize), lexed: &mut Lexed<'t>) -> usize {
    let span = Span::new(at, at + length);
    let text = rest.get(..length).unwrap_or_default();
    if let Some((max, what)) = kind.bound().filter(|(max, _)| length > *max) {
        lexed.faults.push(
            Fault::new(
                code::LITERAL_TOO_LARGE,
                span,
                format!("{what} of {length} bytes, the most is {max}"),
            )
            .with_help("keep large content in a resource and refer to it"),
        );
    }
    lexed.tokens.push(Token {
        kind,
        text,
        span,
        stand_in: None,
    });
    length
}

fn comment(rest: &str, at: usize, lexed: &mut Lexed<'_>) -> usize {
    let block = rest.starts_with("/*");
    let length = if block {
        let end = if lexed.comments_end { None } else { rest.find("*/") };
        match end {
            Some(end) if end >= 2 => end + 2,
            // `/*/` opens and does not close.
            Some(_) => rest
                .get(2..)
                .and_then(|inside| inside.find("*/"))
                .map_or_else(|| scan::line(rest), |end| end + 4),
            // Nothing after it is closed either; the lines below are read as if it had been.
            None => scan::line(rest),
        }
    } else {
        scan::line(rest)
    };
    let text = rest.get(..length).unwrap_or_default();
    let span = Span::new(at, at + length);
    if block && (length < 4 || !text.ends_with("*/")) {
        lexed.comments_end = true;
        lexed.faults.push(
            Fault::new(
                code::OPEN_COMMENT,
                Span::new(at, at + 2),
                "this comment is never closed",
            )
            .with_help("close it with */; comments do not nest"),
        );
    }
    lexed.comments.push(Comment {
        text: text.trim_end().to_owned(),
        block,
        span,
    });
    length
}

fn text_literal<'t>(rest: &'t str, at: usize, lexed: &mut Lexed<'t>) -> usize {
    if let Some(length) = scan::text(rest) {
        return push(rest, at, (TokenKind::Text, length), lexed);
    }
    lexed.faults.push(
        Fault::new(
            code::OPEN_TEXT,
            Span::new(at, at + 1),
            "this string is never closed",
        )
        .with_help("close it with the quote it began with; a quote inside is written twice"),
    );
    // What stands on the lines below is read as if the quote had been closed.
    scan::line(rest)
}

/// A run of characters that begin no token is one fault.
fn bad_characters(rest: &str, at: usize, lexed: &mut Lexed<'_>) -> usize {
    let length = scan::bad(rest, &SYMBOLS).max(1);
    let run: String = rest.get(..length).unwrap_or_default().chars().take(8).collect();
    let help = match run.chars().next() {
        Some('`') => "identifiers are written bare, strings take single or double quotes",
        Some('\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}') => "strings take straight quotes: ' or \"",
        Some(blank) if blank.is_whitespace() => "this blank is no plain space: replace it with one",
        Some('#') => "comments begin with -- or stand between /* and */",
        Some('|') => "strings are joined with concat(a, b)",
        _ => "identifiers are made of A-Z, a-z, 0-9 and _; other text goes into quotes",
    };
    let message = format!("unexpected character `{}`", run.escape_debug());
    lexed
        .faults
        .push(Fault::new(code::BAD_CHARACTER, Span::new(at, at + length), message).with_help(help));
    length
}
