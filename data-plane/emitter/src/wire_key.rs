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
use bytes::Bytes;
use nervix_clock::{DomainTime, Snapshot};
use nervix_codec::json_array;
use nervix_columns::arrow_schema;
use nervix_expr::{CompileError, Frame, Program};
use nspl_model::{CastError, DataType, Expr, ExprKind, Field, FieldRef, Schema, Scope};

/// The key of one branch, compiled.
pub(crate) struct WireKey {
    schema: Arc<Schema>,
    /// The STRING cast of a single field; none where its type is text or octets already.
    cast: Option<Program>,
}

impl WireKey {
    /// Compiles the cast of a single field.
    pub(crate) fn compile(schema: &Arc<Schema>) -> Result<Self, CompileError> {
        let cast = match schema.fields.as_slice() {
            [field] if !matches!(field.data_type, DataType::String | DataType::Bytes) => {
                Some(text_of(field)?)
            }
            _ => None,
        };
        Ok(Self {
            schema: Arc::clone(schema),
            cast,
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
        let [field] = self.schema.fields.as_slice() else {
            return json_array(&columns).map(Bytes::from);
        };
        let column = columns.into_iter().next()??;
        match field.data_type {
            DataType::String => Some(Bytes::copy_from_slice(
                column.as_string::<i32>().value(0).as_bytes(),
            )),
            DataType::Bytes => Some(Bytes::copy_from_slice(column.as_binary::<i32>().value(0))),
            _ => self.text(column),
        }
    }

    /// The STRING cast of a value.
    fn text(&self, column: ArrayRef) -> Option<Bytes> {
        let schema = nervix_columns::nullable_schema(&arrow_schema(&self.schema));
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let row = RecordBatch::try_new_with_options(schema, vec![column], &options).ok()?;
        let snapshot = Snapshot {
            domain_time: DomainTime::default(),
            seed: [0; 32],
        };
        let evaluated = self.cast.as_ref()?.evaluate(&Frame::of_input(&row, &snapshot));
        let texts = evaluated.array.as_string_opt::<i32>()?;
        texts
            .is_valid(0)
            .then(|| Bytes::copy_from_slice(texts.value(0).as_bytes()))
    }
}

/// The STRING cast of the only field of a schema.
fn text_of(field: &Field) -> Result<Program, CompileError> {
    let operand = Expr {
        data_type: field.data_type.clone(),
        nullable: field.optional,
        sensitive: false,
        kind: ExprKind::Field(FieldRef {
            scope: Scope::Input,
            name: field.name.clone(),
            index: 0,
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

#[cfg(test)]
mod tests;
