//! Records as the values that programs read.
//!
//! A record is an object of its fields in schema order; a null OPTIONAL field is left out, as schemaful codecs leave it
//! out, so that a format without nulls can write what `.` gives. A DATETIME is RFC 3339 text. An F32 keeps its own fewest
//! digits. BYTES are what the format says of them ([`BytesForm`]). Nothing here can fail.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::record_batch::RecordBatch;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jaq_json::{Map, Num, Val};
use nervix_columns::text::{DateTimeText, FloatText};

/// What BYTES are to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BytesForm {
    /// Padded base64: text, as in any JSON.
    Base64,
    /// A byte string, for a format that has them.
    Octets,
}

/// The records of one batch, read row by row.
pub(crate) struct Records {
    columns: Vec<Column>,
}

struct Column {
    name: Val,
    values: ArrayRef,
}

impl Records {
    pub(crate) fn of(batch: &RecordBatch) -> Records {
        let fields = batch.schema_ref().fields().iter().zip(batch.columns());
        let columns = fields.map(|(field, values)| Column {
            name: Val::from(field.name().clone()),
            values: values.clone(),
        });
        Records {
            columns: columns.collect(),
        }
    }

    /// The record in a row of the batch.
    pub(crate) fn record(&self, row: usize, bytes: BytesForm) -> Val {
        let mut map = Map::with_capacity_and_hasher(self.columns.len(), Default::default());
        let set = self.columns.iter().filter(|column| column.values.is_valid(row));
        for Column { name, values } in set {
            map.insert(name.clone(), value(values.as_ref(), row, bytes));
        }
        Val::obj(map)
    }
}

/// The value in a row that is not null.
fn value(array: &dyn Array, row: usize, bytes: BytesForm) -> Val {
    match array.data_type() {
        ArrowType::Boolean => Val::from(array.as_boolean().value(row)),
        ArrowType::UInt8 => whole(array.as_primitive::<UInt8Type>().value(row).into()),
        ArrowType::UInt16 => whole(array.as_primitive::<UInt16Type>().value(row).into()),
        ArrowType::UInt32 => whole(array.as_primitive::<UInt32Type>().value(row).into()),
        ArrowType::UInt64 => Val::Num(Num::from_integral(array.as_primitive::<UInt64Type>().value(row))),
        ArrowType::Int8 => whole(array.as_primitive::<Int8Type>().value(row).into()),
        ArrowType::Int16 => whole(array.as_primitive::<Int16Type>().value(row).into()),
        ArrowType::Int32 => whole(array.as_primitive::<Int32Type>().value(row).into()),
        ArrowType::Int64 => whole(array.as_primitive::<Int64Type>().value(row)),
        ArrowType::Float32 => float(array.as_primitive::<Float32Type>().value(row)),
        ArrowType::Float64 => Val::from(array.as_primitive::<Float64Type>().value(row)),
        ArrowType::Utf8 => Val::utf8_str(array.as_string::<i32>().value(row).as_bytes().to_vec()),
        ArrowType::Binary => octets(array.as_binary::<i32>().value(row), bytes),
        ArrowType::Timestamp(..) => {
            let text = DateTimeText::of(array.as_primitive::<TimestampNanosecondType>().value(row));
            Val::from(text.as_str().to_owned())
        }
        ArrowType::List(_) => elements(array.as_list::<i32>().value(row).as_ref(), bytes),
        ArrowType::FixedSizeList(..) => elements(array.as_fixed_size_list().value(row).as_ref(), bytes),
        // No column of an NSPL schema has another type.
        _ => Val::Null,
    }
}

fn elements(array: &dyn Array, bytes: BytesForm) -> Val {
    (0..array.len()).map(|row| value(array, row, bytes)).collect()
}

fn whole(value: i64) -> Val {
    Val::Num(Num::from_integral(value))
}

/// A number of fewer digits than its double has.
fn float(value: f32) -> Val {
    if value.is_finite() {
        Val::Num(Num::Dec(FloatText::default().write(value).to_owned().into()))
    } else {
        Val::from(f64::from(value))
    }
}

fn octets(value: &[u8], form: BytesForm) -> Val {
    match form {
        BytesForm::Base64 => Val::from(STANDARD.encode(value)),
        BytesForm::Octets => Val::byte_str(value.to_vec()),
    }
}
