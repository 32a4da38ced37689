//! Which form values of an NSPL type are bound in, by the type of their column.
//!
//! A binary form stands where the server's own assignment from it to the column loses nothing that text would keep, or is
//! refused. Everything else is text: as Nervix writes the value, which the statement casts to the column's type.

use arrow::datatypes::DataType as ArrowType;
use tokio_postgres::types::Type;

/// How the elements of an array are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `int2`, of I8, U8 and I16.
    Int2,
    /// `int4`, of U16 and I32.
    Int4,
    /// `int8`, of U32 and I64.
    Int8,
    /// `numeric`, of U64.
    Numeric,
    /// `float4`, of F32.
    Float4,
    /// `float8`, of F64.
    Float8,
    /// `int8`, of F32 and F64 for a column of integers.
    Whole,
    /// `bool`.
    Bool,
    /// `timestamptz`, rounded to so many digits of a second.
    TimestampTz(u8),
    /// `timestamp` in UTC, rounded to so many digits of a second.
    Timestamp(u8),
    /// `text`: the STRING itself, or a value as Nervix writes it.
    Text,
    /// `text`: octets in the hex form of `bytea`.
    Hex,
    /// `text`: an ARRAY or VEC as JSON.
    Json,
}

/// Digits of a second that a timestamp keeps.
const PLACES_MAX: u8 = 6;

impl Form {
    pub(super) fn of(data: &ArrowType, column: &Type, modifier: i32) -> Self {
        match data {
            ArrowType::Int8 | ArrowType::UInt8 | ArrowType::Int16 if takes_integers(column) => Self::Int2,
            ArrowType::UInt16 | ArrowType::Int32 if takes_integers(column) => Self::Int4,
            ArrowType::UInt32 | ArrowType::Int64 if takes_integers(column) => Self::Int8,
            ArrowType::UInt64 if takes_integers(column) => Self::Numeric,
            ArrowType::Float32 | ArrowType::Float64 if is_integer(column) => Self::Whole,
            ArrowType::Float32 if is_float(column) => Self::Float4,
            ArrowType::Float64 if is_float(column) => Self::Float8,
            ArrowType::Boolean if *column == Type::BOOL => Self::Bool,
            ArrowType::Timestamp(..) if *column == Type::TIMESTAMPTZ => Self::TimestampTz(places(modifier)),
            ArrowType::Timestamp(..) if *column == Type::TIMESTAMP => Self::Timestamp(places(modifier)),
            ArrowType::Binary => Self::Hex,
            ArrowType::List(_) | ArrowType::FixedSizeList(..) => Self::Json,
            _ => Self::Text,
        }
    }

    /// The type of the elements.
    pub(super) fn element(self) -> Type {
        match self {
            Self::Int2 => Type::INT2,
            Self::Int4 => Type::INT4,
            Self::Int8 | Self::Whole => Type::INT8,
            Self::Numeric => Type::NUMERIC,
            Self::Float4 => Type::FLOAT4,
            Self::Float8 => Type::FLOAT8,
            Self::Bool => Type::BOOL,
            Self::TimestampTz(_) => Type::TIMESTAMPTZ,
            Self::Timestamp(_) => Type::TIMESTAMP,
            Self::Text | Self::Hex | Self::Json => Type::TEXT,
        }
    }

    /// Whether there are values that it cannot write.
    pub(super) fn may_fail(self) -> bool {
        matches!(self, Self::Whole | Self::Json)
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Hex | Self::Json)
    }
}

fn is_integer(column: &Type) -> bool {
    [Type::INT2, Type::INT4, Type::INT8].contains(column)
}

fn is_float(column: &Type) -> bool {
    [Type::FLOAT4, Type::FLOAT8].contains(column)
}

fn takes_integers(column: &Type) -> bool {
    is_integer(column) || is_float(column) || *column == Type::NUMERIC
}

fn places(modifier: i32) -> u8 {
    u8::try_from(modifier).map_or(PLACES_MAX, |places| places.min(PLACES_MAX))
}
