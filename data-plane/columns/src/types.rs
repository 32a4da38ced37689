//! NSPL types as Arrow types (flight.md, "Types on the wire").
//!
//! Children of lists are called `item` and are non-null; a field is nullable when it is OPTIONAL.

use std::sync::Arc;

use arrow::datatypes::{
    DataType as ArrowType, Field as ArrowField, Schema as ArrowSchema, SchemaRef, TimeUnit,
};
use nspl_model::{DataType, Field, Schema};

#[cfg(test)]
mod tests;

/// The time zone every DATETIME carries.
pub(crate) const UTC: &str = "UTC";

/// The name of the child of every list.
const ITEM: &str = "item";

/// The Arrow type of an NSPL type.
///
/// An axis of an ARRAY longer than Arrow can say (2^31 - 1) is cut to that; the checker refuses such a type.
pub fn arrow_type(data_type: &DataType) -> ArrowType {
    match data_type {
        DataType::U8 => ArrowType::UInt8,
        DataType::I8 => ArrowType::Int8,
        DataType::U16 => ArrowType::UInt16,
        DataType::I16 => ArrowType::Int16,
        DataType::U32 => ArrowType::UInt32,
        DataType::I32 => ArrowType::Int32,
        DataType::U64 => ArrowType::UInt64,
        DataType::I64 => ArrowType::Int64,
        DataType::F32 => ArrowType::Float32,
        DataType::F64 => ArrowType::Float64,
        DataType::Bool => ArrowType::Boolean,
        DataType::String => ArrowType::Utf8,
        DataType::DateTime => ArrowType::Timestamp(TimeUnit::Nanosecond, Some(UTC.into())),
        DataType::Bytes => ArrowType::Binary,
        DataType::Array(element, axes) => axes.iter().rev().fold(arrow_type(element), |inner, axis| {
            ArrowType::FixedSizeList(item(inner), i32::try_from(*axis).unwrap_or(i32::MAX))
        }),
        DataType::Vec(element) => ArrowType::List(item(arrow_type(element))),
    }
}

/// The Arrow field of an NSPL field.
pub fn arrow_field(field: &Field) -> ArrowField {
    ArrowField::new(&field.name, arrow_type(&field.data_type), field.optional)
}

/// The Arrow schema of an NSPL schema: its fields in declared order, no metadata.
pub fn arrow_schema(schema: &Schema) -> SchemaRef {
    Arc::new(ArrowSchema::new(
        schema.fields.iter().map(arrow_field).collect::<Vec<_>>(),
    ))
}

/// The same columns, each of them nullable: for rows that are not (or not yet) whole records.
pub fn nullable_schema(schema: &ArrowSchema) -> SchemaRef {
    let fields = schema
        .fields()
        .iter()
        .map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()))
}

fn item(inner: ArrowType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new(ITEM, inner, false))
}
