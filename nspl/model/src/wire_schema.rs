//! Wire schemas: how the fields of a record look outside (companion section 2, rulings section 4).

use std::fmt;

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
