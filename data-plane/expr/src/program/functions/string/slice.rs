//! Parts of a text by characters.

/// Bytes that a `repeat` or a pad may come to (rulings section 5).
pub(super) const GROWN_BYTES_MAX: usize = 1 << 20;

/// Where the character at this position begins, in bytes; the length of the text when it has fewer.
pub(super) fn byte_of(text: &str, character: usize) -> usize {
    if text.is_ascii() {
        return character.min(text.len());
    }
    text.char_indices()
        .nth(character)
        .map_or(text.len(), |(byte, _)| byte)
}

/// How many characters the text has.
pub(super) fn characters(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Up to `count` characters from the start.
pub(super) fn head(text: &str, count: usize) -> &str {
    text.get(..byte_of(text, count)).unwrap_or(text)
}

/// What follows the first `count` characters.
pub(super) fn tail(text: &str, count: usize) -> &str {
    text.get(byte_of(text, count)..).unwrap_or_default()
}
