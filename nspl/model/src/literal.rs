//! Values that stand in the text of a definition.

use std::fmt;

/// A constant of a known type. Equality compares floats by their bits, so that definitions compare reliably.
#[derive(Clone)]
pub enum Literal {
    /// A typed null; the type is that of the expression that holds it.
    Null,
    /// BOOL.
    Bool(bool),
    /// U8.
    U8(u8),
    /// I8.
    I8(i8),
    /// U16.
    U16(u16),
    /// I16.
    I16(i16),
    /// U32.
    U32(u32),
    /// I32.
    I32(i32),
    /// U64.
    U64(u64),
    /// I64.
    I64(i64),
    /// F32.
    F32(f32),
    /// F64.
    F64(f64),
    /// STRING.
    String(String),
    /// DATETIME: nanoseconds since the epoch, UTC.
    DateTime(i64),
    /// BYTES.
    Bytes(Vec<u8>),
    /// ARRAY (one nesting per axis) or VEC.
    List(Vec<Literal>),
}

impl Literal {
    /// Whether it is the typed null.
    pub fn is_null(&self) -> bool {
        matches!(self, Literal::Null)
    }

    /// The value of any integer variant.
    pub fn as_integer(&self) -> Option<i128> {
        Some(match self {
            Literal::U8(value) => (*value).into(),
            Literal::I8(value) => (*value).into(),
            Literal::U16(value) => (*value).into(),
            Literal::I16(value) => (*value).into(),
            Literal::U32(value) => (*value).into(),
            Literal::I32(value) => (*value).into(),
            Literal::U64(value) => (*value).into(),
            Literal::I64(value) => (*value).into(),
            _ => return None,
        })
    }

    /// The text of a STRING.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Literal::String(text) => Some(text),
            _ => None,
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Literal::Null, Literal::Null) => true,
            (Literal::Bool(a), Literal::Bool(b)) => a == b,
            (Literal::F32(a), Literal::F32(b)) => a.to_bits() == b.to_bits(),
            (Literal::F64(a), Literal::F64(b)) => a.to_bits() == b.to_bits(),
            (Literal::String(a), Literal::String(b)) => a == b,
            (Literal::DateTime(a), Literal::DateTime(b)) => a == b,
            (Literal::Bytes(a), Literal::Bytes(b)) => a == b,
            (Literal::List(a), Literal::List(b)) => a == b,
            _ => {
                std::mem::discriminant(self) == std::mem::discriminant(other)
                    && self.as_integer().is_some()
                    && self.as_integer() == other.as_integer()
            }
        }
    }
}

impl Eq for Literal {}

/// Names the variant, not the value: a literal may be a secret that somebody wrote into a definition.
impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Literal::Null => "Null",
            Literal::Bool(_) => "Bool(..)",
            Literal::U8(_) => "U8(..)",
            Literal::I8(_) => "I8(..)",
            Literal::U16(_) => "U16(..)",
            Literal::I16(_) => "I16(..)",
            Literal::U32(_) => "U32(..)",
            Literal::I32(_) => "I32(..)",
            Literal::U64(_) => "U64(..)",
            Literal::I64(_) => "I64(..)",
            Literal::F32(_) => "F32(..)",
            Literal::F64(_) => "F64(..)",
            Literal::String(_) => "String(..)",
            Literal::DateTime(_) => "DateTime(..)",
            Literal::Bytes(_) => "Bytes(..)",
            Literal::List(_) => "List(..)",
        })
    }
}
