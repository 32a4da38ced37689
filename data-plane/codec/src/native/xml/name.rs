//! Names in XML 1.0 with namespaces: a name without a colon, or two of them with one between.
//!
//! What a prefix stands for is declared by an attribute (`xmlns:p`), which is the matter of whoever writes the document.

/// Whether this can name an element or an attribute: `QName`.
pub(super) fn is_qualified(name: &str) -> bool {
    match name.split_once(':') {
        Some((prefix, local)) => is_plain(prefix) && is_plain(local),
        None => is_plain(name),
    }
}

/// Whether this is a name without a colon: `NCName`.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(begins)
        && name
            .chars()
            .all(|character| begins(character) || goes_on(character))
}

/// `NameStartChar` without the colon.
fn begins(character: char) -> bool {
    matches!(character,
        'A'..='Z' | '_' | 'a'..='z'
        | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}'
        | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}'
        | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}')
}

/// What `NameChar` has beside that.
fn goes_on(character: char) -> bool {
    matches!(character,
        '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}
