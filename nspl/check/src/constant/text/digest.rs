//! Hexadecimal texts.

use std::fmt::Write;

use md5::{Digest, Md5};
use nspl_model::Literal;

use super::kept;
use crate::constant::Folded;

/// MD5 of the UTF-8 text, in 32 digits.
pub(in crate::constant) fn md5(text: &str) -> Folded {
    let mut digits = String::with_capacity(32);
    for byte in Md5::digest(text.as_bytes()) {
        // Writing to a String cannot fail.
        let _written = write!(digits, "{byte:02x}");
    }
    kept(digits)
}

/// An integer in two's complement, in the width of its type.
pub(in crate::constant) fn to_hex(number: &Literal) -> Folded {
    kept(match number {
        Literal::U8(value) => format!("{value:x}"),
        Literal::I8(value) => format!("{value:x}"),
        Literal::U16(value) => format!("{value:x}"),
        Literal::I16(value) => format!("{value:x}"),
        Literal::U32(value) => format!("{value:x}"),
        Literal::I32(value) => format!("{value:x}"),
        Literal::U64(value) => format!("{value:x}"),
        Literal::I64(value) => format!("{value:x}"),
        _ => return Ok(None),
    })
}
