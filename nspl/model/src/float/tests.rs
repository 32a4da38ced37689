use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{Float, FloatText};

fn text<T: Float>(value: T) -> String {
    FloatText::default().write(value).to_owned()
}

/// The same rule on top of the standard library's digits, of which two may be as few and as near: the even one counts.
macro_rules! slow {
    ($value:expr) => {{
        let value = $value;
        let magnitude = value.abs();
        let even = |shortest: String, rounded: String| {
            if rounded.parse() == Ok(value) {
                rounded
            } else {
                shortest
            }
        };
        if value.is_nan() {
            "NaN".to_owned()
        } else if value.is_infinite() {
            format!("{value}")
        } else if magnitude >= 1e21 || (magnitude > 0.0 && magnitude < 1e-6) {
            let shortest = format!("{value:e}");
            let (mantissa, _) = shortest.split_once('e').unwrap();
            let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            even(shortest, format!("{value:.decimals$e}"))
        } else if value.trunc() == value {
            format!("{value}.0")
        } else {
            let shortest = format!("{value}");
            let decimals = shortest.split_once('.').unwrap().1.len();
            even(shortest, format!("{value:.decimals$}"))
        }
    }};
}

#[test]
fn floats_are_written_with_a_point_or_an_exponent() {
    let table = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (1e15, "1000000000000000.0"),
        (1e16, "10000000000000000.0"),
        (-123_456_789_012_345_680_000.0, "-123456789012345680000.0"),
        (1e20, "100000000000000000000.0"),
        (1e21, "1e21"),
        (-1.5e300, "-1.5e300"),
        (1e-5, "0.00001"),
        (1e-6, "0.000001"),
        (-1.25e-6, "-0.00000125"),
        (9.9e-7, "9.9e-7"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        // As near as ...528.3, and even.
        (-680_876_640_343_528.2, "-680876640343528.2"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
    ];
    for (value, expected) in table {
        assert_eq!(text(value), expected);
        assert_eq!(slow!(value), expected);
    }
    assert_eq!(text(0.1_f32), "0.1");
    assert_eq!(text(f32::MAX), "3.4028235e38");
    assert_eq!(text(16_777_216.0_f32), "16777216.0");
    assert_eq!(text(1e-6_f32), "0.000001");
    assert_eq!(text(1.5e30_f32), "1.5e30");
}

proptest! {
    #[test]
    fn every_float_is_written_like_the_standard_digits(bits in any::<u64>(), near in -30..30_i32, small in any::<i32>()) {
        let scaled = f64::from(small) * 10_f64.powi(near);
        for value in [f64::from_bits(bits), scaled, scaled.trunc()] {
            prop_assert_eq!(text(value), slow!(value));
        }
        for value in [f32::from_bits(bits as u32), scaled as f32] {
            prop_assert_eq!(text(value), slow!(value));
        }
    }
}
