//! Why a program is refused, and where.

use std::fmt;
use std::ops::Range;

use jaq_core::compile::Undefined;
use jaq_core::load::{lex, parse};

use crate::PROGRAM_BYTES_MAX;
use crate::barred::barred;

/// One fault of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Bytes of the program; empty, at its end, when something is missing there.
    pub span: Range<usize>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong at a place; `Display` is half a sentence about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It is no program.
    Syntax {
        /// What should stand there.
        expected: String,
    },
    /// A name is not defined.
    Undefined {
        /// The name.
        name: String,
        /// `filter`, `variable`, `label` or `module`.
        kind: &'static str,
        /// Of a filter: how many arguments it is given.
        arguments: Option<usize>,
    },
    /// A name is one of jq that reaches out of the program.
    Barred {
        /// The name.
        name: String,
        /// What it would do.
        does: &'static str,
    },
    /// It loads a module or data.
    Import,
    /// It is longer than [`PROGRAM_BYTES_MAX`].
    TooLong,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Syntax { expected } => write!(f, "{expected} is expected here"),
            Reason::Undefined {
                name,
                kind,
                arguments: Some(1),
            } => write!(f, "there is no {kind} {name} with one argument"),
            Reason::Undefined {
                name,
                kind,
                arguments: Some(count @ 2..),
            } => write!(f, "there is no {kind} {name} with {count} arguments"),
            Reason::Undefined { name, kind, .. } => write!(f, "there is no {kind} {name}"),
            Reason::Barred { name, does } => write!(f, "{name} {does}, which a program must not do"),
            Reason::Import => f.write_str("a program cannot load modules or data"),
            Reason::TooLong => write!(f, "a program has at most {PROGRAM_BYTES_MAX} bytes"),
        }
    }
}

impl Fault {
    /// A token that stands where none is read.
    pub(crate) fn lexical(program: &str, (expected, found): &(lex::Expect<&str>, &str)) -> Fault {
        let expected = match expected {
            lex::Expect::Delim(open) => match *open {
                "(" => "a closing parenthesis".to_owned(),
                "[" => "a closing bracket".to_owned(),
                "{" => "a closing brace".to_owned(),
                _ => "a closing quote".to_owned(),
            },
            lex::Expect::Digit => "a digit".to_owned(),
            lex::Expect::Ident => "a name".to_owned(),
            lex::Expect::Escape => "an escape sequence".to_owned(),
            lex::Expect::Unicode => "a Unicode code point of four hexadecimal digits".to_owned(),
            _ => "a token".to_owned(),
        };
        Fault::syntax(program, found, expected)
    }

    /// `found` is a piece of the program, or its end.
    pub(crate) fn syntax(program: &str, found: &str, expected: String) -> Fault {
        Fault {
            span: place(program, found),
            reason: Reason::Syntax { expected },
        }
    }

    pub(crate) fn undefined(program: &str, name: &str, undefined: &Undefined) -> Fault {
        let reason = match barred(name) {
            Some(does) => Reason::Barred {
                name: name.to_owned(),
                does,
            },
            None => Reason::Undefined {
                name: name.to_owned(),
                kind: undefined.as_str(),
                arguments: match undefined {
                    Undefined::Filter(arity) => Some(*arity),
                    _ => None,
                },
            },
        };
        Fault {
            span: place(program, name),
            reason,
        }
    }

    pub(crate) fn import(program: &str, path: &str) -> Fault {
        Fault {
            span: place(program, path),
            reason: Reason::Import,
        }
    }
}

/// Where a piece stands in the program that it was cut from: its first word, or its first character when it is none.
fn place(program: &str, piece: &str) -> Range<usize> {
    let start = (piece.as_ptr() as usize)
        .checked_sub(program.as_ptr() as usize)
        .filter(|start| *start <= program.len())
        .unwrap_or(program.len());
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
    let word: usize = piece
        .chars()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum();
    let length = match word {
        0 => piece.chars().next().map_or(0, char::len_utf8),
        length => length,
    };
    start..(start + length).min(program.len())
}

/// What the parser waited for.
pub(crate) fn described(expected: &parse::Expect<&str>) -> String {
    match expected {
        parse::Expect::Just(token) => format!("`{token}`"),
        parse::Expect::Nothing => "the end of the program".to_owned(),
        parse::Expect::Term => "a term".to_owned(),
        other => other.as_str().to_owned(),
    }
}
