//! Strings of JSON: judged when scanned, unescaped only when wanted.

use std::borrow::Cow;

/// The length in bytes of the string up to its closing quote; `None` when it is no string of JSON.
pub(super) fn scan_string(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += escape(bytes.get(at..)?)?,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

/// The length in bytes of an escape; a surrogate counts only with its other half.
fn escape(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => code_point(bytes).map(|(_, length)| length),
        _ => None,
    }
}

/// The character of a `\u` escape, and how many bytes it takes.
fn code_point(bytes: &[u8]) -> Option<(char, usize)> {
    let first = hex(bytes.get(2..6)?)?;
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first).map(|character| (character, 6));
    }
    (bytes.get(6..8)? == b"\\u").then_some(())?;
    let second = hex(bytes.get(8..12)?).filter(|second| (0xDC00..0xE000).contains(second))?;
    let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    char::from_u32(scalar).map(|character| (character, 12))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, digit| {
        Some(value * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// The text of a string that a [`super::JsonReader`] gave, between its quotes.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        text.push_str(plain);
        let (character, length) = match escaped.as_bytes().first() {
            Some(b'u') => {
                let from = raw.len() - escaped.len() - 1;
                let found = raw.as_bytes().get(from..).and_then(code_point);
                found.map_or((char::REPLACEMENT_CHARACTER, 1), |(character, length)| {
                    (character, length - 1)
                })
            }
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(other) => (char::from(*other), 1),
            None => return Cow::Owned(text),
        };
        text.push(character);
        rest = escaped.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    Cow::Owned(text)
}
