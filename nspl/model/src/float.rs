//! Floats in the fewest digits of their own type that read back, always with a point or an exponent; an exponent stands
//! from 1e21 up and below 1e-6. Of two that are as few and as near, the even one counts.

#[cfg(test)]
mod tests;

/// F32 or F64.
pub trait Float: zmij::Float + Copy {
    /// Whether its shortest digits surely come without an exponent, as they are to be written.
    fn is_plain(self) -> bool;
}

macro_rules! floats {
    ($($type:ident),*) => {$(
        impl Float for $type {
            #[inline]
            fn is_plain(self) -> bool {
                (1e-4..1e12).contains(&self.abs()) || self == 0.0
            }
        }
    )*};
}

floats!(f32, f64);

/// A power of ten from which on floats are written with an exponent.
const EXPONENT_FROM: i32 = 21;

/// The least power of ten of the first digit that is still written without an exponent.
const FIXED_FROM: i32 = -6;

/// A minus, the digits of either form, a point and zeros: 25 bytes at most.
const BYTES_MAX: usize = 32;

/// Room for the text of one float.
pub struct FloatText {
    shortest: zmij::Buffer,
    own: Digits,
}

impl Default for FloatText {
    #[inline]
    fn default() -> Self {
        Self {
            shortest: zmij::Buffer::new(),
            own: Digits {
                bytes: [0; BYTES_MAX],
                length: 0,
            },
        }
    }
}

impl FloatText {
    /// The text of a float: `1.0`, `1e21`, `1.5e-7`, `-0.0`, `NaN`, `inf`, `-inf`.
    #[inline]
    pub fn write<T: Float>(&mut self, value: T) -> &str {
        let text = self.shortest.format(value);
        if value.is_plain() {
            text
        } else {
            self.own.lay_out(text)
        }
    }
}

struct Digits {
    bytes: [u8; BYTES_MAX],
    length: usize,
}

impl Digits {
    /// The text with an exponent only where there is to be one.
    #[cold]
    fn lay_out<'a>(&'a mut self, text: &'a str) -> &'a str {
        let Some((mantissa, exponent)) = text.split_once('e') else {
            return text;
        };
        self.length = 0;
        let unsigned = mantissa.strip_prefix('-');
        if unsigned.is_some() {
            self.push("-");
        }
        let mantissa = unsigned.unwrap_or(mantissa);
        let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let power: i32 = exponent.parse().unwrap_or_default();
        if !(FIXED_FROM..EXPONENT_FROM).contains(&power) {
            self.push(mantissa);
            self.push("e");
            self.push(exponent.strip_prefix('+').unwrap_or(exponent));
        } else if power < 0 {
            self.push("0.");
            self.zeros(-power - 1);
            self.push(first);
            self.push(rest);
        } else {
            let whole = rest.len().min(usize::try_from(power).unwrap_or_default());
            let (whole, fraction) = rest.split_at_checked(whole).unwrap_or((rest, ""));
            self.push(first);
            self.push(whole);
            self.zeros(power - i32::try_from(whole.len()).unwrap_or_default());
            self.push(".");
            self.push(if fraction.is_empty() { "0" } else { fraction });
        }
        let written = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(written).unwrap_or_default()
    }

    fn zeros(&mut self, count: i32) {
        for _ in 0..count {
            self.push("0");
        }
    }

    fn push(&mut self, text: &str) {
        let end = self.length + text.len();
        if let Some(room) = self.bytes.get_mut(self.length..end) {
            room.copy_from_slice(text.as_bytes());
            self.length = end;
        }
    }
}
