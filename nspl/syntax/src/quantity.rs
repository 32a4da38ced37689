//! Whole numbers, durations and sizes (companion section 1, rulings section 2).
//!
//! Each keeps its digits and its unit as they were written, so that SHOW CREATE repeats them. Ranges ("at least
//! one", "at most 365d") are rules of the checker and not judged here.

use crate::grammar::{Rule, accept};
use crate::printer::{Print, Printer, display};
use crate::token::{Token, TokenKind};
use std::time::Duration as StdDuration;

use crate::span::Span;

/// A whole number without a sign or unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Whole {
    /// Its decimal digits as written.
    pub digits: String,
    /// Where it stands.
    pub span: Span,
}

/// A duration such as `250ms`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Duration {
    /// The decimal digits of the amount as written.
    pub digits: String,
    /// The unit as written.
    pub unit: DurationUnit,
    /// Where it stands.
    pub span: Span,
}

/// A number of bytes such as `1MiB`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// The decimal digits of the amount as written.
    pub digits: String,
    /// The unit as written.
    pub unit: SizeUnit,
    /// Where it stands.
    pub span: Span,
}

/// The units of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DurationUnit {
    /// `us`
    Microseconds,
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
    /// `m`
    Minutes,
    /// `h`
    Hours,
    /// `d`
    Days,
}

/// The units of sizes: `KB` is 1,000 bytes and `KiB` 1,024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SizeUnit {
    /// `B`
    Bytes,
    /// `KB`
    Kilobytes,
    /// `KiB`
    Kibibytes,
    /// `MB`
    Megabytes,
    /// `MiB`
    Mebibytes,
    /// `GB`
    Gigabytes,
    /// `GiB`
    Gibibytes,
    /// `TB`
    Terabytes,
    /// `TiB`
    Tebibytes,
}

impl DurationUnit {
    /// Every unit, shortest first.
    pub const ALL: [Self; 6] = [
        Self::Microseconds,
        Self::Milliseconds,
        Self::Seconds,
        Self::Minutes,
        Self::Hours,
        Self::Days,
    ];

    /// The unit as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Minutes => "m",
            Self::Hours => "h",
            Self::Days => "d",
        }
    }

    /// The length of one unit in microseconds.
    #[must_use]
    pub const fn microseconds(self) -> u64 {
        match self {
            Self::Microseconds => 1,
            Self::Milliseconds => 1_000,
            Self::Seconds => 1_000_000,
            Self::Minutes => 60_000_000,
            Self::Hours => 3_600_000_000,
            Self::Days => 86_400_000_000,
        }
    }
}

impl SizeUnit {
    /// Every unit, smallest first.
    pub const ALL: [Self; 9] = [
        Self::Bytes,
        Self::Kilobytes,
        Self::Kibibytes,
        Self::Megabytes,
        Self::Mebibytes,
        Self::Gigabytes,
        Self::Gibibytes,
        Self::Terabytes,
        Self::Tebibytes,
    ];

    /// The unit as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "B",
            Self::Kilobytes => "KB",
            Self::Kibibytes => "KiB",
            Self::Megabytes => "MB",
            Self::Mebibytes => "MiB",
            Self::Gigabytes => "GB",
            Self::Gibibytes => "GiB",
            Self::Terabytes => "TB",
            Self::Tebibytes => "TiB",
        }
    }

    /// The bytes of one unit.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Bytes => 1,
            Self::Kilobytes => 1_000,
            Self::Kibibytes => 1 << 10,
            Self::Megabytes => 1_000_000,
            Self::Mebibytes => 1 << 20,
            Self::Gigabytes => 1_000_000_000,
            Self::Gibibytes => 1 << 30,
            Self::Terabytes => 1_000_000_000_000,
            Self::Tebibytes => 1 << 40,
        }
    }
}

impl Whole {
    /// A number that stands nowhere, for trees built by a program.
    #[must_use]
    pub fn new(value: u64) -> Self {
        Self {
            digits: value.to_string(),
            span: Span::default(),
        }
    }

    /// The number, or none when it is past 64 bits.
    #[must_use]
    pub fn value(&self) -> Option<u64> {
        self.digits.parse().ok()
    }
}

impl Duration {
    /// A duration that stands nowhere, for trees built by a program.
    #[must_use]
    pub fn new(amount: u64, unit: DurationUnit) -> Self {
        Self {
            digits: amount.to_string(),
            unit,
            span: Span::default(),
        }
    }

    /// The duration, or none when its microseconds are past 64 bits.
    #[must_use]
    pub fn value(&self) -> Option<StdDuration> {
        let amount: u64 = self.digits.parse().ok()?;
        amount
            .checked_mul(self.unit.microseconds())
            .map(StdDuration::from_micros)
    }
}

impl Size {
    /// A size that stands nowhere, for trees built by a program.
    #[must_use]
    pub fn new(amount: u64, unit: SizeUnit) -> Self {
        Self {
            digits: amount.to_string(),
            unit,
            span: Span::default(),
        }
    }

    /// The number of bytes, or none when it is past 64 bits (unsigned; the checker judges the signed range).
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let amount: u64 = self.digits.parse().ok()?;
        amount.checked_mul(self.unit.bytes())
    }
}

/// The label of a place for a whole number.
pub(crate) const WHOLE: &str = "a whole number";
/// The label of a place for a duration.
pub(crate) const DURATION: &str = "a duration such as 250ms";
/// The label of a place for a size.
pub(crate) const SIZE: &str = "a size such as 1MiB";

pub(crate) fn whole<'t>() -> Rule<'t, Whole> {
    accept(WHOLE, |token| {
        (token.kind == TokenKind::Number && is_digits(token.text)).then(|| Whole {
            digits: token.text.to_owned(),
            span: token.span,
        })
    })
}

pub(crate) fn duration<'t>() -> Rule<'t, Duration> {
    accept(DURATION, |token| {
        let (digits, unit) = amount_and_unit(token)?;
        let unit = DurationUnit::ALL
            .into_iter()
            .find(|known| known.as_str() == unit)?;
        Some(Duration {
            digits: digits.to_owned(),
            unit,
            span: token.span,
        })
    })
}

pub(crate) fn size<'t>() -> Rule<'t, Size> {
    accept(SIZE, |token| {
        let (digits, unit) = amount_and_unit(token)?;
        let unit = SizeUnit::ALL.into_iter().find(|known| known.as_str() == unit)?;
        Some(Size {
            digits: digits.to_owned(),
            unit,
            span: token.span,
        })
    })
}

/// The digits and the unit of a quantity with a whole amount.
fn amount_and_unit(token: Token<'_>) -> Option<(&str, &str)> {
    let TokenKind::Quantity { number } = token.kind else {
        return None;
    };
    let (digits, unit) = token.text.split_at_checked(number)?;
    is_digits(digits).then_some((digits, unit))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Print for Whole {
    fn print(&self, printer: &mut Printer) {
        printer.put(&self.digits);
    }
}

impl Print for Duration {
    fn print(&self, printer: &mut Printer) {
        printer.put(&self.digits).put(self.unit.as_str());
    }
}

impl Print for Size {
    fn print(&self, printer: &mut Printer) {
        printer.put(&self.digits).put(self.unit.as_str());
    }
}

display!(Whole, Duration, Size);
