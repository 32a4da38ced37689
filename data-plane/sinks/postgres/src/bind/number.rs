//! Numbers and instants in the forms of Postgres.

use bytes::{BufMut, BytesMut};

/// The base of the digits of `numeric`.
const NUMERIC_BASE: u64 = 10_000;
/// Digits of that base in the largest U64.
const NUMERIC_DIGITS_MAX: usize = 5;

/// Microseconds from 1970 to 2000, where Postgres counts from.
const EPOCH_MICROS: i64 = 946_684_800_000_000;

/// A whole number as `numeric`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numeric {
    digits: [u16; NUMERIC_DIGITS_MAX],
    count: usize,
}

impl Numeric {
    pub(super) fn of(mut value: u64) -> Self {
        let mut digits = [0; NUMERIC_DIGITS_MAX];
        let mut count = 0;
        for place in digits.iter_mut().rev() {
            if value == 0 {
                break;
            }
            *place = u16::try_from(value % NUMERIC_BASE).unwrap_or_default();
            value /= NUMERIC_BASE;
            count += 1;
        }
        Self { digits, count }
    }

    /// Bytes that it is written in.
    pub(super) fn len(self) -> usize {
        8 + 2 * self.count
    }

    pub(super) fn put(self, out: &mut BytesMut) {
        let count = u16::try_from(self.count).unwrap_or_default();
        out.put_u16(count);
        // The power of the base that the first digit has.
        out.put_u16(count.saturating_sub(1));
        // Positive, with no digit behind the point.
        out.put_u16(0);
        out.put_u16(0);
        for digit in self.digits.iter().skip(NUMERIC_DIGITS_MAX - self.count) {
            out.put_u16(*digit);
        }
    }
}

/// An instant of `nanos` since 1970 as microseconds since 2000, rounded half away from zero to so many digits of a second.
pub(super) fn timestamp(nanos: i64, places: u8) -> i64 {
    let unit = 10_i64.pow(9 - u32::from(places.min(6)));
    let (mut whole, rest) = (nanos / unit, nanos % unit);
    if rest.unsigned_abs() * 2 >= unit.unsigned_abs() {
        whole += rest.signum();
    }
    // Nanoseconds of 64 bits are far within microseconds of 64 bits.
    whole * (unit / 1_000) - EPOCH_MICROS
}

/// A float as a whole number within 64 bits.
pub(super) fn whole(value: f64) -> Option<i64> {
    // 2^63 is a float, 2^63 - 1 is none.
    let bound = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && (-bound..bound).contains(&value)).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::{EPOCH_MICROS, Numeric, timestamp, whole};

    #[test]
    fn numeric_has_digits_of_ten_thousand() {
        let written = |value: u64| {
            let mut out = BytesMut::new();
            Numeric::of(value).put(&mut out);
            assert_eq!(out.len(), Numeric::of(value).len());
            let words: Vec<u16> = out
                .chunks(2)
                .map(|word| u16::from_be_bytes([word[0], word[1]]))
                .collect();
            words
        };
        assert_eq!(written(0), [0, 0, 0, 0]);
        assert_eq!(written(7), [1, 0, 0, 0, 7]);
        assert_eq!(written(10_000), [2, 1, 0, 0, 1, 0]);
        assert_eq!(written(u64::MAX), [5, 4, 0, 0, 1844, 6744, 737, 955, 1615]);
    }

    #[test]
    fn an_instant_is_rounded_half_away_from_zero_once() {
        let micros = |nanos, places| timestamp(nanos, places) + EPOCH_MICROS;
        assert_eq!(
            [micros(499, 6), micros(500, 6), micros(-500, 6), micros(-499, 6)],
            [0, 1, -1, 0]
        );
        // To milliseconds at once: by way of microseconds it would become one.
        assert_eq!(micros(499_999_500, 3), 500_000);
        assert_eq!(micros(499_500, 3), 0);
        assert_eq!(micros(500_000, 3), 1_000);
        assert_eq!([micros(499_999_999, 0), micros(500_000_000, 0)], [0, 1_000_000]);
        assert_eq!(micros(i64::MAX, 6), 9_223_372_036_854_776);
        assert_eq!(micros(i64::MIN, 6), -9_223_372_036_854_776);
    }

    #[test]
    fn a_float_is_whole_or_it_is_not() {
        assert_eq!(whole(-0.0), Some(0));
        assert_eq!(whole(-9_223_372_036_854_775_808.0), Some(i64::MIN));
        for value in [
            0.5,
            9_223_372_036_854_775_808.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            assert_eq!(whole(value), None, "{value}");
        }
    }
}
