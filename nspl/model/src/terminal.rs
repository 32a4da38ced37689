//! What a terminal does not print but obeys: texts of strangers are shown without it.

use std::ops::Range;

/// Characters of the bidirectional algorithm, line separators, and marks without a width.
const TURNING: [Range<char>; 4] = [
    '\u{200b}'..'\u{2010}',
    '\u{2028}'..'\u{202f}',
    '\u{2060}'..'\u{2070}',
    '\u{feff}'..'\u{ff00}',
];

/// Whether a terminal obeys a character, as it does control characters, line breaks and tabs included; or turns around
/// or hides what stands behind it.
pub fn is_obeyed(c: char) -> bool {
    c.is_control() || TURNING.iter().any(|range| range.contains(&c))
}
