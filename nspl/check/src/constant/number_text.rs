//! Text of numbers, both ways (rulings section 5 "Text of numbers").

use super::Failure;

/// F64 as text: the fewest digits that read back, always with a point or an exponent; an exponent from 1e21 up and below
/// 1e-6. Of two that are as few and as near, the even one counts.
pub(crate) fn f64_text(value: f64) -> String {
    let magnitude = value.abs();
    let shortest = if magnitude == 0.0 || !value.is_finite() || (1e-6..1e21).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    };
    float_text(value, shortest, |text| text.parse() == Ok(value))
}

/// F32 by its own digits.
pub(crate) fn f32_text(value: f32) -> String {
    let magnitude = value.abs();
    let shortest = if magnitude == 0.0 || !value.is_finite() || (1e-6..1e21).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    };
    float_text(value.into(), shortest, |text| text.parse() == Ok(value))
}

/// Where another text is as short and as near, `shortest` may be the odd one; the even one is what rounding gives.
fn float_text(value: f64, shortest: String, reads_back: impl Fn(&str) -> bool) -> String {
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let even = match shortest.split_once('e') {
        _ if !value.is_finite() => return shortest,
        Some((mantissa, _)) => format!("{value:.*e}", decimals(mantissa)),
        None if !shortest.contains('.') => return format!("{shortest}.0"),
        None => format!("{value:.*}", decimals(&shortest)),
    };
    if reads_back(&even) { even } else { shortest }
}

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
    use super::{f32_text, f64_text, read_float, read_integer};

    #[test]
    fn floats_print_as_the_rulings_say() {
        for (value, text) in [
            (1.0, "1.0"),
            (1e21, "1e21"),
            (1.5e-7, "1.5e-7"),
            (1e20, "100000000000000000000.0"),
            (1e-6, "0.000001"),
            (-0.0, "-0.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
            (0.1, "0.1"),
            (-680_876_640_343_528.2, "-680876640343528.2"),
        ] {
            assert_eq!(f64_text(value), text);
        }
        assert_eq!(f32_text(0.1), "0.1");
        assert_eq!(f32_text(1e-6), "0.000001");
        assert_eq!(f32_text(1.5e30), "1.5e30");
    }

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
