//! Paths of the JSON functions (rulings section 5): `$`, `.name`, `["name"]`, `[n]`.

use thiserror::Error;

/// Where to look in a document; no steps is the document itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JsonPath {
    /// From the root down; at most [`JsonPath::STEPS_MAX`].
    pub steps: Vec<JsonStep>,
}

/// One step down.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum JsonStep {
    /// A member of an object; escapes are already undone.
    Name(String),
    /// An element of an array, from 0.
    Index(u64),
}

/// Why a text is no path.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum JsonPathError {
    /// The first character is not `$`.
    #[error("a path begins with $")]
    NoRoot,
    /// Something else than a step stands at this character, counted from 0.
    #[error("at character {at}: {expected}")]
    Step {
        /// Position in characters.
        at: usize,
        /// What would be accepted there.
        expected: &'static str,
    },
    /// More steps than a document can be deep.
    #[error(
        "a path has at most {} steps, as documents are at most that deep",
        JsonPath::STEPS_MAX
    )]
    TooDeep,
}

impl JsonPath {
    /// Documents are at most this many brackets deep.
    pub const STEPS_MAX: usize = 127;

    /// Reads a path.
    pub fn parse(text: &str) -> Result<JsonPath, JsonPathError> {
        let chars: Vec<char> = text.chars().collect();
        if chars.first() != Some(&'$') {
            return Err(JsonPathError::NoRoot);
        }
        let mut reader = Reader { chars: &chars, at: 1 };
        let mut steps = Vec::new();
        while let Some(next) = reader.peek() {
            steps.push(match next {
                '.' => reader.member()?,
                '[' => reader.bracket()?,
                _ => return Err(reader.fault("`.name`, `[\"name\"]` or `[n]` is expected")),
            });
            if steps.len() > Self::STEPS_MAX {
                return Err(JsonPathError::TooDeep);
            }
        }
        Ok(JsonPath { steps })
    }
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn fault(&self, expected: &'static str) -> JsonPathError {
        JsonPathError::Step {
            at: self.at,
            expected,
        }
    }

    fn member(&mut self) -> Result<JsonStep, JsonPathError> {
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|c| c == '_' || c.is_alphanumeric()) {
            self.at += 1;
        }
        match self.chars.get(start..self.at) {
            Some(name) if name.first().is_some_and(|c| !c.is_numeric()) => {
                Ok(JsonStep::Name(name.iter().collect()))
            }
            _ => {
                self.at = start;
                Err(self.fault("a name is expected after `.`; other keys are written [\"name\"]"))
            }
        }
    }

    fn bracket(&mut self) -> Result<JsonStep, JsonPathError> {
        self.at += 1;
        let step = match self.peek() {
            Some('"') => self.quoted()?,
            Some(c) if c.is_ascii_digit() => self.index()?,
            _ => {
                return Err(
                    self.fault("a number from 0, or a name in double quotes, is expected in brackets")
                );
            }
        };
        if self.peek() != Some(']') {
            return Err(self.fault("`]` is expected"));
        }
        self.at += 1;
        Ok(step)
    }

    fn index(&mut self) -> Result<JsonStep, JsonPathError> {
        let mut value: u64 = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value
                .checked_mul(10)
                .and_then(|value| value.checked_add(digit.into()))
                .ok_or_else(|| self.fault("an index below 2^64 is expected"))?;
            self.at += 1;
        }
        Ok(JsonStep::Index(value))
    }

    fn quoted(&mut self) -> Result<JsonStep, JsonPathError> {
        self.at += 1;
        let mut name = String::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(self.fault("a closing double quote is expected"));
            };
            self.at += 1;
            match c {
                '"' => return Ok(JsonStep::Name(name)),
                '\\' => name.push(self.escape()?),
                c if (c as u32) < 0x20 => {
                    self.at -= 1;
                    return Err(self.fault("a control character is written as \\u00XX"));
                }
                c => name.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonPathError> {
        let c = self.peek().ok_or_else(|| self.fault("an escape is expected"))?;
        self.at += 1;
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.fault("one of the escapes of JSON is expected"));
            }
        })
    }

    fn unicode(&mut self) -> Result<char, JsonPathError> {
        const LONE: &str = "a whole pair of surrogates is expected";
        let first = self.hex()?;
        let scalar = match first {
            0xD800..=0xDBFF => {
                if self.chars.get(self.at..self.at + 2) != Some(&['\\', 'u']) {
                    return Err(self.fault(LONE));
                }
                self.at += 2;
                match self.hex()? {
                    second @ 0xDC00..=0xDFFF => 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => return Err(self.fault(LONE)),
                }
            }
            other => other,
        };
        char::from_u32(scalar).ok_or_else(|| self.fault(LONE))
    }

    fn hex(&mut self) -> Result<u32, JsonPathError> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|c| c.to_digit(16));
            value = value * 16 + digit.ok_or_else(|| self.fault("four hexadecimal digits are expected"))?;
            self.at += 1;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests;
