//! How deep the blocks of a file are nested. The compiler recurses with them, so it is given no file that is too deep.

/// The deepest nesting of blocks that is compiled.
pub(crate) const NESTING_MAX: usize = 100;

/// The deepest nesting of `{`, `[` and `(` outside of comments and strings.
pub(crate) fn nesting(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut deepest, mut at) = (0_usize, 0, 0);
    while let Some(byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        at += match byte {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'"' | b'\'' => string_length(rest.as_bytes(), *byte),
            _ => 1,
        };
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The bytes of a string literal with its quotes.
fn string_length(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'\\' => 2,
            _ => 1,
        };
        if *byte == quote || *byte == b'\n' {
            break;
        }
    }
    at
}
