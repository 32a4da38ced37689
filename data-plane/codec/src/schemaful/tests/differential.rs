//! What is written, as other readers read it.

use std::sync::Arc;

use apache_avro::Schema as AvroSchema;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{
    DataType as ArrowType, Field as ArrowField, Float32Type, Float64Type, Schema as ArrowSchema, TimeUnit,
    TimestampNanosecondType,
};
use bytes::Bytes;
use ciborium::Value as Cbor;
use nervix_columns::text::DateTimeText;
use nspl_model::{BatchLimits, DataType, Field, Schema, WireFormat};
use proptest::prelude::{prop_assert, prop_assert_eq, prop_assume, proptest};
use serde_json::json;

use crate::schemaful::testing::{batches, codec, encoded, pack, payloads};

fn holds_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Vec(item) | DataType::Array(item, _) => holds_bytes(item),
        other => *other == DataType::Bytes,
    }
}

/// The columns that arrow-json reads in the same form: its BYTES are hexadecimal, and it reads no null of an ARRAY whose
/// items may not be null.
fn readable(schema: &Schema, batch: &RecordBatch) -> (Schema, RecordBatch) {
    let readable = |field: &Field| {
        let null_array = field.optional && matches!(field.data_type, DataType::Array(..));
        !null_array && !holds_bytes(&field.data_type)
    };
    let kept = schema
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| readable(field));
    let (kept, fields): (Vec<usize>, Vec<Field>) = kept.map(|(index, field)| (index, field.clone())).unzip();
    let name = schema.name.clone();
    (Schema { name, fields }, batch.project(&kept).unwrap())
}

/// The same instants without a zone, which arrow-json reads without a table of zones.
fn without_zones(batch: &RecordBatch) -> RecordBatch {
    let fields = batch.schema_ref().fields().iter().zip(batch.columns());
    let (fields, columns): (Vec<ArrowField>, Vec<ArrayRef>) = fields
        .map(
            |(field, column)| match column.as_primitive_opt::<TimestampNanosecondType>() {
                Some(times) => {
                    let bare = field
                        .as_ref()
                        .clone()
                        .with_data_type(ArrowType::Timestamp(TimeUnit::Nanosecond, None));
                    (
                        bare,
                        Arc::new(times.clone().with_timezone_opt(None::<&str>)) as ArrayRef,
                    )
                }
                None => (field.as_ref().clone(), column.clone()),
            },
        )
        .unzip();
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns).unwrap()
}

/// A value as CBOR has it.
fn cbor(array: &dyn Array, row: usize) -> Cbor {
    let list = |items: ArrayRef| Cbor::Array((0..items.len()).map(|row| cbor(items.as_ref(), row)).collect());
    match array.data_type() {
        ArrowType::Boolean => array.as_boolean().value(row).into(),
        ArrowType::Utf8 => array.as_string::<i32>().value(row).into(),
        ArrowType::Binary => array.as_binary::<i32>().value(row).into(),
        ArrowType::Float32 => f64::from(array.as_primitive::<Float32Type>().value(row)).into(),
        ArrowType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        ArrowType::Timestamp(..) => {
            DateTimeText::of(array.as_primitive::<TimestampNanosecondType>().value(row))
                .as_str()
                .into()
        }
        ArrowType::List(_) => list(array.as_list::<i32>().value(row)),
        ArrowType::FixedSizeList(..) => list(array.as_fixed_size_list().value(row)),
        _ => {
            let text = arrow::util::display::array_value_to_string(array, row).unwrap();
            text.parse::<i128>()
                .map(|number| Cbor::Integer(number.try_into().unwrap()))
                .unwrap()
        }
    }
}

fn cbor_record(batch: &RecordBatch, row: usize) -> Cbor {
    let fields = batch.schema_ref().fields().iter().zip(batch.columns());
    let fields = fields.filter(|(_, column)| column.is_valid(row));
    Cbor::Map(
        fields
            .map(|(field, column)| (field.name().as_str().into(), cbor(column, row)))
            .collect(),
    )
}

fn avro_type(data_type: &DataType) -> serde_json::Value {
    match data_type {
        DataType::Array(..) | DataType::Vec(_) => {
            json!({"type": "array", "items": avro_type(&data_type.element().unwrap())})
        }
        scalar => json!(WireFormat::Avro.types_of(scalar)[0].name()),
    }
}

