//! `WIRE JSON|CBOR|AVRO SCHEMA w MODE STRICT|LOOSE (field wire_type [OPTIONAL], ...)` (companion section 2,
//! rulings section 4). Which wire types a format has is the checker's rule.

use crate::name::Name;
use crate::span::{Span, Spanned};

/// A wire schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WireSchema {
    /// The format; each has names of its own.
    pub format: WireFormat,
    /// The name of the wire schema.
    pub name: Name,
    /// How decoding treats what the schema does not name.
    pub mode: Spanned<WireMode>,
    /// Its fields in order, at least one.
    pub fields: Vec<WireField>,
}

/// The formats with wire schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WireFormat {
    /// `JSON`
    Json,
    /// `CBOR`
    Cbor,
    /// `AVRO`
    Avro,
}

/// `STRICT` or `LOOSE`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireMode {
    /// `STRICT`
    Strict,
    /// `LOOSE`
    Loose,
}

/// One field of a wire schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WireField {
    /// The name of the field.
    pub name: Name,
    /// Its wire type, in lower case.
    pub wire_type: Name,
    /// Whether it may be missing.
    pub optional: bool,
    /// Where the field stands.
    pub span: Span,
}

impl WireFormat {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Json, Self::Cbor, Self::Avro];

    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Cbor => "CBOR",
            Self::Avro => "AVRO",
        }
    }
}

impl WireMode {
    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "STRICT",
            Self::Loose => "LOOSE",
        }
    }
}
