//! RFC 3339 text of DATETIME, both ways (rulings section 5).

use super::Failure;

const NANOS: i128 = 1_000_000_000;

/// `T` or `t`, an offset, up to nine fraction digits; second 60 only as the last of a UTC day, meaning the next second.
pub(crate) fn read_datetime(text: &str) -> Result<i64, Failure> {
    parse(text)
        .ok_or_else(|| "the text is no RFC 3339 instant, such as 2026-01-01T00:00:00Z".to_owned())
        .and_then(|nanos| {
            i64::try_from(nanos).map_err(|_| "the instant is out of the range of DATETIME".to_owned())
        })
}

/// With 0, 3, 6 or 9 fraction digits and `Z`.
pub(crate) fn datetime_text(nanos: i64) -> String {
    let seconds = nanos.div_euclid(1_000_000_000);
    let fraction = nanos.rem_euclid(1_000_000_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let fraction = match fraction {
        0 => String::new(),
        n if n % 1_000_000 == 0 => format!(".{:03}", n / 1_000_000),
        n if n % 1_000 == 0 => format!(".{:06}", n / 1_000),
        n => format!(".{n:09}"),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

fn parse(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|byte| any.contains(byte));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let in_range = (1..=12).contains(&month) && (1..=month_days(year, month)).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, rest) = fraction(text.get(19..)?)?;
    let offset = offset(rest)?;
    let local = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    let utc = local - offset;
    if second == 60 && utc.rem_euclid(86_400) != 0 {
        return None;
    }
    Some(i128::from(utc) * NANOS + i128::from(fraction))
}

fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let value: i64 = rest.get(..digits)?.parse().ok()?;
    let scale = 10_i64.pow(u32::try_from(9 - digits).ok()?);
    Some((value * scale, rest.get(digits..)?))
}

fn offset(text: &str) -> Option<i64> {
    if text == "Z" || text == "z" {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let (hours, minutes) = (digits(1..3)?, digits(4..6)?);
    let fits = text.len() == 6 && text.as_bytes().get(3) == Some(&b':') && hours <= 23 && minutes <= 59;
    fits.then_some(sign * (hours * 3_600 + minutes * 60))
}

fn month_days(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of the proleptic Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{datetime_text, read_datetime};

    #[test]
    fn instants_read_and_print_in_utc() {
        for (text, shown) in [
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
            ("2026-02-28t23:30:00.5-01:00", "2026-03-01T00:30:00.500Z"),
            ("2024-02-29T00:00:00.000001+00:00", "2024-02-29T00:00:00.000001Z"),
            ("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ] {
            assert_eq!(datetime_text(read_datetime(text).unwrap()), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T12:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00+1:00",
            "9999-01-01T00:00:00Z",
        ] {
            assert!(read_datetime(text).is_err(), "{text}");
        }
    }
}
