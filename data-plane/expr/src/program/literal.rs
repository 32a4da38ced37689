//! Literals as arrays of one value.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, ListArray, StringArray, TimestampNanosecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array, new_empty_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::concat;
use arrow::datatypes::DataType as ArrowType;
use nervix_columns::{arrow_type, null_array};
use nspl_model::{DataType, Literal};

use super::CompileError;

/// An array of the one value.
pub(super) fn literal_array(literal: &Literal, data_type: &DataType) -> Result<ArrayRef, CompileError> {
    let array: ArrayRef = match literal {
        Literal::Null => null_array(&arrow_type(data_type), 1),
        Literal::Bool(value) => Arc::new(BooleanArray::from(vec![*value])),
        Literal::U8(value) => Arc::new(UInt8Array::from(vec![*value])),
        Literal::I8(value) => Arc::new(Int8Array::from(vec![*value])),
        Literal::U16(value) => Arc::new(UInt16Array::from(vec![*value])),
        Literal::I16(value) => Arc::new(Int16Array::from(vec![*value])),
        Literal::U32(value) => Arc::new(UInt32Array::from(vec![*value])),
        Literal::I32(value) => Arc::new(Int32Array::from(vec![*value])),
        Literal::U64(value) => Arc::new(UInt64Array::from(vec![*value])),
        Literal::I64(value) => Arc::new(Int64Array::from(vec![*value])),
        Literal::F32(value) => Arc::new(Float32Array::from(vec![*value])),
        Literal::F64(value) => Arc::new(Float64Array::from(vec![*value])),
        Literal::String(value) => Arc::new(StringArray::from(vec![value.as_str()])),
        Literal::DateTime(value) => {
            Arc::new(TimestampNanosecondArray::from(vec![*value]).with_timezone("UTC"))
        }
        Literal::Bytes(value) => Arc::new(BinaryArray::from(vec![value.as_slice()])),
        Literal::List(items) => list_array(items, data_type)?,
    };
    if *array.data_type() != arrow_type(data_type) {
        return Err(CompileError::Literal);
    }
    Ok(array)
}

fn list_array(items: &[Literal], data_type: &DataType) -> Result<ArrayRef, CompileError> {
    let element = data_type.element().ok_or(CompileError::Literal)?;
    let arrays = items.iter().map(|item| literal_array(item, &element));
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let values = if arrays.is_empty() {
        new_empty_array(&arrow_type(&element))
    } else {
        let parts: Vec<_> = arrays.iter().map(|array| array.as_ref()).collect();
        concat(&parts).map_err(|_| CompileError::Literal)?
    };
    let list: ArrayRef = match arrow_type(data_type) {
        ArrowType::List(item) => {
            let offsets = OffsetBuffer::from_lengths([items.len()]);
            Arc::new(ListArray::try_new(item, offsets, values, None).map_err(|_| CompileError::Literal)?)
        }
        ArrowType::FixedSizeList(item, size) => Arc::new(
            FixedSizeListArray::try_new(item, size, values, None).map_err(|_| CompileError::Literal)?,
        ),
        _ => return Err(CompileError::Literal),
    };
    if list.len() == 1 {
        Ok(list)
    } else {
        Err(CompileError::Literal)
    }
}
