//! The types of the language (companion section 3), as written.

use crate::grammar::{HIDDEN, Rule, accept, keyword_as, list, located, symbol};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Whole, whole};
use crate::span::Span;
use chumsky::prelude::{Parser, choice, recursive};

/// A type as written in a schema or behind AS.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataType {
    /// Which type.
    pub kind: DataTypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataTypeKind {
    /// `U8` to `BYTES`.
    Scalar(Scalar),
    /// `ARRAY<T, d1, ..>`, with at least one dimension.
    Array {
        /// The type of the elements.
        element: Box<DataType>,
        /// The length of each axis, outermost first.
        dimensions: Vec<Whole>,
    },
    /// `VEC<T>`.
    Vec {
        /// The type of the elements.
        element: Box<DataType>,
    },
}

/// The types without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `U8`
    U8,
    /// `I8`
    I8,
    /// `U16`
    U16,
    /// `I16`
    I16,
    /// `U32`
    U32,
    /// `I32`
    I32,
    /// `U64`
    U64,
    /// `I64`
    I64,
    /// `F32`
    F32,
    /// `F64`
    F64,
    /// `BOOL`
    Bool,
    /// `STRING`
    String,
    /// `DATETIME`: nanoseconds in UTC.
    DateTime,
    /// `BYTES`
    Bytes,
}

impl Scalar {
    /// Every scalar, in the order of the specification.
    pub const ALL: [Self; 14] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Bool,
        Self::String,
        Self::DateTime,
        Self::Bytes,
    ];

    /// The canonical keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::U8 => "U8",
            Self::I8 => "I8",
            Self::U16 => "U16",
            Self::I16 => "I16",
            Self::U32 => "U32",
            Self::I32 => "I32",
            Self::U64 => "U64",
            Self::I64 => "I64",
            Self::F32 => "F32",
            Self::F64 => "F64",
            Self::Bool => "BOOL",
            Self::String => "STRING",
            Self::DateTime => "DATETIME",
            Self::Bytes => "BYTES",
        }
    }
}

impl DataType {
    /// A scalar type that stands nowhere, for trees built by a program.
    #[must_use]
    pub fn scalar(scalar: Scalar) -> Self {
        Self {
            kind: DataTypeKind::Scalar(scalar),
            span: Span::default(),
        }
    }
}

/// The label of a place for a type.
pub(crate) const DATA_TYPE: &str = "a type";

pub(crate) fn rule<'t>() -> Rule<'t, DataType> {
    recursive(|element| {
        let element: Rule<'t, DataType> = element.boxed();
        let scalar = accept(DATA_TYPE, |token| {
            let scalar = Scalar::ALL
                .into_iter()
                .find(|known| token.is_word(known.as_str()))?;
            Some(DataType {
                kind: DataTypeKind::Scalar(scalar),
                span: token.span,
            })
        });
        let array = keyword_as("ARRAY", HIDDEN)
            .ignore_then(symbol("<"))
            .ignore_then(element.clone())
            .then_ignore(symbol(","))
            .then(list(whole()))
            .then_ignore(symbol(">"));
        let array = located(array, |(element, dimensions), span| DataType {
            kind: DataTypeKind::Array {
                element: Box::new(element),
                dimensions,
            },
            span,
        });
        let vec = keyword_as("VEC", HIDDEN)
            .ignore_then(symbol("<"))
            .ignore_then(element)
            .then_ignore(symbol(">"));
        let vec = located(vec, |element, span| DataType {
            kind: DataTypeKind::Vec {
                element: Box::new(element),
            },
            span,
        });
        choice((scalar, array, vec))
    })
    .boxed()
}

impl Print for DataType {
    fn print(&self, printer: &mut Printer) {
        match &self.kind {
            DataTypeKind::Scalar(scalar) => printer.put(scalar.as_str()),
            DataTypeKind::Array { element, dimensions } => printer
                .put("ARRAY<")
                .node(element.as_ref())
                .put(", ")
                .list(dimensions)
                .put(">"),
            DataTypeKind::Vec { element } => printer.put("VEC<").node(element.as_ref()).put(">"),
        };
    }
}

display!(DataType);
