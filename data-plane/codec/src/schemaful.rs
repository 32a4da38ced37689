//! Schemaful codecs: JSON, CBOR and Avro straight from columns and back, field by field (rulings section 4).
//!
//! Invariant: no value is boxed on the way; a row is written from its columns by the one walk in [`encoder`], and a format
//! says only how its values look ([`notation::Notation`]).

mod avro;
mod cbor;
mod columns;
mod decoder;
mod encoder;
mod json;
mod notation;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use nspl_model::{BatchLimits, CodecDef, DataType, WireFormat, WireSchemaDef};

use crate::compile::CompileFault;
use crate::decode::PayloadDecoder;
use crate::encode::PayloadEncoder;

use avro::Avro;
use cbor::Cbor;
use decoder::SchemafulDecoder;
use encoder::SchemafulEncoder;
use json::Json;
pub use json::json_array;

/// The emitting side of a schemaful codec.
pub(crate) fn encoder(
    def: &CodecDef,
    wire: &WireSchemaDef,
    limits: Option<BatchLimits>,
) -> Result<Arc<dyn PayloadEncoder>, CompileFault> {
    Ok(match wire.format {
        WireFormat::Json => Arc::new(SchemafulEncoder::<Json>::compile(def, wire, limits)?),
        WireFormat::Cbor => Arc::new(SchemafulEncoder::<Cbor>::compile(def, wire, limits)?),
        WireFormat::Avro => Arc::new(SchemafulEncoder::<Avro>::compile(def, wire, limits)?),
    })
}

/// The decoding side of a schemaful codec.
pub(crate) fn decoder(def: &CodecDef, wire: &WireSchemaDef) -> Result<Arc<dyn PayloadDecoder>, CompileFault> {
    Ok(match wire.format {
        WireFormat::Json => Arc::new(SchemafulDecoder::<Json>::compile(def, wire)?),
        WireFormat::Cbor => Arc::new(SchemafulDecoder::<Cbor>::compile(def, wire)?),
        WireFormat::Avro => Arc::new(SchemafulDecoder::<Avro>::compile(def, wire)?),
    })
}

/// What the checker has judged is judged here again in few words, since a codec that writes something else than its wire
/// schema says would be found out only by those who read it.
fn judge(def: &CodecDef, wire: &WireSchemaDef, rfc3339: &[usize]) -> Result<(), CompileFault> {
    for (index, field) in def.schema.fields.iter().enumerate() {
        let name = &field.name;
        let Some(outside) = wire.field(name) else {
            return Err(CompileFault::new(
                def,
                format!("wire schema '{}' has no field '{name}'", wire.name),
            ));
        };
        let takes = wire.format.types_of(&field.data_type);
        if !takes.contains(&outside.wire_type) {
            let cause = format!(
                "field '{name}' is {} outside, which {} does not become",
                outside.wire_type, field.data_type
            );
            return Err(CompileFault::new(def, cause));
        }
        if field.optional && !outside.optional {
            return Err(CompileFault::new(
                def,
                format!("field '{name}' is OPTIONAL, but not outside"),
            ));
        }
        if field.data_type == DataType::DateTime && !rfc3339.contains(&index) {
            return Err(CompileFault::new(
                def,
                format!("DATETIME field '{name}' needs ENCODE {name} AS RFC3339"),
            ));
        }
    }
    match wire
        .fields
        .iter()
        .find(|outside| !outside.optional && def.schema.field(&outside.name).is_none())
    {
        None => Ok(()),
        Some(outside) => {
            let cause = format!(
                "wire field '{}' has no field of the schema and must be OPTIONAL",
                outside.name
            );
            Err(CompileFault::new(def, cause))
        }
    }
}
