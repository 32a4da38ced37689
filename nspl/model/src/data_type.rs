//! The types of NSPL (companion section 3). Nullability is a property of the field or expression, not of the type.

use std::fmt;

/// A type of a field or of an expression; `Display` is its NSPL text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DataType {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    I64,
    /// IEEE 754, 32 bits.
    F32,
    /// IEEE 754, 64 bits.
    F64,
    /// Truth value.
    Bool,
    /// UTF-8 text.
    String,
    /// Nanoseconds since 1970-01-01T00:00:00Z, in UTC.
    DateTime,
    /// Octets.
    Bytes,
    /// `ARRAY<T, d1, ..>`: fixed lengths, one per axis, outermost first; never empty, each at least 1.
    Array(Box<DataType>, Vec<u32>),
    /// `VEC<T>`: a list of any length.
    Vec(Box<DataType>),
}

impl DataType {
    /// The scalar types in the order of the specification.
    pub const SCALARS: [DataType; 14] = [
        DataType::U8,
        DataType::I8,
        DataType::U16,
        DataType::I16,
        DataType::U32,
        DataType::I32,
        DataType::U64,
        DataType::I64,
        DataType::F32,
        DataType::F64,
        DataType::Bool,
        DataType::String,
        DataType::DateTime,
        DataType::Bytes,
    ];

    /// Any of the eight integer types.
    pub fn is_integer(&self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// A signed integer type.
    pub fn is_signed(&self) -> bool {
        matches!(self, DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64)
    }

    /// An unsigned integer type.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, DataType::U8 | DataType::U16 | DataType::U32 | DataType::U64)
    }

    /// F32 or F64.
    pub fn is_float(&self) -> bool {
        matches!(self, DataType::F32 | DataType::F64)
    }

    /// An integer or a float.
    pub fn is_numeric(&self) -> bool {
        self.is_integer() || self.is_float()
    }

    /// ARRAY or VEC.
    pub fn is_list(&self) -> bool {
        matches!(self, DataType::Array(..) | DataType::Vec(_))
    }

    /// Whether every value of this numeric type is one of the other, exactly.
    pub fn widens_to(&self, other: &DataType) -> bool {
        if let (Some((least, most)), Some((other_least, other_most))) =
            (self.integer_range(), other.integer_range())
        {
            return other_least <= least && most <= other_most;
        }
        // A float has every whole number up to two to the number of its digits.
        let digits = match other {
            DataType::F32 => 24,
            DataType::F64 => 53,
            _ => return false,
        };
        match self.integer_range() {
            Some((least, most)) => -(1 << digits) <= least && most <= 1 << digits,
            None => *self == DataType::F32 || self == other,
        }
    }

    /// Whether `=` and `!=` take it (rulings section 5).
    pub fn is_comparable(&self) -> bool {
        !self.is_list()
    }

    /// Whether `<`, `<=`, `>` and `>=` take it (rulings section 5).
    pub fn is_ordered(&self) -> bool {
        self.is_comparable() && *self != DataType::Bool
    }

    /// Least and greatest value of an integer type.
    pub fn integer_range(&self) -> Option<(i128, i128)> {
        Some(match self {
            DataType::U8 => (0, u8::MAX.into()),
            DataType::I8 => (i8::MIN.into(), i8::MAX.into()),
            DataType::U16 => (0, u16::MAX.into()),
            DataType::I16 => (i16::MIN.into(), i16::MAX.into()),
            DataType::U32 => (0, u32::MAX.into()),
            DataType::I32 => (i32::MIN.into(), i32::MAX.into()),
            DataType::U64 => (0, u64::MAX.into()),
            DataType::I64 => (i64::MIN.into(), i64::MAX.into()),
            _ => return None,
        })
    }

    /// What one element of a list is: an ARRAY of several axes gives an ARRAY of one axis less.
    pub fn element(&self) -> Option<DataType> {
        match self {
            DataType::Vec(element) => Some((**element).clone()),
            DataType::Array(element, axes) => match axes.get(1..) {
                Some(rest) if !rest.is_empty() => Some(DataType::Array(element.clone(), rest.to_vec())),
                _ => Some((**element).clone()),
            },
            _ => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            DataType::U8 => "U8",
            DataType::I8 => "I8",
            DataType::U16 => "U16",
            DataType::I16 => "I16",
            DataType::U32 => "U32",
            DataType::I32 => "I32",
            DataType::U64 => "U64",
            DataType::I64 => "I64",
            DataType::F32 => "F32",
            DataType::F64 => "F64",
            DataType::Bool => "BOOL",
            DataType::String => "STRING",
            DataType::DateTime => "DATETIME",
            DataType::Bytes => "BYTES",
            DataType::Vec(element) => return write!(f, "VEC<{element}>"),
            DataType::Array(element, axes) => {
                write!(f, "ARRAY<{element}")?;
                for axis in axes {
                    write!(f, ", {axis}")?;
                }
                return f.write_str(">");
            }
        };
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::DataType;

    #[test]
    fn a_type_widens_to_those_that_have_all_its_values() {
        use DataType::{F32, F64, I16, I32, I64, U8, U32, U64};
        let pairs = [
            (U8, I16),
            (I32, I64),
            (U32, I64),
            (I16, F32),
            (U32, F64),
            (F32, F64),
        ];
        for (narrow, wide) in pairs {
            assert!(
                narrow.widens_to(&wide) && !wide.widens_to(&narrow),
                "{narrow} {wide}"
            );
        }
        for (one, other) in [(U64, I64), (I32, F32), (I64, F64), (DataType::String, F64)] {
            assert!(!one.widens_to(&other) && !other.widens_to(&one), "{one} {other}");
        }
    }

    #[test]
    fn an_array_prints_its_axes_and_gives_its_rows_as_elements() {
        let matrix = DataType::Array(Box::new(DataType::F32), vec![2, 3]);
        assert_eq!(matrix.to_string(), "ARRAY<F32, 2, 3>");
        let row = matrix.element().unwrap();
        assert_eq!(row.to_string(), "ARRAY<F32, 3>");
        assert_eq!(row.element().unwrap(), DataType::F32);
        assert_eq!(DataType::Vec(Box::new(row)).to_string(), "VEC<ARRAY<F32, 3>>");
    }
}
