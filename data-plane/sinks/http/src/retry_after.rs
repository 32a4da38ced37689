//! Retry-After: the delay that a retryable answer asks for (`emitters.txt`, "HTTP retries and acknowledgements").

use std::time::Duration;

use nervix_clock::{PhysicalClock, UtcTime};

use crate::date::read_date;

/// The delay that the only Retry-After field of an answer asks for, counted from now. None where it is malformed, or
/// names a moment that cannot be represented or that the monotonic clock cannot schedule.
pub(crate) fn asked_delay(value: &[u8], clock: &PhysicalClock) -> Option<Duration> {
    let delay = delay_from(value, clock.utc())?;
    clock.now().checked_after(delay).map(|_| delay)
}

fn delay_from(value: &[u8], now: UtcTime) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let delay = Duration::from_secs(text.parse().ok()?);
        let nanos = i64::try_from(delay.as_nanos()).ok()?;
        // The end has to be a moment that can be named, as that of a date has.
        return now.0.checked_add(nanos).map(|_| delay);
    }
    let moment = read_date(text, now)?;
    let nanos = moment.0.saturating_sub(now.0);
    Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nervix_clock::UtcTime;

    use super::delay_from;

    /// 2026-11-30T12:00:00Z.
    const NOON: UtcTime = UtcTime(1_796_040_000 * 1_000_000_000);

    fn asked(value: &str) -> Option<u64> {
        delay_from(value.as_bytes(), NOON).map(|delay| delay.as_secs())
    }

    #[test]
    fn whole_seconds_and_the_three_forms_of_a_date_ask_for_a_delay() {
        let forms = [
            ("0", 0),
            ("5", 5),
            ("0000120", 120),
            ("Mon, 30 Nov 2026 12:01:40 GMT", 100),
            ("Monday, 30-Nov-26 12:01:40 GMT", 100),
            ("Mon Nov 30 12:01:40 2026", 100),
            ("Tue Dec  1 12:00:00 2026", 86_400),
        ];
        for (value, seconds) in forms {
            assert_eq!(asked(value), Some(seconds), "{value}");
        }
    }

    #[test]
    fn a_date_that_is_past_asks_for_no_delay() {
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), Some(0));
        assert_eq!(asked("Sunday, 06-Nov-94 08:49:37 GMT"), Some(0));
        assert_eq!(asked("Thu Jan  1 00:00:00 1970"), Some(0));
    }

    #[test]
    fn what_is_malformed_or_cannot_be_represented_asks_for_nothing() {
        let nothing = [
            "",
            "1.5",
            "-1",
            "+5",
            "5s",
            "5, 5",
            "soon",
            "18446744073709551616",
            // They end after the year 2262.
            "7500000000",
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "Fri Dec 31 23:59:59 9999",
        ];
        for value in nothing {
            assert_eq!(asked(value), None, "{value}");
        }
        assert_eq!(delay_from(&[0xff], NOON), None);
    }

    #[test]
    fn part_of_a_second_counts() {
        let now = UtcTime(NOON.0 + 250_000_000);
        let delay = delay_from(b"Mon, 30 Nov 2026 12:00:01 GMT", now);
        assert_eq!(delay, Some(Duration::from_millis(750)));
    }
}
