//! Text of values, one form for the whole system (rulings section 5, Text of numbers): what a cast writes, a schemaful
//! codec writes too.

mod datetime;
mod float;

pub use datetime::{DateTimeText, read_datetime};
pub use float::{Float, FloatText};

/// Why a text is no value of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is not how the type is written.
    Unreadable,
    /// It is past the range of the type.
    OutOfRange,
}

/// `true` or `false`.
pub fn bool_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}
