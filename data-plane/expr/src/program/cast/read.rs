//! Numbers and BOOL read from text (rulings section 5, "Text of numbers"): no blanks, no plus sign.

use crate::fault::Fault;

use super::number::FromInteger;

/// `true` or `false`.
pub(in crate::program) fn read_bool(text: &str) -> Result<bool, Fault> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Fault::Unreadable),
    }
}

/// `-?digits`, in range.
pub(in crate::program) fn read_integer<T: FromInteger>(text: &str) -> Result<T, Fault> {
    let digits = text.strip_prefix('-');
    let negative = digits.is_some();
    let digits = digits.unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Unreadable);
    }
    // Nothing past 64 bits is needed, so the digits may be as many as they like.
    let magnitude = digits.bytes().try_fold(0_i128, |value, digit| {
        let value = value * 10 + i128::from(digit - b'0');
        (value <= i128::from(u64::MAX)).then_some(value)
    });
    let magnitude = magnitude.ok_or(Fault::OutOfRange)?;
    T::from_integer(if negative { -magnitude } else { magnitude }).ok_or(Fault::OutOfRange)
}

/// A float type that can be read from digits.
pub(in crate::program) trait ReadFloat: Copy + std::str::FromStr {
    const NAN: Self;
    const INFINITY: Self;
    const NEG_INFINITY: Self;
    fn is_infinite(self) -> bool;
}

macro_rules! floats {
    ($($type:ident),*) => {$(
        impl ReadFloat for $type {
            const NAN: Self = $type::NAN;
            const INFINITY: Self = $type::INFINITY;
            const NEG_INFINITY: Self = $type::NEG_INFINITY;
            fn is_infinite(self) -> bool {
                self.is_infinite()
            }
        }
    )*};
}

floats!(f32, f64);

/// `-?digits[.digits][e[+-]digits]`, and `nan`, `inf`, `infinity` in any case, the last two with a minus or not.
pub(in crate::program) fn read_float<T: ReadFloat>(text: &str) -> Result<T, Fault> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("nan") {
        return Ok(T::NAN);
    }
    if is("inf") || is("infinity") {
        return Ok(T::INFINITY);
    }
    if is("-inf") || is("-infinity") {
        return Ok(T::NEG_INFINITY);
    }
    if !is_decimal(text) {
        return Err(Fault::Unreadable);
    }
    decimal(text)
}

/// A text of digits whose form is already known to be right: rounded to the nearest, past the range an error.
pub(in crate::program) fn decimal<T: ReadFloat>(text: &str) -> Result<T, Fault> {
    let value: T = text.parse().map_err(|_| Fault::Unreadable)?;
    if value.is_infinite() {
        Err(Fault::OutOfRange)
    } else {
        Ok(value)
    }
}

fn is_decimal(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let whole = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    whole && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}