fn avro_record(schema: &Schema) -> serde_json::Value {
    let field = |(index, field): (usize, &Field)| {
        let own = avro_type(&field.data_type);
        let own = if field.optional { json!(["null", own]) } else { own };
        json!({"name": format!("f{index}"), "type": own})
    };
    let fields: Vec<_> = schema.fields.iter().enumerate().map(field).collect();
    json!({"type": "record", "name": "r", "fields": fields})
}

/// Reads a datum to its last byte and writes it again.
fn through_avro(schema: &AvroSchema, payload: &Bytes) -> Vec<u8> {
    let mut rest = payload.as_ref();
    let value = apache_avro::from_avro_datum(schema, &mut rest, None).unwrap();
    assert!(rest.is_empty(), "apache-avro leaves {} bytes", rest.len());
    apache_avro::to_avro_datum(schema, value).unwrap()
}

fn all_in_one() -> Option<BatchLimits> {
    Some(BatchLimits {
        max_messages: BatchLimits::MESSAGES_MAX,
        max_bytes: u64::MAX,
    })
}

proptest! {
    #[test]
    fn arrow_reads_json_back_as_it_was((schema, batch) in batches()) {
        let (schema, batch) = readable(&schema, &batch);
        prop_assume!(!schema.fields.is_empty());
        let lines = encoded(&codec(WireFormat::Json, &schema), &batch).join(b"\n".as_slice());
        let expected = without_zones(&batch);
        let mut reader = arrow_json::ReaderBuilder::new(expected.schema()).build(lines.as_slice()).unwrap();
        let read = reader.next().transpose().unwrap();
        prop_assert_eq!(read.unwrap_or_else(|| RecordBatch::new_empty(expected.schema())), expected);
    }

    #[test]
    fn serde_reads_json_in_schema_order_with_every_field_that_is_not_null((schema, batch) in batches()) {
        let def = codec(WireFormat::Json, &schema);
        let singles = encoded(&def, &batch);
        for (row, payload) in singles.iter().enumerate() {
            let value: serde_json::Value = serde_json::from_slice(payload).unwrap();
            let names: Vec<&String> = value.as_object().unwrap().keys().collect();
            let columns = schema.fields.iter().zip(batch.columns());
            let present = columns.filter(|(_, column)| column.is_valid(row)).map(|(field, _)| &field.name);
            prop_assert_eq!(names, present.collect::<Vec<_>>());
        }
        let whole = payloads(&pack(&def, all_in_one(), std::slice::from_ref(&batch)));
        if let Some(whole) = whole.first() {
            let values: Vec<serde_json::Value> = serde_json::from_slice(whole).unwrap();
            prop_assert_eq!(values.len(), batch.num_rows());
        }
    }

    #[test]
    fn ciborium_reads_cbor_as_it_was((schema, batch) in batches()) {
        let def = codec(WireFormat::Cbor, &schema);
        let records: Vec<Cbor> = (0..batch.num_rows()).map(|row| cbor_record(&batch, row)).collect();
        for (payload, record) in encoded(&def, &batch).iter().zip(&records) {
            let mut rest = payload.as_ref();
            prop_assert_eq!(&ciborium::from_reader::<Cbor, _>(&mut rest).unwrap(), record);
            prop_assert!(rest.is_empty());
        }
        for payload in payloads(&pack(&def, all_in_one(), &[batch])) {
            prop_assert_eq!(ciborium::from_reader::<Cbor, _>(payload.as_ref()).unwrap(), Cbor::Array(records.clone()));
        }
    }

    #[test]
    fn apache_avro_reads_and_writes_the_same_bytes((schema, batch) in batches()) {
        let def = codec(WireFormat::Avro, &schema);
        let record = avro_record(&schema);
        let one = AvroSchema::parse_str(&record.to_string()).unwrap();
        for payload in encoded(&def, &batch) {
            prop_assert_eq!(through_avro(&one, &payload), payload);
        }
        let many = AvroSchema::parse_str(&json!({"type": "array", "items": record}).to_string()).unwrap();
        for payload in payloads(&pack(&def, all_in_one(), &[batch])) {
            prop_assert_eq!(through_avro(&many, &payload), payload);
        }
    }
}
