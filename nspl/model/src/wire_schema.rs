//! Wire schemas: how the fields of a record look outside (companion section 2, rulings section 4).

use std::fmt;

use crate::{DataType, EntityKind};

/// A WIRE SCHEMA definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WireSchemaDef {
    /// Name in the domain, unique per format.
    pub name: String,
    /// The format.
    pub format: WireFormat,
    /// MODE; it matters only when decoding.
    pub mode: WireMode,
    /// Declared order; names are unique.
    pub fields: Vec<WireField>,
}

/// One field of a wire schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WireField {
    /// Its name outside and of the internal field it belongs to.
    pub name: String,
    /// Its type outside.
    pub wire_type: WireType,
    /// Whether it may be left out.
    pub optional: bool,
}

/// The formats with wire schemas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum WireFormat {
    /// JSON, RFC 8259.
    Json,
    /// CBOR, RFC 8949.
    Cbor,
    /// Apache Avro, binary encoding.
    Avro,
}

/// What decoding makes of a field that the wire schema does not name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WireMode {
    /// The record is refused.
    Strict,
    /// The field is ignored.
    Loose,
}

/// The types of all three formats; which of them a format has is [`WireFormat::types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum WireType {
    /// `integer`: JSON and CBOR.
    Integer,
    /// `number`: JSON and CBOR.
    Number,
    /// `int`: Avro, 32 bits.
    Int,
    /// `long`: Avro, 64 bits.
    Long,
    /// `float`: Avro.
    Float,
    /// `double`: Avro.
    Double,
    /// `boolean`.
    Boolean,
    /// `string`.
    String,
    /// `bytes`: CBOR and Avro.
    Bytes,
    /// `array`.
    Array,
}

impl WireFormat {
    /// Its keyword.
    pub fn name(self) -> &'static str {
        match self {
            WireFormat::Json => "JSON",
            WireFormat::Cbor => "CBOR",
            WireFormat::Avro => "AVRO",
        }
    }

    /// The types it has.
    pub fn types(self) -> &'static [WireType] {
        use WireType::{Array, Boolean, Bytes, Double, Float, Int, Integer, Long, Number, String};
        match self {
            WireFormat::Json => &[Integer, Number, Boolean, String, Array],
            WireFormat::Cbor => &[Integer, Number, Boolean, String, Bytes, Array],
            WireFormat::Avro => &[Int, Long, Float, Double, Boolean, String, Bytes, Array],
        }
    }
}

impl WireFormat {
    /// The type of that name, in any case.
    pub fn type_named(self, name: &str) -> Option<WireType> {
        let mut types = self.types().iter().copied();
        types.find(|known| known.name().eq_ignore_ascii_case(name))
    }

    /// The wire types that a value of a type may have; DATETIME has one as RFC 3339 text only. Of a list it says nothing
    /// about the elements.
    pub fn types_of(self, data_type: &DataType) -> &'static [WireType] {
        use DataType as D;
        match (self, data_type) {
            (WireFormat::Avro, D::I8 | D::I16 | D::I32 | D::U8 | D::U16) => &[WireType::Int, WireType::Long],
            (WireFormat::Avro, D::U32 | D::I64 | D::U64) => &[WireType::Long],
            (_, D::I8 | D::I16 | D::I32 | D::I64 | D::U8 | D::U16 | D::U32 | D::U64) => &[WireType::Integer],
            (WireFormat::Avro, D::F32) => &[WireType::Float],
            (WireFormat::Avro, D::F64) => &[WireType::Double],
            (_, D::F32 | D::F64) => &[WireType::Number],
            (WireFormat::Json, D::Bytes) | (_, D::String | D::DateTime) => &[WireType::String],
            (_, D::Bytes) => &[WireType::Bytes],
            (_, D::Bool) => &[WireType::Boolean],
            (_, D::Array(..) | D::Vec(_)) => &[WireType::Array],
        }
    }

    /// The kind of its wire schemas.
    pub fn entity_kind(self) -> EntityKind {
        match self {
            WireFormat::Json => EntityKind::WireJsonSchema,
            WireFormat::Cbor => EntityKind::WireCborSchema,
            WireFormat::Avro => EntityKind::WireAvroSchema,
        }
    }
}

impl WireSchemaDef {
    /// A field by its exact name.
    pub fn field(&self, name: &str) -> Option<&WireField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl WireMode {
    /// Its keyword.
    pub fn name(self) -> &'static str {
        match self {
            WireMode::Strict => "STRICT",
            WireMode::Loose => "LOOSE",
        }
    }
}

impl WireType {
    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            WireType::Integer => "integer",
            WireType::Number => "number",
            WireType::Int => "int",
            WireType::Long => "long",
            WireType::Float => "float",
            WireType::Double => "double",
            WireType::Boolean => "boolean",
            WireType::String => "string",
            WireType::Bytes => "bytes",
            WireType::Array => "array",
        }
    }
}

impl fmt::Display for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for WireType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
