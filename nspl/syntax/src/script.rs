//! A whole script: text to statements, faults and comments.
//!
//! The tokens are parted at `;` first and each statement is read alone, so a broken one gives its own faults and the
//! rest is still read. Where a `;` is missing, reading goes on at the next line that begins a statement. In a statement
//! that does not fit the grammar reading goes on behind each fault ([`mend`]).

mod depth;
mod mend;
mod restart;
#[cfg(test)]
mod tests;

use crate::comment::Comment;
use crate::fault::{Fault, code, hint};
use crate::grammar::{END, Failure, Tokens, place};
use crate::lexer::{Lexed, lex};
use crate::limits::{FAULTS_MAX, SCRIPT_BYTES_MAX};
use crate::span::{Span, Spanned};
use crate::statement::{self, Statement};
use crate::token::{Source, Token};

use self::mend::{Mended, Mender};

/// What a script holds: its statements in order, and apart from them those that are broken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The statements that could be read; a span ends before the `;`.
    pub statements: Vec<Spanned<Statement>>,
    /// Everything wrong with the text, by position; at most [`FAULTS_MAX`] and one that counts the rest.
    pub faults: Vec<Fault>,
    /// The statements that are broken, in order.
    pub broken: Vec<Broken>,
    /// The comments, by position.
    pub comments: Vec<Comment>,
}

/// A statement that is broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// Where it stands.
    pub span: Span,
    /// What of it could be read. What stands in it for something wrong or missing has an empty span; nothing is there
    /// when the kind of the statement is not told, a literal is past its bound, or reading on was given up.
    pub tree: Option<Statement>,
    /// Where that may say something else than what was meant, in order: the list items, operands and clauses around what
    /// was left out of it or put in; empty where a whole clause was put in.
    pub doubted: Vec<Span>,
}

/// How many tokens may be read again to read on behind faults, and how many more for each token of a script. It bounds
/// the time that a script of faults takes; what was not reached then is told when the faults before it are mended.
const READ_AGAIN_MAX: usize = 1 << 20;
const READ_AGAIN_EACH: usize = 4;

/// Reads a script. Never fails: each broken statement gives its own faults and the rest is still read. The time is
/// linear in the length of `text`.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    parse_apart(text, 0)
}

/// Reads a text that is no part of the script at hand: like [`parse`], with every span counted from `base` on, so that
/// it can be told from those of the script.
#[must_use]
pub fn parse_apart(text: &str, base: usize) -> Parsed {
    read_while(text, base, &|| true).unwrap_or_default()
}

/// Reads a script like [`parse`], and asks before each statement whether anybody still waits for it; `None` as soon as
/// nobody does.
#[must_use]
pub fn parse_while(text: &str, is_wanted: &dyn Fn() -> bool) -> Option<Parsed> {
    read_while(text, 0, is_wanted)
}

fn read_while(text: &str, base: usize, is_wanted: &dyn Fn() -> bool) -> Option<Parsed> {
    if text.len() > SCRIPT_BYTES_MAX {
        let message = format!("a script of {} bytes, the most is {SCRIPT_BYTES_MAX}", text.len());
        let fault = Fault::new(code::SCRIPT_TOO_LARGE, Span::new(base, base), message)
            .with_help("part it into several scripts");
        return Some(Parsed {
            faults: vec![fault],
            ..Parsed::default()
        });
    }
    let Lexed {
        tokens,
        comments,
        faults,
        ..
    } = lex(text).moved(base);
    let mut reader = Reader {
        text,
        base,
        is_wanted,
        allowance: READ_AGAIN_MAX + READ_AGAIN_EACH * tokens.len(),
        source: Source::new(text, base),
        lexical: faults.into_iter().peekable(),
        parsed: Parsed::default(),
    };
    let mut start = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.is_symbol(";") {
            if !is_wanted() {
                return None;
            }
            reader.statements(tokens.get(start..index).unwrap_or_default(), token.span);
            start = index + 1;
        }
    }
    let end = base + text.trim_end().len();
    reader.statements(tokens.get(start..).unwrap_or_default(), Span::new(end, end));
    Some(reader.finish(comments))
}

/// Whether a statement may be given to the grammar at all.
pub(crate) fn shape_is_bounded(tokens: Tokens<'_>) -> bool {
    depth::check(tokens).is_ok()
}

/// The tokens of the last statement of a text: behind the last `;`, or the last line that begins a statement.
pub(crate) fn last_statement<'a, 't>(text: &str, tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let begin = tokens.iter().rposition(|token| token.is_symbol(";"));
    let mut last = tokens.get(begin.map_or(0, |at| at + 1)..).unwrap_or_default();
    while let Some(next) = restart::next_statement(text, 0, last) {
        last = last.get(next..).unwrap_or_default();
    }
    last
}

