//! Strings of JSON. What needs no escape, which is nearly all, is found eight bytes at a time and copied in one piece.

use crate::bounded::{BoundedWriter, Full};

#[cfg(test)]
mod tests;

/// Writes UTF-8 as a string of JSON: `"`, `\` and the control characters are escaped, nothing else.
#[inline]
pub(super) fn write(out: &mut BoundedWriter, text: &[u8]) -> Result<(), Full> {
    out.push(b'"')?;
    let plain = plain_len(text);
    out.write_short(text.get(..plain).unwrap_or_default())?;
    if plain < text.len() {
        write_escaped(out, text.get(plain..).unwrap_or_default())?;
    }
    out.push(b'"')
}

/// Writes what begins with a character that needs an escape.
#[cold]
fn write_escaped(out: &mut BoundedWriter, mut text: &[u8]) -> Result<(), Full> {
    while let Some((special, rest)) = text.split_first() {
        match special {
            b'"' => out.write(b"\\\"")?,
            b'\\' => out.write(b"\\\\")?,
            0x08 => out.write(b"\\b")?,
            b'\t' => out.write(b"\\t")?,
            b'\n' => out.write(b"\\n")?,
            0x0c => out.write(b"\\f")?,
            b'\r' => out.write(b"\\r")?,
            control => {
                let digit = |half: u8| HEX[usize::from(half & 15)];
                out.write(&[b'\\', b'u', b'0', b'0', digit(control >> 4), digit(*control)])?;
            }
        }
        let plain = plain_len(rest);
        let (plain, special) = rest.split_at_checked(plain).unwrap_or((rest, b""));
        out.write(plain)?;
        text = special;
    }
    Ok(())
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// How many bytes at the front need no escape.
#[inline]
fn plain_len(text: &[u8]) -> usize {
    let mut words = text.chunks_exact(8);
    let mut length = 0;
    for word in &mut words {
        let special = specials(word);
        if special != 0 {
            return length + special.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let special = words.remainder().iter().position(|byte| is_special(*byte));
    special.map_or(text.len(), |place| length + place)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of each of eight bytes that needs an escape. Above the first of them, others may be marked too.
#[inline]
fn specials(word: &[u8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = word.try_into().map_or(0, u64::from_le_bytes);
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH
}
