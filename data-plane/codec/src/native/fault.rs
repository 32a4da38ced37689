//! Why a value cannot be written in a format, and why a payload cannot be read in one. Neither quotes a value.

use crate::bounded::Full;

/// A value was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteFault {
    /// It passed the limit of bytes, and was abandoned there.
    Full,
    /// The format has no form for what is in it.
    Value(&'static str),
}

impl WriteFault {
    pub(crate) const NOT_FINITE: Self = Self::Value("a number that is not finite");
    pub(crate) const KEY: Self = Self::Value("a key that is no string");
    pub(crate) const NOT_UTF8: Self = Self::Value("text that is not UTF-8");
}

impl From<Full> for WriteFault {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// A payload was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadFault {
    /// It is not of the format.
    Malformed,
    /// It is nested deeper than is read.
    TooDeep,
    /// It is of the format, and holds something that has no value.
    Unsupported(&'static str),
}