/// Why a statement is not read.
enum Refusal {
    /// It is past a bound.
    Shape(Box<Fault>),
    /// It does not fit the grammar.
    Grammar(Failure),
}

/// The state of reading one script.
struct Reader<'t> {
    text: &'t str,
    base: usize,
    is_wanted: &'t dyn Fn() -> bool,
    /// How many tokens may still be read again.
    allowance: usize,
    source: Source,
    lexical: std::iter::Peekable<std::vec::IntoIter<Fault>>,
    parsed: Parsed,
}

impl<'t> Reader<'t> {
    /// Reads the tokens up to a `;`, or more statements where `;` are missing between them.
    fn statements(&mut self, mut tokens: Tokens<'t>, end: Span) {
        let lexical = self.take_lexical_faults(end);
        while !tokens.is_empty() {
            let next = restart::next_statement(self.text, self.base, tokens);
            let (statement, rest, read) = self.first(tokens, next.unwrap_or(tokens.len()));
            let oversized = !lexical.is_empty() && statement.iter().any(Token::is_oversized);
            match read {
                Ok(node) if !oversized => {
                    self.parsed.statements.push(Spanned::new(node, place(statement)));
                    self.parsed.faults.extend(
                        rest.first()
                            .map(|next| hint::missing_semicolon(place(statement), next)),
                    );
                }
                // What is past its bound is not handed on, to be quoted by whoever judges it.
                Ok(_) => self.parsed.broken.push(Broken {
                    span: place(statement),
                    tree: None,
                    doubted: Vec::new(),
                }),
                Err(refusal) => {
                    let mended = self.mend(refusal, statement, rest.first(), (end, &lexical));
                    self.parsed.broken.push(Broken {
                        span: place(statement),
                        tree: mended.tree.filter(|_| !oversized),
                        doubted: mended.doubted,
                    });
                    self.parsed.faults.extend(mended.faults);
                }
            }
            tokens = rest;
        }
    }

    /// The statement of the first `length` tokens, what follows it, and what became of it. One that cannot be read
    /// ends before words on lines of their own that are statements.
    fn first(
        &self,
        tokens: Tokens<'t>,
        length: usize,
    ) -> (Tokens<'t>, Tokens<'t>, Result<Statement, Refusal>) {
        let (statement, rest) = tokens.split_at(length);
        let read = self.read(statement, rest);
        match restart::lone_words(self.text, self.base, statement) {
            Some(shorter) if read.is_err() => {
                let (statement, rest) = tokens.split_at(shorter);
                (statement, rest, self.read(statement, rest))
            }
            _ => (statement, rest, read),
        }
    }

    fn read(&self, statement: Tokens<'t>, rest: Tokens<'t>) -> Result<Statement, Refusal> {
        depth::check(statement).map_err(|fault| Refusal::Shape(Box::new(fault)))?;
        statement::read(statement, &self.source).map_err(|failures| {
            let furthest = failures.into_iter().next_back();
            let mut failure = furthest.unwrap_or_default();
            if failure.index(statement) == statement.len() && !rest.is_empty() {
                // What follows on the next line is a statement of its own.
                failure.expected = failure.expected.without(END);
            }
            Refusal::Grammar(failure)
        })
    }

    /// The faults of a statement that is not read, where those at `told` are told already.
    fn mend(
        &mut self,
        refusal: Refusal,
        statement: Tokens<'t>,
        next: Option<&Token<'t>>,
        (end, told): (Span, &[Span]),
    ) -> Mended {
        let failure = match refusal {
            Refusal::Shape(fault) => return Mended::from(*fault),
            Refusal::Grammar(failure) => failure,
        };
        if self.parsed.faults.len() > FAULTS_MAX {
            self.allowance = 0;
        }
        let mut mender = Mender {
            source: &self.source,
            is_wanted: self.is_wanted,
            next: next.copied(),
            end,
            told,
            allowance: &mut self.allowance,
        };
        mender.mend(statement, failure)
    }

    /// Takes over the lexical faults up to `end` and tells their places. What does not lex is not judged a second time
    /// by the grammar.
    fn take_lexical_faults(&mut self, end: Span) -> Vec<Span> {
        let mut places = Vec::new();
        while let Some(fault) = self.lexical.next_if(|fault| fault.span.start <= end.start) {
            places.push(fault.span);
            self.parsed.faults.push(fault);
        }
        places
    }

    fn finish(mut self, comments: Vec<Comment>) -> Parsed {
        self.parsed.faults.extend(self.lexical);
        self.parsed.comments = comments;
        let faults = &mut self.parsed.faults;
        faults.sort_by_key(|fault| fault.span.start);
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
