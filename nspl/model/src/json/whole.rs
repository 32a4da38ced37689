//! Whole numbers of JSON in any spelling: `100`, `100.0` and `1e2` are one number.

/// Digits that a number of 64 bits can have.
const DIGITS_MAX: usize = 20;

/// The number, when it is whole and can fit 64 bits; exact whatever the spelling.
pub fn whole_number(text: &str) -> Option<i128> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let zeros_behind = digits().rev().take_while(|digit| *digit == b'0').count();
    let zeros_before = digits().take_while(|digit| *digit == b'0').count();
    let all = whole.len() + fraction.len();
    if zeros_before == all {
        return Some(0);
    }
    // An exponent past 64 bits is past every spelling that could still be a number in range.
    let exponent = exponent
        .strip_prefix('+')
        .unwrap_or(exponent)
        .parse::<i64>()
        .ok()?;
    let shift = exponent
        .checked_sub(i64::try_from(fraction.len()).ok()?)?
        .checked_add(i64::try_from(zeros_behind).ok()?)?;
    let shift = usize::try_from(shift).ok()?;
    let significant = all - zeros_before - zeros_behind;
    if significant.checked_add(shift)? > DIGITS_MAX {
        return None;
    }
    let value = digits()
        .skip(zeros_before)
        .take(significant)
        .chain(std::iter::repeat_n(b'0', shift))
        .fold(0_i128, |value, digit| value * 10 + i128::from(digit - b'0'));
    Some(if negative { -value } else { value })
}
