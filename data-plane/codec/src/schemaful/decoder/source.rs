//! Where values come from: one place in a payload.

use std::borrow::Cow;

/// Why a value is not one of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::schemaful) enum Reason {
    /// The payload ends or breaks off here.
    Malformed,
    /// Another type outside than the wire schema says.
    Type,
    /// A number past the range of the field, or not whole.
    Range,
    /// Another number of items than the ARRAY has.
    Length,
    /// Text that is not RFC 3339.
    Rfc3339,
    /// Text that is not padded base64.
    Base64,
    /// A null where a value must be.
    Null,
    /// No value where one must be.
    Missing,
    /// One batch has no room for it.
    NoRoom,
}

impl Reason {
    /// What is said of the field.
    pub(in crate::schemaful) fn text(self) -> &'static str {
        match self {
            Self::Malformed => "is malformed",
            Self::Type => "is not of the type that the wire schema says",
            Self::Range => "is a number that its type does not hold",
            Self::Length => "has not as many items as its ARRAY",
            Self::Rfc3339 => "is not an RFC 3339 date and time that nanoseconds of 64 bits reach",
            Self::Base64 => "is not padded base64",
            Self::Null => "is null and not OPTIONAL",
            Self::Missing => "is missing and not OPTIONAL",
            Self::NoRoom => "has no room in one batch",
        }
    }
}

/// A value that is asked to be of a type; what was read of one that is not does not matter any more.
pub(in crate::schemaful) trait Source<'a> {
    /// Passes over a null, if one is next.
    fn null(&mut self) -> bool;
    fn integer(&mut self) -> Result<i128, Reason>;
    fn f32(&mut self) -> Result<f32, Reason>;
    fn f64(&mut self) -> Result<f64, Reason>;
    fn bool(&mut self) -> Result<bool, Reason>;
    fn text(&mut self) -> Result<Cow<'a, str>, Reason>;
    fn bytes(&mut self) -> Result<Cow<'a, [u8]>, Reason>;
    /// Reads a list: `item` reads each of its items.
    fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<(), Reason>) -> Result<(), Reason>;
}
