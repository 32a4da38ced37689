//! Judges a JSON document and finds what a path leads to, in one pass and without allocating.

use nspl_model::{JsonPath, JsonStep};

use crate::fault::Fault;

use super::string::{scan_string, unescape};

#[cfg(test)]
mod tests;

/// A value as it stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    /// As it is spelled.
    Number(&'a str),
    /// Between its quotes, escapes and all.
    Text(&'a str),
    Array,
    Object,
}

/// What the path leads to; `None` when nothing is there.
pub(super) fn find<'a>(document: &'a str, path: &[JsonStep]) -> Result<Option<Json<'a>>, Fault> {
    let mut scanner = Scanner {
        text: document,
        at: 0,
    };
    let found = scanner.value(Some(path), 0).ok_or(Fault::NotJson)?;
    scanner.blanks();
    if scanner.peek().is_some() {
        return Err(Fault::NotJson);
    }
    Ok(found)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Judges one value. `path` is what is still to go from here, `None` when the value is not on the path.
    fn value(&mut self, path: Option<&[JsonStep]>, depth: usize) -> Option<Option<Json<'a>>> {
        self.blanks();
        let mut inner = None;
        let json = match self.peek()? {
            b'{' => {
                inner = self.object(path, depth + 1)?;
                Json::Object
            }
            b'[' => {
                inner = self.array(path, depth + 1)?;
                Json::Array
            }
            b'"' => Json::Text(self.string()?),
            b'-' | b'0'..=b'9' => Json::Number(self.number()?),
            b't' => self.word("true", Json::Bool(true))?,
            b'f' => self.word("false", Json::Bool(false))?,
            b'n' => self.word("null", Json::Null)?,
            _ => return None,
        };
        Some(if path.is_some_and(<[JsonStep]>::is_empty) {
            Some(json)
        } else {
            inner
        })
    }

    fn object(&mut self, path: Option<&[JsonStep]>, depth: usize) -> Option<Option<Json<'a>>> {
        self.enter(depth)?;
        let mut found = None;
        if self.closes(b'}') {
            return Some(found);
        }
        loop {
            self.blanks();
            let key = self.string()?;
            self.blanks();
            self.eat(b':')?;
            let below = match path {
                Some([JsonStep::Name(name), below @ ..]) if unescape(key) == name.as_str() => Some(below),
                _ => None,
            };
            let value = self.value(below, depth)?;
            // The last of doubled keys counts.
            if below.is_some() {
                found = value;
            }
            if self.ends(b'}')? {
                return Some(found);
            }
        }
    }

    fn array(&mut self, path: Option<&[JsonStep]>, depth: usize) -> Option<Option<Json<'a>>> {
        self.enter(depth)?;
        let mut found = None;
        if self.closes(b']') {
            return Some(found);
        }
        let mut index = 0;
        loop {
            let below = match path {
                Some([JsonStep::Index(wanted), below @ ..]) if *wanted == index => Some(below),
                _ => None,
            };
            let value = self.value(below, depth)?;
            if below.is_some() {
                found = value;
            }
            index += 1;
            if self.ends(b']')? {
                return Some(found);
            }
        }
    }

    fn enter(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        (depth <= JsonPath::STEPS_MAX).then_some(())
    }

    /// Whether the brackets close at once.
    fn closes(&mut self, bracket: u8) -> bool {
        self.blanks();
        self.eat(bracket).is_some()
    }

    /// Whether the closing bracket follows rather than a comma.
    fn ends(&mut self, bracket: u8) -> Option<bool> {
        self.blanks();
        if self.eat(b',').is_some() {
            return Some(false);
        }
        self.eat(bracket).map(|()| true)
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

    fn word(&mut self, word: &str, json: Json<'a>) -> Option<Json<'a>> {
        let end = self.at + word.len();
        (self.text.get(self.at..end)? == word).then_some(())?;
        self.at = end;
        Some(json)
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
