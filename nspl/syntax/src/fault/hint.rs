//! From a failure of the grammar to a fault that its reader can act on.
//!
//! Purpose: name what was found and everything that would be accepted, and where the mistake is a known one, say what
//! to write instead. Nothing here changes what is accepted.

mod foreign;
mod help;
mod quantity;

use crate::fault::clause::{Outline, Placement};
use crate::fault::{Fault, code};
use crate::grammar::{Failure, HIDDEN, Tokens};
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// Where the grammar stopped.
struct Stop<'a, 't> {
    /// The statement.
    tokens: Tokens<'t>,
    /// The index of the token that did not fit; past the last at the end of the statement.
    at: usize,
    /// The labels of what would have fitted, each once.
    expected: &'a [&'static str],
    /// Where the statement ends.
    end: Span,
}

impl<'t> Stop<'_, 't> {
    fn found(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    fn before(&self, distance: usize) -> Option<&'t Token<'t>> {
        self.at.checked_sub(distance).and_then(|at| self.tokens.get(at))
    }

    /// How the token that did not fit is named. Words and numbers in a CONFIG may be a secret whose quotes are missing.
    fn describe(&self, found: &Token<'_>) -> String {
        match found.kind {
            TokenKind::Word if self.is_in_config() => "a word without quotes".to_owned(),
            TokenKind::Number | TokenKind::Quantity { .. } if self.is_in_config() => "a number".to_owned(),
            _ => found.describe(),
        }
    }

    /// Whether the map that was open last is that of a CONFIG.
    fn is_in_config(&self) -> bool {
        let mut before = self.tokens.iter().take(self.at).rev();
        let opens =
            |token: &&Token<'_>| token.is_word("CONFIG") || token.is_symbol("{") || token.is_symbol("}");
        match before.find(opens) {
            Some(token) if token.is_symbol("{") => before.next().is_some_and(|word| word.is_word("CONFIG")),
            Some(token) => token.is_word("CONFIG"),
            None => false,
        }
    }

    fn expects(&self, label: &str) -> bool {
        self.expected.contains(&label)
    }
}

/// A statement that begins before the one before it has ended.
pub(crate) fn missing_semicolon(before: Span, next: &Token<'_>) -> Fault {
    Fault::new(
        code::MISSING_SEMICOLON,
        next.span,
        format!("expected `;`, found {}", next.describe()),
    )
    .with_label(
        Span::new(before.end, before.end),
        "the statement before ends here",
    )
    .with_help("end each statement with `;`")
}

/// The fault of a failure.
pub(crate) fn explain(failure: &Failure, tokens: Tokens<'_>, end: Span) -> Fault {
    let mut expected: Vec<&'static str> = Vec::new();
    for label in failure.expected.iter().filter(|label| *label != HIDDEN) {
        if !expected.contains(&label) {
            expected.push(label);
        }
    }
    let stop = Stop {
        tokens,
        at: failure.index(tokens),
        expected: &expected,
        end,
    };
    let span = stop.found().map_or(stop.end, |token| token.span);
    let found = stop.found().map_or_else(
        || "the end of the statement".to_owned(),
        |token| stop.describe(token),
    );
    let message = format!("expected {}, found {found}", alternatives(&expected));
    let plain = Fault::new(code::UNEXPECTED, span, message);
    trailing_comma(&stop)
        .or_else(|| foreign::hint(&stop, &plain))
        .or_else(|| quantity::hint(&stop, &plain))
        .or_else(|| out_of_place(&stop, &plain))
        .unwrap_or_else(|| match help::help(&stop) {
            Some(help) => plain.with_help(help),
            None => plain,
        })
}

/// `A, B or C`, keywords and symbols in back quotes.
fn alternatives(expected: &[&'static str]) -> String {
    let quoted: Vec<String> = expected
        .iter()
        .map(|label| {
            let described = label.starts_with("a ") || label.starts_with("an ");
            if described {
                (*label).to_owned()
            } else {
                format!("`{label}`")
            }
        })
        .collect();
    match quoted.split_last() {
        None => "something else".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A comma with nothing behind it: before a closing mark, the end, or the word of the next clause.
fn trailing_comma(stop: &Stop<'_, '_>) -> Option<Fault> {
    let closes = stop
        .found()
        .is_none_or(|token| matches!(token.text, ")" | "]" | "}" | ","));
    let comma = if closes {
        stop.before(1)?
    } else {
        // `SET a = 1, WHERE ...`: the word was taken for the next item.
        const CLAUSES: [&str; 14] = [
            "COLLECT",
            "USING",
            "TO",
            "MODE",
            "INHERIT",
            "SET",
            "WHERE",
            "INVOKE",
            "UNBRANCHED",
            "BRANCHED",
            "BATCH",
            "FLUSH",
            "ON",
            "ENCODE",
        ];
        let is_item = stop.expects("=") || stop.expects(",");
        stop.before(1)
            .filter(|word| is_item && CLAUSES.iter().any(|clause| word.is_word(clause)))?;
        stop.before(2)?
    };
    comma.is_symbol(",").then(|| {
        Fault::new(
            code::TRAILING_COMMA,
            comma.span,
            "expected another item behind the comma, found none",
        )
        .with_help("remove the comma: a list does not end with one")
    })
}

fn out_of_place(stop: &Stop<'_, '_>, plain: &Fault) -> Option<Fault> {
    let fault = Fault {
        code: code::CLAUSE_ORDER,
        ..plain.clone()
    };
    match Outline::of(stop.tokens).placement(stop.at, stop.expected) {
        Placement::Unknown => None,
        Placement::Doubled(clause) => {
            Some(fault.with_help(format!("{} is written once, {}", clause.words, clause.belongs)))
        }
        Placement::Late(clause) => {
            Some(fault.with_help(format!("{} belongs {}", clause.words, clause.belongs)))
        }
        Placement::Early(clause, index) => {
            let place = stop.tokens.get(index).map(|token| token.span).unwrap_or_default();
            let fault = fault.with_label(place, format!("{} stands here", clause.words));
            Some(fault.with_help(format!("{} belongs {}", clause.words, clause.belongs)))
        }
        Placement::Missing(clause, _) => {
            let words = match clause.instead {
                Some(instead) => format!("{} or {instead}", clause.words),
                None => clause.words.to_owned(),
            };
            let help = format!("{words} is required: {}", clause.belongs);
            Some(plain.clone().with_help(help))
        }
    }
}
