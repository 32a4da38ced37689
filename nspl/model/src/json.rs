//! Reading JSON: one strict reader for paths into documents and for payloads (RFC 8259; rulings section 5, JSON_VALUE).
//!
//! Invariant: what it accepts is JSON to the last byte, at most [`JSON_DEPTH_MAX`] brackets deep; it allocates nothing and
//! never panics. A `None` of any method means that the text is no JSON; the reader is of no use after it.

mod find;
mod string;
mod whole;

pub use find::{JsonValue, NotJson, find};
pub use string::unescape;
pub use whole::whole_number;

use crate::JsonPath;
use string::scan_string;

/// Brackets within each other at most.
pub const JSON_DEPTH_MAX: usize = JsonPath::STEPS_MAX;

/// A text and how far it is read.
#[derive(Debug, Clone)]
pub struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// What begins at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonShape {
    /// Call [`JsonReader::object`].
    Object,
    /// Call [`JsonReader::array`].
    Array,
    /// Call [`JsonReader::scalar`].
    Scalar,
}

/// A value without parts, as it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonScalar<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// As it is spelled.
    Number(&'a str),
    /// Between its quotes, escapes and all: [`unescape`] gives its text.
    Text(&'a str),
}

impl<'a> JsonReader<'a> {
    /// A reader at the front of a text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// What the next value is.
    pub fn shape(&mut self) -> Option<JsonShape> {
        self.blanks();
        Some(match self.peek()? {
            b'{' => JsonShape::Object,
            b'[' => JsonShape::Array,
            _ => JsonShape::Scalar,
        })
    }

    /// Reads an object: `member` is told each key, between its quotes, and reads the value behind it.
    pub fn object(&mut self, mut member: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.enter(b'{')?;
        if self.closes(b'}') {
            return Some(());
        }
        loop {
            self.blanks();
            let key = self.string()?;
            self.blanks();
            self.eat(b':')?;
            member(self, key)?;
            if self.ends(b'}')? {
                return Some(());
            }
        }
    }

    /// Reads an array: `item` reads each of its values.
    pub fn array(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.enter(b'[')?;
        if self.closes(b']') {
            return Some(());
        }
        loop {
            item(self)?;
            if self.ends(b']')? {
                return Some(());
            }
        }
    }

    /// Reads a value that is neither an object nor an array.
    pub fn scalar(&mut self) -> Option<JsonScalar<'a>> {
        self.blanks();
        match self.peek()? {
            b'"' => self.string().map(JsonScalar::Text),
            b'-' | b'0'..=b'9' => self.number().map(JsonScalar::Number),
            b't' => self.word("true", JsonScalar::Bool(true)),
            b'f' => self.word("false", JsonScalar::Bool(false)),
            b'n' => self.word("null", JsonScalar::Null),
            _ => None,
        }
    }

    /// Reads a value of any kind and forgets it.
    pub fn skip(&mut self) -> Option<()> {
        match self.shape()? {
            JsonShape::Object => self.object(|reader, _| reader.skip()),
            JsonShape::Array => self.array(Self::skip),
            JsonShape::Scalar => self.scalar().map(|_| ()),
        }
    }

    /// Whether nothing but blanks is left.
    pub fn finish(&mut self) -> Option<()> {
        self.blanks();
        self.peek().is_none().then_some(())
    }

    fn enter(&mut self, bracket: u8) -> Option<()> {
        self.blanks();
        self.eat(bracket)?;
        self.depth += 1;
        (self.depth <= JSON_DEPTH_MAX).then_some(())
    }

    fn leave(&mut self, bracket: u8) -> Option<()> {
        self.eat(bracket)?;
        self.depth -= 1;
        Some(())
    }

    /// Whether the brackets close at once.
    fn closes(&mut self, bracket: u8) -> bool {
        self.blanks();
        self.leave(bracket).is_some()
    }

    /// Whether the closing bracket follows rather than a comma.
    fn ends(&mut self, bracket: u8) -> Option<bool> {
        self.blanks();
        if self.eat(b',').is_some() {
            return Some(false);
        }
        self.leave(bracket).map(|()| true)
    }

    fn string(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let start = self.at;
        let length = scan_string(self.text.as_bytes().get(start..)?)?;
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    fn number(&mut self) -> Option<&'a str> {
        let start = self.at;
        let _minus = self.eat(b'-');
        if self.eat(b'0').is_none() {
            self.digits()?;
        }
        if self.eat(b'.').is_some() {
            self.digits()?;
        }
        if self.eat(b'e').or_else(|| self.eat(b'E')).is_some() {
            let _sign = self.eat(b'-').or_else(|| self.eat(b'+'));
            self.digits()?;
        }
        self.text.get(start..self.at)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &str, scalar: JsonScalar<'a>) -> Option<JsonScalar<'a>> {
        let end = self.at + word.len();
        (self.text.get(self.at..end)? == word).then_some(())?;
        self.at = end;
        Some(scalar)
    }

    fn blanks(&mut self) {
        while self
            .peek()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then_some(())?;
        self.at += 1;
        Some(())
    }
}
