//! HTTP dates: IMF-fixdate, and the two forms that are obsolete and still read (RFC 9110 section 5.6.7).

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use nervix_clock::UtcTime;

const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The letters of the short form of a day's name.
const SHORT: usize = 3;

/// The most years that a year of two digits may lie in the future.
const CENTURY_HALF: i32 = 50;

/// The moment that `text` names; `now` decides the century of a year of two digits. None where it is no date, or one that
/// nanoseconds of 64 bits cannot name.
pub(crate) fn read_date(text: &str, now: UtcTime) -> Option<UtcTime> {
    let moment = match text.split_once(", ") {
        Some((day, rest)) if is_day(day, Some(SHORT)) => imf_fixdate(rest),
        Some((day, rest)) if is_day(day, None) => rfc_850(rest, now),
        Some(_) => None,
        None => {
            let (day, rest) = text.split_once(' ')?;
            if is_day(day, Some(SHORT)) {
                asctime(rest)
            } else {
                None
            }
        }
    }?;
    moment.and_utc().timestamp_nanos_opt().map(UtcTime)
}

/// Whether it names a day, by as many letters as `letters` says, or by all.
fn is_day(name: &str, letters: Option<usize>) -> bool {
    DAYS.iter()
        .any(|day| Some(name) == letters.map_or(Some(*day), |letters| day.get(..letters)))
}

/// `06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(text: &str) -> Option<NaiveDateTime> {
    let mut parts = text.strip_suffix(" GMT")?.splitn(4, ' ');
    let (day, month) = (number(parts.next()?, 2)?, month(parts.next()?)?);
    let year = i32::try_from(number(parts.next()?, 4)?).ok()?;
    moment((year, month, day), parts.next()?)
}

/// `06-Nov-94 08:49:37 GMT`
fn rfc_850(text: &str, now: UtcTime) -> Option<NaiveDateTime> {
    let (date, time) = text.strip_suffix(" GMT")?.split_once(' ')?;
    let mut parts = date.splitn(3, '-');
    let (day, month) = (number(parts.next()?, 2)?, month(parts.next()?)?);
    let short = i32::try_from(number(parts.next()?, 2)?).ok()?;
    let this = Utc.timestamp_nanos(now.0).year();
    let year = this - this.rem_euclid(100) + short;
    // More than fifty years ahead means the last year of these digits that is past; more than fifty behind, the next.
    let year = if year > this + CENTURY_HALF {
        year - 100
    } else if year + 100 <= this + CENTURY_HALF {
        year + 100
    } else {
        year
    };
    moment((year, month, day), time)
}

/// `Nov  6 08:49:37 1994`, after the day's name.
fn asctime(text: &str) -> Option<NaiveDateTime> {
    let (name, rest) = text.split_once(' ')?;
    let (day, rest) = rest.split_at_checked(2)?;
    let day = match day.strip_prefix(' ') {
        Some(digit) => number(digit, 1)?,
        None => number(day, 2)?,
    };
    let (time, year) = rest.strip_prefix(' ')?.split_once(' ')?;
    let year = i32::try_from(number(year, 4)?).ok()?;
    moment((year, month(name)?, day), time)
}

fn moment((year, month, day): (i32, u32, u32), time: &str) -> Option<NaiveDateTime> {
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second = number(parts.next()?, 2)?;
    // A leap second is the next one.
    let (second, leap) = if second == 60 { (59, 1) } else { (second, 0) };
    let date = NaiveDate::from_ymd_opt(year, month, day)?;
    let time = NaiveTime::from_hms_opt(hour, minute, second)?;
    date.and_time(time).checked_add_signed(TimeDelta::seconds(leap))
}

fn month(name: &str) -> Option<u32> {
    let index = MONTHS.iter().position(|month| *month == name)?;
    u32::try_from(index + 1).ok()
}

/// Exactly so many digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use nervix_clock::UtcTime;

    use super::read_date;

    const SECOND: i64 = 1_000_000_000;
    /// 2026-11-30T12:00:00Z.
    const NOON: UtcTime = UtcTime(1_796_040_000 * SECOND);

    fn seconds(text: &str) -> Option<i64> {
        read_date(text, NOON).map(|moment| moment.0 / SECOND)
    }

    #[test]
    fn three_forms_name_one_moment() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(seconds(text), Some(784_111_777), "{text}");
        }
    }

    #[test]
    fn a_year_of_two_digits_lies_at_most_fifty_years_ahead() {
        let year = |digits: &str| {
            let moment = seconds(&format!("Monday, 01-Jan-{digits} 00:00:00 GMT"))?;
            chrono::DateTime::from_timestamp(moment, 0).map(|moment| chrono::Datelike::year(&moment))
        };
        assert_eq!(year("26"), Some(2026));
        assert_eq!(year("76"), Some(2076));
        assert_eq!(year("77"), Some(1977));
        assert_eq!(year("99"), Some(1999));
        assert_eq!(year("00"), Some(2000));
    }

    #[test]
    fn a_leap_second_is_the_next_and_no_other_value_is_too_large() {
        assert_eq!(
            seconds("Sat, 31 Dec 2016 23:59:60 GMT"),
            seconds("Sun, 01 Jan 2017 00:00:00 GMT")
        );
        for bad in [
            "Sat, 31 Dec 2016 23:59:61 GMT",
            "Sat, 31 Dec 2016 24:00:00 GMT",
            "Sat, 31 Dec 2016 23:60:00 GMT",
            "Mon, 30 Feb 2026 00:00:00 GMT",
            "Mon, 00 Jan 2026 00:00:00 GMT",
        ] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn nothing_else_is_a_date() {
        for bad in [
            "sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun,06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994",
            "Sun Nov 06 08:49:37 1994 GMT",
            "1994-11-06T08:49:37Z",
            "Sun Nov ü6 08:49:37 1994",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
