//! Numbers read from text (rulings section 5, Text of numbers); how floats are written is [`nspl_model::FloatText`].

use super::Failure;

/// `-?digits`.
pub(crate) fn read_integer(text: &str) -> Result<i128, Failure> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("the text is no integer".into());
    }
    text.parse().map_err(|_| "the text is out of range".into())
}

/// `-?digits[.digits][e[+-]digits]`, or nan, inf, infinity in any case, a minus before the last two.
pub(crate) fn read_float(text: &str) -> Result<f64, Failure> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let word = |name: &str| unsigned.eq_ignore_ascii_case(name);
    if text.eq_ignore_ascii_case("nan") {
        return Ok(f64::NAN);
    }
    if word("inf") || word("infinity") {
        return Ok(if text.starts_with('-') {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    if !is_float(unsigned) {
        return Err("the text is no number".into());
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("the text is out of range".into()),
    }
}

fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::{read_float, read_integer};

    #[test]
    fn only_the_documented_spellings_read_as_numbers() {
        for text in ["1", "-1.5", "1e9", "1.5E-3", "nan", "-Infinity", "1e+2"] {
            assert!(read_float(text).is_ok(), "{text}");
        }
        for text in ["", " 1", "+1", ".5", "5.", "1e", "-nan", "1_0", "0x1", "1e999"] {
            assert!(read_float(text).is_err(), "{text}");
        }
        assert_eq!(read_integer("-007"), Ok(-7));
        for text in ["", "-", "+1", "1.0", "1 "] {
            assert!(read_integer(text).is_err(), "{text}");
        }
    }
}
