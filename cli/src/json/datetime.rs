//! DATETIME as text: RFC 3339 with `T` or `t`, an offset, up to nine fraction digits.

use chrono::{DateTime, SecondsFormat, Timelike};

/// Nanoseconds since 1970-01-01T00:00:00Z; `None` for what is no RFC 3339 or lies outside 64 bits. Second 60 is taken as
/// the last of a UTC day and means the next second.
pub(super) fn read(text: &str) -> Option<i64> {
    let separator = text.as_bytes().get(10)?;
    let fraction = text
        .split_once('.')
        .map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    if !matches!(separator, b'T' | b't') || fraction > 9 {
        return None;
    }
    let moment = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    // chrono keeps a leap second as a nanosecond beyond the second 59.
    let leap = moment.nanosecond() >= 1_000_000_000;
    if leap && (moment.hour(), moment.minute()) != (23, 59) {
        return None;
    }
    let nanoseconds = i128::from(moment.timestamp()) * 1_000_000_000 + i128::from(moment.nanosecond());
    i64::try_from(nanoseconds).ok()
}

/// In UTC, with 0, 3, 6 or 9 fraction digits and `Z`.
pub(super) fn write(nanoseconds: i64) -> String {
    DateTime::from_timestamp_nanos(nanoseconds).to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn moments_are_read_with_any_offset_and_written_in_utc() {
        for (text, canonical) in [
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
            ("2026-01-01t01:00:00.5+01:00", "2026-01-01T00:00:00.500Z"),
            ("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ] {
            assert_eq!(read(text).map(write).as_deref(), Some(canonical), "{text}");
        }
    }

    #[test]
    fn what_is_no_rfc_3339_is_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-02-30T00:00:00Z",
            "2026-01-01T12:00:60Z",
            "9999-01-01T00:00:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
