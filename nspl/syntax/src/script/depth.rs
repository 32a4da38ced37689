//! Bounds on the shape of a statement, judged on its tokens before any tree is built.
//!
//! Invariant: the trees of a statement that passes are at most about `HEIGHT_MAX` nodes high, so walking and dropping
//! them never runs out of stack, and what the printer writes for them passes as well.

use crate::fault::{Fault, code};
use crate::grammar::Tokens;
use crate::limits::{HEIGHT_MAX, NESTING_MAX};
use crate::token::{Token, TokenKind};

/// Refuses a statement that is nested too deep or whose expressions are too high.
pub(super) fn check(tokens: Tokens<'_>) -> Result<(), Fault> {
    let mut scan = Scan {
        levels: vec![Level::new(Opening::Bracket)],
    };
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        // `IS NOT NULL` is printed as a prefix operator and a call.
        let printed = if token.is_word("IS") { 2 } else { 0 };
        scan.take(before, token);
        let message = if scan.levels.len() + printed > NESTING_MAX + 1 {
            format!("an expression nested deeper than {NESTING_MAX} levels")
        } else if scan.height() > HEIGHT_MAX {
            format!("an expression of more than {HEIGHT_MAX} operators and levels on one path")
        } else {
            continue;
        };
        let fault = Fault::new(code::TOO_DEEP, token.span, message);
        return Err(fault.with_help("derive parts of it in a field of an earlier relay"));
    }
    Ok(())
}

/// What opened a level of nesting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A bracket, CASE or IF: its own mark closes it.
    Bracket,
    /// NOT: AND, OR and the end of the item close it.
    Not,
    /// A prefix minus: every infix operator and the end of the item close it.
    Minus,
}

/// What is open at one level of nesting.
struct Level {
    opening: Opening,
    /// The height of the current item so far.
    height: usize,
    /// The greatest height of the items before it.
    items: usize,
}

impl Level {
    const fn new(opening: Opening) -> Self {
        Self {
            opening,
            height: 0,
            items: 0,
        }
    }
}

/// The open levels, the statement itself first.
struct Scan {
    levels: Vec<Level>,
}

impl Scan {
    fn height(&self) -> usize {
        self.levels.last().map_or(0, |level| level.height)
    }

    fn take(&mut self, before: Option<&Token<'_>>, token: &Token<'_>) {
        let after_operand = before.is_some_and(ends_operand);
        match token.kind {
            TokenKind::Symbol => match token.text {
                "(" | "[" | "{" => self.levels.push(Level::new(Opening::Bracket)),
                ")" | "]" | "}" => self.close(),
                "," => self.next_item(),
                "-" if !after_operand => self.levels.push(Level::new(Opening::Minus)),
                "." | ";" => {}
                _ => self.operator(1, &[Opening::Minus]),
            },
            TokenKind::Word if before.is_some_and(|token| token.is_symbol(".")) => {}
            TokenKind::Word => self.word(token, after_operand),
            _ => {}
        }
    }

    fn word(&mut self, token: &Token<'_>, after_operand: bool) {
        let is = |words: &[&str]| words.iter().any(|word| token.is_word(word));
        if is(&["CASE", "IF"]) {
            self.levels.push(Level::new(Opening::Bracket));
        } else if is(&["END"]) {
            self.close();
        } else if is(&["NOT"]) && !after_operand {
            self.levels.push(Level::new(Opening::Not));
        } else if is(&["AND", "OR"]) {
            self.operator(1, &[Opening::Minus, Opening::Not]);
        } else if is(&["AS"]) {
            // Tighter than a minus: it closes nothing.
            self.operator(1, &[]);
        } else if is(&["IS"]) {
            self.operator(4, &[Opening::Minus]);
        } else if after_operand || is(&["WHEN", "THEN", "ELSE"]) {
            // A word behind an operand that is no operator begins another clause or arm.
            self.next_item();
        }
    }

    fn operator(&mut self, height: usize, closes: &[Opening]) {
        self.pop_while(closes);
        if let Some(level) = self.levels.last_mut() {
            level.height += height;
        }
    }

    fn next_item(&mut self) {
        self.pop_while(&[Opening::Minus, Opening::Not]);
        if let Some(level) = self.levels.last_mut() {
            level.items = level.items.max(level.height);
            level.height = 0;
        }
    }

    fn close(&mut self) {
        self.next_item();
        if self.levels.len() > 1 {
            self.pop();
        }
    }

    fn pop_while(&mut self, openings: &[Opening]) {
        while self
            .levels
            .last()
            .is_some_and(|level| openings.contains(&level.opening))
        {
            self.pop();
        }
    }

    /// The level becomes an operand of the one around it.
    fn pop(&mut self) {
        if let Some(level) = self.levels.pop()
            && let Some(around) = self.levels.last_mut()
        {
            around.height = around.height.max(level.items.max(level.height) + 2);
        }
    }
}

/// Whether an operand may end with this token.
fn ends_operand(token: &Token<'_>) -> bool {
    const NOT_OPERANDS: [&str; 13] = [
        "AND", "OR", "NOT", "WHEN", "THEN", "ELSE", "CASE", "IF", "WHERE", "AS", "IS", "METHOD", "PATH",
    ];
    match token.kind {
        TokenKind::Word => !NOT_OPERANDS.iter().any(|word| token.is_word(word)),
        TokenKind::Symbol => matches!(token.text, ")" | "]" | "}"),
        _ => true,
    }
}
