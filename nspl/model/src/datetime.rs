//! DATETIME as RFC 3339 text (rulings section 5): read with any offset, written in UTC.

#[cfg(test)]
mod tests;

/// Why a text is no value of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It is not how the type is written.
    #[error("the text is not how the type is written")]
    Unreadable,
    /// It is past the range of the type.
    #[error("the text is past the range of the type")]
    OutOfRange,
}

const NANOS: i128 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;

/// Nanoseconds since 1970-01-01T00:00:00Z of a text like `2026-01-31T23:59:59.5+01:00`.
///
/// # Errors
/// [`Unread::OutOfRange`] for an instant that nanoseconds of 64 bits do not reach.
pub fn read_datetime(text: &str) -> Result<i64, Unread> {
    let mut reader = Reader {
        rest: text.as_bytes(),
    };
    let seconds = reader.time_point().ok_or(Unread::Unreadable)?;
    let nanos = i128::from(seconds.whole) * NANOS + i128::from(seconds.nanos);
    i64::try_from(nanos).map_err(|_| Unread::OutOfRange)
}

/// The text of one instant, with 0, 3, 6 or 9 fraction digits and `Z`.
#[derive(Debug, Clone, Copy)]
pub struct DateTimeText {
    bytes: [u8; TEXT_BYTES_MAX],
    length: usize,
}

/// `2026-01-31T23:59:59.123456789Z`; every instant of 64 bits has a year of four digits.
const TEXT_BYTES_MAX: usize = 30;

impl DateTimeText {
    /// The text of an instant, in nanoseconds since 1970-01-01T00:00:00Z.
    pub fn of(nanos: i64) -> Self {
        let (seconds, fraction) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
        let (days, second) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
        let (year, month, day) = civil_from_days(days);
        let mut text = Self {
            bytes: *b"0000-00-00T00:00:00.000000000Z",
            length: 20,
        };
        for (end, value) in [
            (4, year),
            (7, month),
            (10, day),
            (13, second / 3600),
            (16, second / 60 % 60),
            (19, second % 60),
        ] {
            text.digits(end, value);
        }
        let (digits, value) = match fraction {
            0 => (0, 0),
            _ if fraction % 1_000_000 == 0 => (3, fraction / 1_000_000),
            _ if fraction % 1_000 == 0 => (6, fraction / 1_000),
            _ => (9, fraction),
        };
        if digits > 0 {
            text.length = 21 + digits;
            text.digits(20 + digits, value);
        }
        if let Some(last) = text.bytes.get_mut(text.length - 1) {
            *last = b'Z';
        }
        text
    }

    /// Its characters, all of them ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Writes a number over the zeros that end at a place.
    fn digits(&mut self, end: usize, mut value: i64) {
        for place in self.bytes.iter_mut().take(end).rev() {
            if value == 0 {
                break;
            }
            *place = b'0' + (value % 10) as u8;
            value /= 10;
        }
    }
}

struct Seconds {
    whole: i64,
    nanos: u32,
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn time_point(&mut self) -> Option<Seconds> {
        let year = self.number(4)?;
        self.mark(b"-")?;
        let month = self.number(2).filter(|month| (1..=12).contains(month))?;
        self.mark(b"-")?;
        let day = self
            .number(2)
            .filter(|day| (1..=days_in_month(year, month)).contains(day))?;
        self.mark(b"Tt")?;
        let hour = self.number(2).filter(|hour| *hour < 24)?;
        self.mark(b":")?;
        let minute = self.number(2).filter(|minute| *minute < 60)?;
        self.mark(b":")?;
        let second = self.number(2).filter(|second| *second <= 60)?;
        let nanos = self.fraction()?;
        let offset = self.offset()?;
        if !self.rest.is_empty() {
            return None;
        }
        let of_day = hour * 3600 + minute * 60 + second;
        let whole = days_from_civil(year, month, day) * DAY_SECONDS + of_day - offset;
        // A leap second stands only at the end of a day of UTC, and means the second after it.
        if second == 60 && whole.rem_euclid(DAY_SECONDS) != 0 {
            return None;
        }
        Some(Seconds { whole, nanos })
    }

    fn number(&mut self, digits: usize) -> Option<i64> {
        let (head, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        head.iter().try_fold(0, |value, byte| {
            byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
        })
    }

    fn mark(&mut self, accepted: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        accepted.contains(first).then_some(*first)
    }

    /// Up to nine digits after a point; no point, no fraction.
    fn fraction(&mut self) -> Option<u32> {
        if self.rest.first() != Some(&b'.') {
            return Some(0);
        }
        self.mark(b".")?;
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        let value = self.number(digits)?;
        let scale = 10_u32.pow(9 - u32::try_from(digits).ok()?);
        Some(u32::try_from(value).ok()? * scale)
    }

    /// Seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.mark(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        self.mark(b":")?;
        let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar, counted in eras of 400 years that begin in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
