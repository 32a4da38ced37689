//! Text of durations and sizes, with the units of companion section 1.

use std::fmt;
use std::time::Duration;

/// Prints a duration in the largest unit that is exact: `1500ms`, `1m`; below a microsecond it is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DurationText(pub Duration);

/// Prints a number of bytes with the unit that needs the fewest digits and is exact: `1MiB`, `1500B`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeText(pub u64);

const DURATION_UNITS: [(u128, &str); 6] = [
    (86_400_000_000, "d"),
    (3_600_000_000, "h"),
    (60_000_000, "m"),
    (1_000_000, "s"),
    (1_000, "ms"),
    (1, "us"),
];

const SIZE_UNITS: [(u64, &str); 9] = [
    (1 << 40, "TiB"),
    (1_000_000_000_000, "TB"),
    (1 << 30, "GiB"),
    (1_000_000_000, "GB"),
    (1 << 20, "MiB"),
    (1_000_000, "MB"),
    (1 << 10, "KiB"),
    (1_000, "KB"),
    (1, "B"),
];

impl DurationText {
    /// Microseconds of one unit.
    pub fn unit_us(unit: &str) -> Option<u64> {
        let unit = DURATION_UNITS.iter().find(|(_, name)| *name == unit);
        unit.and_then(|(length, _)| u64::try_from(*length).ok())
    }
}

impl SizeText {
    /// Bytes of one unit.
    pub fn unit_bytes(unit: &str) -> Option<u64> {
        SIZE_UNITS
            .iter()
            .find(|(_, name)| *name == unit)
            .map(|(length, _)| *length)
    }
}

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        let exact = DURATION_UNITS
            .iter()
            .find(|(length, _)| micros >= *length && micros.is_multiple_of(*length));
        match exact {
            Some((length, unit)) => write!(f, "{}{unit}", micros / length),
            None => f.write_str("0us"),
        }
    }
}

impl fmt::Display for SizeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = SIZE_UNITS
            .iter()
            .find(|(length, _)| self.0 >= *length && self.0.is_multiple_of(*length));
        match exact {
            Some((length, unit)) => write!(f, "{}{unit}", self.0 / length),
            None => f.write_str("0B"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DurationText, SizeText};
    use std::time::Duration;

    #[test]
    fn quantities_print_in_the_largest_exact_unit() {
        for (micros, text) in [
            (250_000, "250ms"),
            (60_000_000, "1m"),
            (90_000_000, "90s"),
            (7, "7us"),
        ] {
            assert_eq!(DurationText(Duration::from_micros(micros)).to_string(), text);
        }
        for (bytes, text) in [
            (1 << 20, "1MiB"),
            (1_000, "1KB"),
            (1_001, "1001B"),
            (600, "600B"),
            (262_144, "256KiB"),
        ] {
            assert_eq!(SizeText(bytes).to_string(), text);
        }
        assert_eq!(DurationText::unit_us("d"), Some(86_400_000_000));
        assert_eq!(SizeText::unit_bytes("kb"), None);
    }
}
