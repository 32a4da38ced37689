//! The values of a branch key as they stand on the wire: key of a Kafka record, partition key, message group (rulings
//! section 9, Keys on the wire).
//!
//! One field: STRING as its UTF-8, BYTES as they are, every other type as its STRING cast; a null is no key. Several: a
//! JSON array in declared order without spaces, each value as schemaful JSON writes it. Invariant: the form is fixed for
//! ever, since partitions depend on it; equal keys give equal bytes.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray, TimestampNanosecondArray,
    UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use nervix_clock::{DomainTime, Snapshot};
use nervix_columns::{arrow_schema, null_array};
use nervix_expr::{CompileError, Frame, Program};
use nspl_model::{CastError, DataType, Expr, ExprKind, FieldRef, Schema, Scope};

/// The key of one branch, compiled.
pub(crate) struct WireKey {
    schema: Arc<Schema>,
    /// By field: its STRING cast; none where the type is text or octets already.
    casts: Vec<Option<Program>>,
}

impl WireKey {
    /// Compiles the casts of the key's fields.
    pub(crate) fn compile(schema: &Arc<Schema>) -> Result<Self, CompileError> {
        let cast = |(index, field): (usize, &nspl_model::Field)| {
            if matches!(field.data_type, DataType::String | DataType::Bytes) {
                return Ok(None);
            }
            let operand = Expr {
                data_type: field.data_type.clone(),
                nullable: field.optional,
                sensitive: false,
                kind: ExprKind::Field(FieldRef {
                    scope: Scope::Input,
                    name: field.name.clone(),
                    index,
                }),
            };
            Program::compile(&Expr {
                data_type: DataType::String,
                nullable: field.optional,
                sensitive: false,
                kind: ExprKind::Cast {
                    operand: Box::new(operand),
                    on_error: CastError::Fail,
                },
            })
            .map(Some)
        };
        let casts = schema.fields.iter().enumerate().map(cast);
        Ok(Self {
            schema: Arc::clone(schema),
            casts: casts.collect::<Result<_, _>>()?,
        })
    }

    /// The wire form of a key in the encoding of the relay room. None for the null of a single field, and for what is no
    /// key of this branch.
    pub(crate) fn of(&self, encoded: &[u8]) -> Option<Bytes> {
        let mut rest = encoded;
        let fields = self.schema.fields.iter();
        let columns = fields
            .map(|field| value(&field.data_type, &mut rest))
            .collect::<Option<Vec<_>>>()?;
        if let ([Some(column)], [field]) = (columns.as_slice(), self.schema.fields.as_slice()) {
            match field.data_type {
                DataType::String => {
                    return Some(Bytes::copy_from_slice(
                        column.as_string::<i32>().value(0).as_bytes(),
                    ));
                }
                DataType::Bytes => return Some(Bytes::copy_from_slice(column.as_binary::<i32>().value(0))),
                _ => {}
            }
        }
        let texts = self.texts(&columns)?;
        if let [text] = texts.as_slice() {
            return text.clone().map(Bytes::from);
        }
        let fields = self.schema.fields.iter().zip(columns.iter().zip(texts));
        let values = fields.map(|(field, (column, text))| json(&field.data_type, column.as_ref(), text));
        let values = values.collect::<Option<Vec<String>>>()?;
        Some(Bytes::from(format!("[{}]", values.join(","))))
    }

