//! Text of values, one form for the whole system (rulings section 5, Text of numbers): what a cast writes, a schemaful
//! codec writes too.

pub use nspl_model::{DateTimeText, Float, FloatText, Unread, read_datetime};

/// `true` or `false`.
pub fn bool_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}
