//! What can go wrong with one record in an expression. Never says what the value was.

use std::fmt;

use nspl_model::Unread;
use nspl_model::json::NotJson;

/// Why a value could not be computed (companion section 4: an evaluation error of that record alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The result of integer arithmetic, or of a function, is past the range of its type.
    Overflow,
    /// Division, or remainder, by zero.
    DivisionByZero,
    /// A number that the target type does not hold exactly or at all.
    OutOfRange,
    /// Text that is not how the target type is written.
    Unreadable,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Text that is no JSON.
    NotJson,
    /// A JSON value of another type than was asked for.
    JsonType,
    /// An argument for which the function has no value: the logarithm of zero, the root of a negative number.
    Domain,
    /// A count below zero.
    NegativeCount,
    /// Part 0 of `split_part`, whose parts are counted from 1, or from -1 at the end.
    ZeroIndex,
    /// A text longer than a STRING may become.
    TooLong,
    /// A text that is no regular expression, or one too large once compiled.
    Pattern,
    /// The engine could not evaluate what the checker had accepted: a defect, not the record's doing.
    Internal,
}

impl Fault {
    /// What is said of it in `error.message`.
    pub fn message(self) -> &'static str {
        match self {
            Self::Overflow => "the result is out of range",
            Self::DivisionByZero => "division by zero",
            Self::OutOfRange => "the value does not fit the type exactly",
            Self::Unreadable => "the text is not a value of the type",
            Self::NotUtf8 => "the bytes are not UTF-8",
            Self::NotJson => "the text is not JSON",
            Self::JsonType => "the JSON value is of another type",
            Self::Domain => "the function has no value there",
            Self::NegativeCount => "a count must not be negative",
            Self::ZeroIndex => "parts are counted from 1, or from -1 at the end",
            Self::TooLong => "the result is too long",
            Self::Pattern => "the pattern is not a regular expression within the size limit",
            Self::Internal => "the engine could not evaluate it",
        }
    }
}

impl From<NotJson> for Fault {
    fn from(_: NotJson) -> Self {
        Self::NotJson
    }
}

impl From<Unread> for Fault {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Unreadable => Self::Unreadable,
            Unread::OutOfRange => Self::OutOfRange,
        }
    }
}

/// A fault and the operator or function in which it arose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EvalError {
    /// What went wrong.
    pub fault: Fault,
    /// The operator, function or form as it is written: `/`, `split_part`, `AS`.
    pub operation: &'static str,
}

impl EvalError {
    /// A column whose texts together are longer than a column can be.
    pub(crate) const COLUMN_TOO_LONG: Self = Self {
        fault: Fault::TooLong,
        operation: "expression",
    };

    /// An error of the engine itself.
    pub(crate) const INTERNAL: Self = Self {
        fault: Fault::Internal,
        operation: "expression",
    };
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.fault.message())
    }
}