    /// The STRING casts; none for a null, and for what has no cast.
    fn texts(&self, columns: &[Option<ArrayRef>]) -> Option<Vec<Option<String>>> {
        let schema = nervix_columns::nullable_schema(&arrow_schema(&self.schema));
        let arrays = columns.iter().zip(schema.fields());
        let arrays = arrays.map(|(column, field)| match column {
            Some(column) => Arc::clone(column),
            None => null_array(field.data_type(), 1),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let row = RecordBatch::try_new_with_options(schema.clone(), arrays.collect(), &options).ok()?;
        let snapshot = Snapshot {
            domain_time: DomainTime::default(),
            seed: [0; 32],
        };
        let frame = Frame::of_input(&row, &snapshot);
        let text = |(cast, column): (&Option<Program>, &Option<ArrayRef>)| {
            let (Some(program), Some(_)) = (cast, column) else {
                return Some(None);
            };
            let evaluated = program.evaluate(&frame);
            let texts = evaluated.array.as_string_opt::<i32>()?;
            (texts.is_valid(0)).then(|| Some(texts.value(0).to_owned()))
        };
        self.casts.iter().zip(columns).map(text).collect()
    }
}

/// Takes the next value of the encoding as an array of one row; `Some(None)` for a null.
fn value(data_type: &DataType, rest: &mut &[u8]) -> Option<Option<ArrayRef>> {
    let [set] = take::<1>(rest)?;
    if set == 0 {
        return Some(None);
    }
    let array: ArrayRef = match data_type {
        DataType::U8 => Arc::new(UInt8Array::from(vec![u8::from_le_bytes(take(rest)?)])),
        DataType::I8 => Arc::new(Int8Array::from(vec![i8::from_le_bytes(take(rest)?)])),
        DataType::U16 => Arc::new(UInt16Array::from(vec![u16::from_le_bytes(take(rest)?)])),
        DataType::I16 => Arc::new(Int16Array::from(vec![i16::from_le_bytes(take(rest)?)])),
        DataType::U32 => Arc::new(UInt32Array::from(vec![u32::from_le_bytes(take(rest)?)])),
        DataType::I32 => Arc::new(Int32Array::from(vec![i32::from_le_bytes(take(rest)?)])),
        DataType::U64 => Arc::new(UInt64Array::from(vec![u64::from_le_bytes(take(rest)?)])),
        DataType::I64 => Arc::new(Int64Array::from(vec![i64::from_le_bytes(take(rest)?)])),
        DataType::F32 => Arc::new(Float32Array::from(vec![f32::from_le_bytes(take(rest)?)])),
        DataType::F64 => Arc::new(Float64Array::from(vec![f64::from_le_bytes(take(rest)?)])),
        DataType::DateTime => {
            let time = TimestampNanosecondArray::from(vec![i64::from_le_bytes(take(rest)?)]);
            Arc::new(time.with_timezone("UTC"))
        }
        DataType::Bool => {
            let [bit] = take::<1>(rest)?;
            Arc::new(BooleanArray::from(vec![bit != 0]))
        }
        DataType::String => Arc::new(StringArray::from(vec![std::str::from_utf8(octets(rest)?).ok()?])),
        DataType::Bytes => Arc::new(BinaryArray::from(vec![octets(rest)?])),
        // Keys of branches are scalars.
        DataType::Array(..) | DataType::Vec(..) => return None,
    };
    Some(Some(array))
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (front, back) = rest.split_first_chunk::<N>()?;
    *rest = back;
    Some(*front)
}

fn octets<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let (front, back) = rest.split_at_checked(length)?;
    *rest = back;
    Some(front)
}

/// One value of the JSON array. Floats that have no JSON form stand as their text.
fn json(data_type: &DataType, column: Option<&ArrayRef>, text: Option<String>) -> Option<String> {
    let Some(column) = column else {
        return Some("null".to_owned());
    };
    let quoted = |text: &str| serde_json::to_string(text).ok();
    match data_type {
        DataType::String => quoted(column.as_string::<i32>().value(0)),
        DataType::Bytes => quoted(&STANDARD.encode(column.as_binary::<i32>().value(0))),
        DataType::DateTime => quoted(&text?),
        DataType::F32 | DataType::F64 => {
            let text = text?;
            let finite = text.ends_with(|last: char| last.is_ascii_digit());
            if finite { Some(text) } else { quoted(&text) }
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests;
