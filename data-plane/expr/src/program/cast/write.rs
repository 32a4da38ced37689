//! Floats and BOOL as text (rulings section 5, "Text of numbers").

use std::fmt::{Display, LowerExp, Write};

/// From this magnitude on, floats are written with an exponent.
const EXPONENT_FROM: f64 = 1e21;

/// Below this magnitude, floats are written with an exponent.
const EXPONENT_BELOW: f64 = 1e-6;

/// `true` or `false`.
pub(in crate::program) fn write_bool(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// A float type with its own fewest digits.
pub(in crate::program) trait WriteFloat: Copy + Display + LowerExp {
    /// The same number, exactly.
    fn wide(self) -> f64;
}

impl WriteFloat for f32 {
    fn wide(self) -> f64 {
        self.into()
    }
}

impl WriteFloat for f64 {
    fn wide(self) -> f64 {
        self
    }
}

/// The fewest digits that read back, always with a point or an exponent.
pub(in crate::program) fn write_float<T: WriteFloat>(value: T, text: &mut String) {
    let wide = value.wide();
    let magnitude = wide.abs();
    if wide.is_nan() {
        text.push_str("NaN");
    } else if wide.is_infinite() {
        text.push_str(if wide < 0.0 { "-inf" } else { "inf" });
    } else if magnitude >= EXPONENT_FROM || (magnitude < EXPONENT_BELOW && magnitude > 0.0) {
        append(text, format_args!("{value:e}"));
    } else {
        append(text, format_args!("{value}"));
        // The standard form of a whole float has no point.
        if wide.trunc() == wide {
            text.push_str(".0");
        }
    }
}

fn append(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _written = text.write_fmt(what).is_ok();
}
