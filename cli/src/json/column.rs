//! Cells of one field to an Arrow array.

use std::sync::Arc;

use arrow::{
    array::{
        ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, ListArray,
        PrimitiveArray, StringArray, TimestampNanosecondArray,
    },
    buffer::{NullBuffer, OffsetBuffer},
    datatypes::{
        ArrowPrimitiveType, DataType, FieldRef, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit,
        UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
    error::ArrowError,
};

use super::cell::Cell;

/// Builds the array; the cells were read for this type.
pub(super) fn build(data_type: &DataType, cells: Vec<Cell>) -> Result<ArrayRef, ArrowError> {
    Ok(match data_type {
        DataType::UInt8 => whole::<UInt8Type>(&cells),
        DataType::UInt16 => whole::<UInt16Type>(&cells),
        DataType::UInt32 => whole::<UInt32Type>(&cells),
        DataType::UInt64 => whole::<UInt64Type>(&cells),
        DataType::Int8 => whole::<Int8Type>(&cells),
        DataType::Int16 => whole::<Int16Type>(&cells),
        DataType::Int32 => whole::<Int32Type>(&cells),
        DataType::Int64 => whole::<Int64Type>(&cells),
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
            let moments: TimestampNanosecondArray = cells.iter().map(narrow::<i64>).collect();
            Arc::new(moments.with_timezone_opt(zone.clone()))
        }
        DataType::Float32 => Arc::new(cells.iter().map(narrow_real).collect::<Float32Array>()),
        DataType::Float64 => Arc::new(cells.iter().map(real).collect::<Float64Array>()),
        DataType::Boolean => Arc::new(cells.iter().map(truth).collect::<BooleanArray>()),
        DataType::Utf8 => Arc::new(cells.iter().map(text).collect::<StringArray>()),
        DataType::Binary => Arc::new(cells.iter().map(bytes).collect::<BinaryArray>()),
        DataType::List(item) => variable(item, cells)?,
        DataType::FixedSizeList(item, length) => fixed(item, *length, cells)?,
        other => return Err(ArrowError::NotYetImplemented(format!("JSON for {other}"))),
    })
}

fn whole<T: ArrowPrimitiveType>(cells: &[Cell]) -> ArrayRef
where
    T::Native: TryFrom<i128>,
{
    Arc::new(
        cells
            .iter()
            .map(narrow::<T::Native>)
            .collect::<PrimitiveArray<T>>(),
    )
}

fn narrow<N: TryFrom<i128>>(cell: &Cell) -> Option<N> {
    match cell {
        Cell::Whole(whole) => N::try_from(*whole).ok(),
        _ => None,
    }
}

fn narrow_real(cell: &Cell) -> Option<f32> {
    match cell {
        Cell::Narrow(real) => Some(*real),
        _ => None,
    }
}

fn real(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Real(real) => Some(*real),
        _ => None,
    }
}

fn truth(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Truth(truth) => Some(*truth),
        _ => None,
    }
}

fn text(cell: &Cell) -> Option<&str> {
    match cell {
        Cell::Text(text) => Some(text),
        _ => None,
    }
}

fn bytes(cell: &Cell) -> Option<&[u8]> {
    match cell {
        Cell::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn variable(item: &FieldRef, cells: Vec<Cell>) -> Result<ArrayRef, ArrowError> {
    let nulls: NullBuffer = cells.iter().map(|cell| *cell != Cell::Null).collect();
    let lists: Vec<Vec<Cell>> = cells.into_iter().map(items).collect();
    let offsets = OffsetBuffer::from_lengths(lists.iter().map(Vec::len));
    let values = build(item.data_type(), lists.into_iter().flatten().collect())?;
    Ok(Arc::new(ListArray::try_new(
        Arc::clone(item),
        offsets,
        values,
        some(nulls),
    )?))
}

fn fixed(item: &FieldRef, length: i32, cells: Vec<Cell>) -> Result<ArrayRef, ArrowError> {
    let nulls: NullBuffer = cells.iter().map(|cell| *cell != Cell::Null).collect();
    let filler = vec![zero(item.data_type()); usize::try_from(length).unwrap_or(0)];
    let lists = cells.into_iter().map(|cell| {
        if cell == Cell::Null {
            filler.clone()
        } else {
            items(cell)
        }
    });
    let values = build(item.data_type(), lists.flatten().collect())?;
    Ok(Arc::new(FixedSizeListArray::try_new(
        Arc::clone(item),
        length,
        values,
        some(nulls),
    )?))
}

fn items(cell: Cell) -> Vec<Cell> {
    match cell {
        Cell::List(items) => items,
        _ => Vec::new(),
    }
}

fn some(nulls: NullBuffer) -> Option<NullBuffer> {
    Some(nulls).filter(|nulls| nulls.null_count() > 0)
}

/// What stands under a null ARRAY: items are non-null, so it has to be something.
fn zero(data_type: &DataType) -> Cell {
    match data_type {
        DataType::Float32 => Cell::Narrow(0.0),
        DataType::Float64 => Cell::Real(0.0),
        DataType::Boolean => Cell::Truth(false),
        DataType::Utf8 => Cell::Text(String::new()),
        DataType::Binary => Cell::Bytes(Vec::new()),
        DataType::List(_) => Cell::List(Vec::new()),
        DataType::FixedSizeList(item, length) => Cell::List(vec![
            zero(item.data_type());
            usize::try_from(*length).unwrap_or(0)
        ]),
        _ => Cell::Whole(0),
    }
}
