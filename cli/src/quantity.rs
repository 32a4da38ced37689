//! Sizes and durations of arguments, written as NSPL writes them: `64MiB`, `30s`.

use std::time::Duration;

const SIZES: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

const DURATIONS: [(&str, u64); 6] = [
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// `64MiB` in bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    quantity(text, &SIZES)
        .ok_or_else(|| "write a whole number of at least 1 and a unit, such as 64MiB".to_owned())
}

/// `30s`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    quantity(text, &DURATIONS)
        .map(Duration::from_micros)
        .ok_or_else(|| "write a whole number of at least 1 and a unit, such as 30s".to_owned())
}

/// `512`, at least 1.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "write a whole number of at least 1".to_owned())
}

fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let factor = units.iter().find(|(name, _)| *name == unit)?.1;
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(factor)
        .filter(|product| *product > 0)
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration};
    use std::time::Duration;

    #[test]
    fn quantities_are_read_as_nspl_writes_them() {
        assert_eq!(bytes("64MiB"), Ok(64 << 20));
        assert_eq!(bytes("2KB"), Ok(2_000));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(count("512"), Ok(512));
        assert!(count("0").is_err() && count("-1").is_err() && count("1KiB").is_err());
        assert_eq!(duration("1d"), Ok(Duration::from_secs(86_400)));
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in [
            "",
            "64",
            "MiB",
            "0B",
            "64mib",
            "1.5MiB",
            "-1B",
            "64 MiB",
            "99999999999999999999B",
            "9999999TiBB",
        ] {
            assert!(bytes(text).is_err(), "{text}");
        }
        for text in ["", "5", "0s", "1w", "s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
