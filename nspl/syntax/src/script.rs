//! A whole script: text to statements, faults and comments.
//!
//! The tokens are parted at `;` first and each statement is read alone, so a broken one gives its own faults and the
//! rest is still read. Where a `;` is missing, reading goes on at the next line that begins a statement.

mod depth;
mod restart;
#[cfg(test)]
mod tests;

use chumsky::Parser;

use crate::comment::Comment;
use crate::fault::{Fault, code, hint};
use crate::grammar::{END, Failure, Rule, Tokens, place};
use crate::lexer::{Lexed, lex};
use crate::limits::{FAULTS_MAX, SCRIPT_BYTES_MAX};
use crate::span::{Span, Spanned};
use crate::statement::{self, Statement};

/// What a script holds. Statements that are broken are in `faults` alone; the others are all here, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The statements that could be read; a span ends before the `;`.
    pub statements: Vec<Spanned<Statement>>,
    /// Everything wrong with the text, by position; at most [`FAULTS_MAX`] and one that counts the rest.
    pub faults: Vec<Fault>,
    /// The comments, by position.
    pub comments: Vec<Comment>,
}

/// Reads a script. Never fails: each broken statement gives its own faults and the rest is still read. The time is
/// linear in the length of `text`.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    if text.len() > SCRIPT_BYTES_MAX {
        let message = format!("a script of {} bytes, the most is {SCRIPT_BYTES_MAX}", text.len());
        let fault = Fault::new(code::SCRIPT_TOO_LARGE, Span::new(0, 0), message)
            .with_help("part it into several scripts");
        return Parsed {
            faults: vec![fault],
            ..Parsed::default()
        };
    }
    let Lexed {
        tokens,
        comments,
        faults,
    } = lex(text);
    let rule = statement::rule();
    let mut reader = Reader {
        text,
        rule: &rule,
        lexical: faults.into_iter().peekable(),
        parsed: Parsed::default(),
    };
    let mut start = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.is_symbol(";") {
            reader.statements(tokens.get(start..index).unwrap_or_default(), token.span);
            start = index + 1;
        }
    }
    let end = Span::new(text.trim_end().len(), text.trim_end().len());
    reader.statements(tokens.get(start..).unwrap_or_default(), end);
    reader.finish(comments)
}

/// The state of reading one script.
struct Reader<'a, 't> {
    text: &'t str,
    rule: &'a Rule<'t, Statement>,
    lexical: std::iter::Peekable<std::vec::IntoIter<Fault>>,
    parsed: Parsed,
}

impl<'t> Reader<'_, 't> {
    /// Reads the tokens up to a `;`, or more statements where `;` are missing between them.
    fn statements(&mut self, mut tokens: Tokens<'t>, end: Span) {
        let broken = self.take_lexical_faults(end);
        while !tokens.is_empty() {
            if let Err(fault) = depth::check(tokens) {
                self.parsed.faults.push(fault);
                return;
            }
            let failure = match self.rule.parse(tokens).into_result() {
                Ok(statement) => return self.push(statement, tokens),
                Err(failures) => failures.into_iter().next_back().unwrap_or(Failure {
                    at: 0,
                    expected: Vec::new(),
                }),
            };
            let next = restart::next_statement(self.text, tokens, failure.at);
            let complete = failure.expected.contains(&END) && next == Some(failure.at);
            let before = tokens.get(..failure.at).filter(|_| complete);
            if let Some((before, Ok(statement))) =
                before.map(|before| (before, self.rule.parse(before).into_result()))
            {
                self.push(statement, before);
                self.parsed
                    .faults
                    .push(hint::missing_semicolon(tokens, failure.at));
            } else if !broken {
                self.parsed.faults.push(hint::explain(&failure, tokens, end));
            }
            tokens = next.and_then(|next| tokens.get(next..)).unwrap_or_default();
        }
    }

    fn push(&mut self, statement: Statement, tokens: Tokens<'t>) {
        self.parsed
            .statements
            .push(Spanned::new(statement, place(tokens)));
    }

    /// Takes over the lexical faults up to `end` and tells whether there are any. What does not lex is not judged
    /// a second time by the grammar.
    fn take_lexical_faults(&mut self, end: Span) -> bool {
        let before = self.parsed.faults.len();
        while let Some(fault) = self.lexical.next_if(|fault| fault.span.start <= end.start) {
            self.parsed.faults.push(fault);
        }
        self.parsed.faults.len() > before
    }

    fn finish(mut self, comments: Vec<Comment>) -> Parsed {
        self.parsed.faults.extend(self.lexical);
        self.parsed.comments = comments;
        let faults = &mut self.parsed.faults;
        if faults.len() > FAULTS_MAX {
            let more = faults.len() - FAULTS_MAX;
            faults.truncate(FAULTS_MAX);
            let last = faults.last().map(|fault| fault.span).unwrap_or_default();
            faults.push(Fault::new(
                code::TOO_MANY_FAULTS,
                last,
                format!("{more} more faults are not listed"),
            ));
        }
        self.parsed
    }
}
