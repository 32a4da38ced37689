//! Lengths of the lexical elements at the start of a text. Pure; no faults, no positions.

/// The bytes up to the first that does not hold.
pub(super) fn while_bytes(text: &str, holds: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| holds(*byte)).count()
}

/// The bytes up to the end of the line: LF, CR LF, or a CR alone, as a script has whose `--` must not hide all that follows.
pub(super) fn line(text: &str) -> usize {
    while_bytes(text, |byte| !matches!(byte, b'\n' | b'\r'))
}

/// The length of a word, 0 where there is none.
pub(super) fn word(text: &str) -> usize {
    while_bytes(text, |byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// The length of a number: digits, a fraction, an exponent.
pub(super) fn number(text: &str) -> usize {
    let digits = |from: usize| {
        text.get(from..)
            .map_or(0, |rest| while_bytes(rest, |byte| byte.is_ascii_digit()))
    };
    let mut length = digits(0);
    if text.as_bytes().get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(text.as_bytes().get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.as_bytes().get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// The length of a string literal with its quotes; none when it is never closed.
pub(super) fn text(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == quote)? + 1;
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// The length of a run of characters that begin nothing.
pub(super) fn bad(text: &str, symbols: &[&str]) -> usize {
    text.char_indices()
        .find(|(at, character)| {
            character.is_ascii_alphanumeric()
                || character.is_ascii_whitespace()
                || matches!(character, '_' | '\'' | '"')
                || (*at > 0
                    && text
                        .get(*at..)
                        .is_some_and(|rest| symbols.iter().any(|symbol| rest.starts_with(symbol))))
        })
        .map_or(text.len(), |(at, _)| at)
}
