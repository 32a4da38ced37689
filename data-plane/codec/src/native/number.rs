//! Numbers of values as text.
//!
//! A value's number may be a whole number of any size, a double, or decimal digits as they were read. What comes out is a
//! number of JSON's grammar, which YAML and, within its ranges, TOML share.

use jaq_json::Num;
use nervix_columns::text::FloatText;

/// The text of a number, or none when it is not finite.
pub(crate) fn finite(number: &Num) -> Option<String> {
    match number {
        Num::Int(whole) => Some(whole.to_string()),
        Num::BigInt(whole) => Some(whole.to_string()),
        Num::Float(float) => finite_float(*float),
        Num::Dec(digits) if is_number(digits.as_bytes()) => Some(digits.to_string()),
        Num::Dec(digits) => finite_float(digits.parse().ok()?),
    }
}

/// The number that is spelled so in JSON: its digits are kept.
pub(crate) fn read(spelled: &str) -> Num {
    Num::from_str_radix(spelled, 10).unwrap_or_else(|| Num::Dec(spelled.to_owned().into()))
}

/// Whether it is a whole number, by its kind and not by its value: `1.0` is none.
pub(crate) fn is_whole(number: &Num) -> bool {
    matches!(number, Num::Int(_) | Num::BigInt(_))
}

/// The nearest double.
pub(crate) fn double(number: &Num) -> f64 {
    match number {
        Num::Float(float) => *float,
        // Digits that are no number give no number.
        other => other.to_string().parse().unwrap_or(f64::NAN),
    }
}

/// The fewest digits that read back, always with a point or an exponent.
fn finite_float(float: f64) -> Option<String> {
    float
        .is_finite()
        .then(|| FloatText::default().write(float).to_owned())
}

/// RFC 8259: `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`.
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = digits(text);
    if whole.is_empty() || (whole.len() > 1 && whole.first() == Some(&b'0')) {
        return false;
    }
    let rest = match rest.strip_prefix(b".").map(digits) {
        Some(([], _)) => return false,
        Some((_, rest)) => rest,
        None => rest,
    };
    let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) else {
        return rest.is_empty();
    };
    let sign = exponent
        .strip_prefix(b"+")
        .or_else(|| exponent.strip_prefix(b"-"));
    let (power, rest) = digits(sign.unwrap_or(exponent));
    !power.is_empty() && rest.is_empty()
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(count)
}
