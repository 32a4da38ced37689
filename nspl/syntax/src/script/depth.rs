//! Bounds on the shape of a statement, judged on its tokens before any tree is built.
//!
//! Invariant: a tree that passes is at most `NESTING_MAX` brackets and `OPERATORS_MAX` operators deep, so walking and
//! dropping it never runs out of stack.

use crate::fault::{Fault, code};
use crate::grammar::Tokens;
use crate::limits::{NESTING_MAX, OPERATORS_MAX};
use crate::token::{Token, TokenKind};

/// Refuses a statement that is nested too deep.
pub(super) fn check(tokens: Tokens<'_>) -> Result<(), Fault> {
    let mut scan = Scan {
        levels: vec![Level::default()],
        operators: 0,
    };
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        scan.take(before, token);
        if scan.levels.len() > NESTING_MAX + 1 {
            let message = format!("an expression nested deeper than {NESTING_MAX} levels");
            let fault = Fault::new(code::TOO_DEEP, token.span, message);
            return Err(fault.with_help("derive parts of it in a field of an earlier relay"));
        }
        if scan.operators > OPERATORS_MAX {
            let message = format!("an expression of more than {OPERATORS_MAX} operators in a row");
            let fault = Fault::new(code::TOO_DEEP, token.span, message);
            return Err(fault.with_help("derive parts of it in a field of an earlier relay"));
        }
    }
    Ok(())
}

/// What is open at one level of nesting.
#[derive(Default)]
struct Level {
    /// Operators on the way to the current token within this level.
    operators: usize,
    /// Whether a prefix operator opened it: it ends with its operand's list item.
    prefix: bool,
}

struct Scan {
    levels: Vec<Level>,
    /// The operators of all open levels.
    operators: usize,
}

impl Scan {
    fn take(&mut self, before: Option<&Token<'_>>, token: &Token<'_>) {
        let after_operand = before.is_some_and(ends_operand);
        match token.kind {
            TokenKind::Symbol => match token.text {
                "(" | "[" | "{" => self.open(false),
                ")" | "]" | "}" => self.close(),
                "," => self.next_item(),
                "-" if !after_operand => self.open(true),
                "<" | ">" | "<=" | ">=" | "=" | "!=" | "<>" | "+" | "-" | "*" | "/" | "%" | "==" | "||" => {
                    self.operator()
                }
                _ => {}
            },
            TokenKind::Word if is_dotted(before) => {}
            TokenKind::Word => self.word(token, after_operand),
            _ => {}
        }
    }

    fn word(&mut self, token: &Token<'_>, after_operand: bool) {
        let is = |words: &[&str]| words.iter().any(|word| token.is_word(word));
        if is(&["CASE", "IF"]) {
            self.open(false);
        } else if is(&["END"]) {
            self.close();
        } else if is(&["NOT"]) && !after_operand {
            self.open(true);
        } else if is(&["AND", "OR", "AS", "IS"]) {
            self.operator();
        } else if after_operand || is(&["WHEN", "THEN", "ELSE"]) {
            // A word behind an operand that is no operator begins another clause or arm.
            self.next_item();
        }
    }

    fn open(&mut self, prefix: bool) {
        self.levels.push(Level { operators: 0, prefix });
    }

    fn operator(&mut self) {
        self.operators += 1;
        if let Some(level) = self.levels.last_mut() {
            level.operators += 1;
        }
    }

    /// The levels that prefix operators opened end here, and with them their operators.
    fn next_item(&mut self) {
        while self.levels.last().is_some_and(|level| level.prefix) {
            self.pop();
        }
        if let Some(level) = self.levels.last_mut() {
            self.operators -= level.operators;
            level.operators = 0;
        }
    }

    fn close(&mut self) {
        self.next_item();
        if self.levels.len() > 1 {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.operators -= level.operators;
        }
    }
}

fn is_dotted(before: Option<&Token<'_>>) -> bool {
    before.is_some_and(|token| token.is_symbol("."))
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
