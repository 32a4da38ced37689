//! Records that programs made, as columns.
//!
//! A record is an object with a value for every field that is not OPTIONAL, null or nothing for one that is, and nothing
//! else: a key that is no field is a fault, since it would be lost. Values convert exactly or not at all; a float is
//! rounded to its type as everywhere (rulings section 5). A fault names the field and never the value.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, ListArray, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray, TimestampNanosecondArray, new_empty_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType as ArrowType, FieldRef, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, SchemaRef, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jaq_json::{Num, Val};
use nervix_columns::text::read_datetime;

use crate::fault::RecordFault;
use crate::native::number;

/// A value of a column that was judged, whatever its type.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Null,
    Bool(bool),
    Whole(i128),
    Float(f64),
    Text(String),
    Octets(Vec<u8>),
    List(Vec<Cell>),
}

impl Cell {
    fn bytes(&self) -> usize {
        let within = match self {
            Cell::Null | Cell::Bool(_) | Cell::Whole(_) | Cell::Float(_) => 0,
            Cell::Text(text) => text.len(),
            Cell::Octets(octets) => octets.len(),
            Cell::List(elements) => elements.iter().map(Cell::bytes).sum(),
        };
        size_of::<Cell>() + within
    }
}

/// What a null takes of a column: a list of fixed length has its elements all the same.
fn null_bytes(data_type: &ArrowType) -> usize {
    match data_type {
        ArrowType::FixedSizeList(item, length) => usize::try_from(*length)
            .unwrap_or(0)
            .saturating_mul(null_bytes(item.data_type())),
        _ => size_of::<Cell>(),
    }
}

/// Records on their way into columns.
pub(crate) struct Columns {
    schema: SchemaRef,
    /// One a field.
    cells: Vec<Vec<Cell>>,
    rows: usize,
    /// What the values take, about.
    bytes: usize,
}

impl Columns {
    pub(crate) fn new(schema: SchemaRef) -> Self {
        let cells = schema.fields().iter().map(|_| Vec::new()).collect();
        Self {
            schema,
            cells,
            rows: 0,
            bytes: 0,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// What all values that were taken occupy, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a record, or says what is wrong with it.
    pub(crate) fn push(&mut self, record: &Val) -> Result<(), RecordFault> {
        let fault = |fields: Vec<String>, cause: String| Err(RecordFault::validation(fields, cause));
        let Val::Obj(given) = record else {
            return fault(
                Vec::new(),
                "ON INGESTION produced a value that is no object".to_owned(),
            );
        };
        let (mut row, mut known) = (Vec::with_capacity(self.cells.len()), 0);
        for field in self.schema.fields() {
            let name = || vec![field.name().clone()];
            let value = given.get(&Val::from(field.name().clone()));
            known += usize::from(value.is_some());
            row.push(match value.filter(|value| !matches!(value, Val::Null)) {
                None if field.is_nullable() => Cell::Null,
                None => {
                    return fault(
                        name(),
                        format!("ON INGESTION produced no field '{}'", field.name()),
                    );
                }
                Some(value) => match cell(value, field.data_type()) {
                    Some(cell) => cell,
                    None => {
                        let wanted = word(field.data_type());
                        let cause = format!(
                            "ON INGESTION produced a field '{}' that is no {wanted}",
                            field.name()
                        );
                        return fault(name(), cause);
                    }
                },
            });
        }
        if known < given.len() {
            let cause = "ON INGESTION produced a field that the schema does not have";
            return fault(Vec::new(), cause.to_owned());
        }
        self.rows += 1;
        let types = self.schema.fields().iter().map(|field| field.data_type());
        let bytes = row.iter().zip(types).map(|(cell, data_type)| match cell {
            Cell::Null => null_bytes(data_type),
            cell => cell.bytes(),
        });
        self.bytes = bytes.fold(self.bytes, usize::saturating_add);
        self.cells
            .iter_mut()
            .zip(row)
            .for_each(|(column, cell)| column.push(cell));
        Ok(())
    }

    /// Forgets the last records until `rows` are left.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        self.cells.iter_mut().for_each(|column| column.truncate(rows));
    }

    pub(crate) fn finish(self) -> Result<RecordBatch, ArrowError> {
        let fields = self.schema.fields().iter().zip(&self.cells);
        let columns = fields.map(|(field, cells)| array(field.data_type(), cells, field.is_nullable()));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

/// The NSPL word for a type.
fn word(data_type: &ArrowType) -> &'static str {
    match data_type {
        ArrowType::UInt8 => "U8",
        ArrowType::UInt16 => "U16",
        ArrowType::UInt32 => "U32",
        ArrowType::UInt64 => "U64",
        ArrowType::Int8 => "I8",
        ArrowType::Int16 => "I16",
        ArrowType::Int32 => "I32",
        ArrowType::Int64 => "I64",
        ArrowType::Float32 => "F32",
        ArrowType::Float64 => "F64",
        ArrowType::Boolean => "BOOL",
        ArrowType::Timestamp(..) => "DATETIME",
        ArrowType::Binary => "BYTES",
        ArrowType::List(_) => "VEC of its type",
        ArrowType::FixedSizeList(..) => "ARRAY of its type and length",
        _ => "STRING",
    }
}

fn cell(value: &Val, data_type: &ArrowType) -> Option<Cell> {
    Some(match (data_type, value) {
        (ArrowType::Boolean, Val::Bool(truth)) => Cell::Bool(*truth),
        (ArrowType::Float64, Val::Num(number)) => Cell::Float(finite(number, number::double(number))?),
        (ArrowType::Float32, Val::Num(number)) => Cell::Float(finite(number, single(number).into())?),
        (ArrowType::Utf8, Val::TStr(text)) => Cell::Text(characters(text)?.to_owned()),
        (ArrowType::Binary, Val::BStr(octets)) => Cell::Octets(octets.to_vec()),
        (ArrowType::Binary, Val::TStr(text)) => Cell::Octets(STANDARD.decode(&***text).ok()?),
        (ArrowType::Timestamp(..), Val::TStr(text)) => {
            Cell::Whole(read_datetime(characters(text)?).ok()?.into())
        }
        (ArrowType::List(item), Val::Arr(elements)) => Cell::List(cells(elements, item.data_type())?),
        (ArrowType::FixedSizeList(item, length), Val::Arr(elements)) => {
            usize::try_from(*length)
                .ok()
                .filter(|length| *length == elements.len())?;
            Cell::List(cells(elements, item.data_type())?)
        }
        (whole, Val::Num(number)) => {
            let (least, greatest) = range(whole)?;
            let value = whole_number(number)?;
            (least..=greatest)
                .contains(&value)
                .then_some(Cell::Whole(value))?
        }
        _ => return None,
    })
}

fn cells(elements: &[Val], data_type: &ArrowType) -> Option<Vec<Cell>> {
    elements.iter().map(|element| cell(element, data_type)).collect()
}

fn characters(text: &[u8]) -> Option<&str> {
    std::str::from_utf8(text).ok()
}

/// What is not finite is taken when it was so before it was rounded.
fn finite(number: &Num, rounded: f64) -> Option<f64> {
    let was_finite = number::finite(number).is_some();
    (rounded.is_finite() || !was_finite).then_some(rounded)
}

/// The nearest single, rounded once from the digits.
fn single(number: &Num) -> f32 {
    match number {
        #[allow(clippy::cast_possible_truncation, reason = "it rounds to the nearest")]
        Num::Float(float) => *float as f32,
        digits => digits.to_string().parse().unwrap_or(f32::NAN),
    }
}

/// The whole number in any spelling: `7`, `7.0`, `7e0`.
fn whole_number(number: &Num) -> Option<i128> {
    match number {
        Num::Int(whole) => Some(*whole as i128),
        Num::BigInt(big) => big.to_string().parse().ok(),
        Num::Dec(digits) => nspl_model::json::whole_number(digits),
        Num::Float(float) => {
            // Beyond 2^64 no type has it; below, the conversion of a whole double is exact.
            let is_whole = float.trunc() == *float && float.abs() <= 2_f64.powi(64);
            #[allow(clippy::cast_possible_truncation, reason = "it is whole and in range")]
            is_whole.then_some(*float as i128)
        }
    }
}

fn range(data_type: &ArrowType) -> Option<(i128, i128)> {
    Some(match data_type {
        ArrowType::UInt8 => (0, u8::MAX.into()),
        ArrowType::UInt16 => (0, u16::MAX.into()),
        ArrowType::UInt32 => (0, u32::MAX.into()),
        ArrowType::UInt64 => (0, u64::MAX.into()),
        ArrowType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        ArrowType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        ArrowType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        ArrowType::Int64 => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

/// A column. Where there are no nulls, a place without a value (beneath a null of a list of fixed length) has any.
fn array(data_type: &ArrowType, cells: &[Cell], has_nulls: bool) -> Result<ArrayRef, ArrowError> {
    Ok(match data_type {
        ArrowType::UInt8 => whole::<UInt8Type>(cells, has_nulls),
        ArrowType::UInt16 => whole::<UInt16Type>(cells, has_nulls),
        ArrowType::UInt32 => whole::<UInt32Type>(cells, has_nulls),
        ArrowType::UInt64 => whole::<UInt64Type>(cells, has_nulls),
        ArrowType::Int8 => whole::<Int8Type>(cells, has_nulls),
        ArrowType::Int16 => whole::<Int16Type>(cells, has_nulls),
        ArrowType::Int32 => whole::<Int32Type>(cells, has_nulls),
        ArrowType::Int64 => whole::<Int64Type>(cells, has_nulls),
        ArrowType::Timestamp(_, zone) => {
            let instants = cells.iter().map(|cell| given(number_in(cell), has_nulls));
            Arc::new(
                instants
                    .collect::<TimestampNanosecondArray>()
                    .with_timezone_opt(zone.clone()),
            )
        }
        #[allow(
            clippy::cast_possible_truncation,
            reason = "it was rounded to a single before"
        )]
        ArrowType::Float32 => {
            let singles = cells
                .iter()
                .map(|cell| given(float_in(cell).map(|float| float as f32), has_nulls));
            Arc::new(singles.collect::<PrimitiveArray<Float32Type>>())
        }
        ArrowType::Float64 => {
            let doubles = cells.iter().map(|cell| given(float_in(cell), has_nulls));
            Arc::new(doubles.collect::<PrimitiveArray<Float64Type>>())
        }
        ArrowType::Boolean => {
            let truths = cells.iter().map(|cell| match cell {
                Cell::Bool(truth) => Some(*truth),
                _ => given(None, has_nulls),
            });
            Arc::new(truths.collect::<BooleanArray>())
        }
        ArrowType::Utf8 => {
            let texts = cells.iter().map(|cell| match cell {
                Cell::Text(text) => Some(text.as_str()),
                _ => given(None, has_nulls),
            });
            Arc::new(texts.collect::<StringArray>())
        }
        ArrowType::Binary => {
            let octets = cells.iter().map(|cell| match cell {
                Cell::Octets(octets) => Some(octets.as_slice()),
                _ => given(None, has_nulls),
            });
            Arc::new(octets.collect::<BinaryArray>())
        }
        ArrowType::List(item) => list(item, cells, has_nulls)?,
        ArrowType::FixedSizeList(item, length) => fixed_list(item, *length, cells, has_nulls)?,
        // No column of an NSPL schema has another type.
        other => new_empty_array(other),
    })
}

/// A value, or a null where there are some.
fn given<T: Default>(value: Option<T>, has_nulls: bool) -> Option<T> {
    value.or_else(|| (!has_nulls).then(T::default))
}

fn number_in<T: TryFrom<i128>>(cell: &Cell) -> Option<T> {
    match cell {
        Cell::Whole(whole) => T::try_from(*whole).ok(),
        _ => None,
    }
}

fn float_in(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Float(float) => Some(*float),
        _ => None,
    }
}

fn whole<T>(cells: &[Cell], has_nulls: bool) -> ArrayRef
where
    T: ArrowPrimitiveType,
    T::Native: TryFrom<i128> + Default,
{
    let numbers = cells
        .iter()
        .map(|cell| given(number_in::<T::Native>(cell), has_nulls));
    Arc::new(numbers.collect::<PrimitiveArray<T>>())
}

fn elements_of(cell: &Cell) -> &[Cell] {
    match cell {
        Cell::List(elements) => elements,
        _ => &[],
    }
}

fn validity(cells: &[Cell], has_nulls: bool) -> Option<NullBuffer> {
    has_nulls.then(|| cells.iter().map(|cell| *cell != Cell::Null).collect())
}

fn list(item: &FieldRef, cells: &[Cell], has_nulls: bool) -> Result<ArrayRef, ArrowError> {
    let lengths = cells.iter().map(|cell| elements_of(cell).len());
    let total: usize = lengths.clone().sum();
    if i32::try_from(total).is_err() {
        return Err(ArrowError::OffsetOverflowError(total));
    }
    let offsets = OffsetBuffer::from_lengths(lengths);
    let flat: Vec<Cell> = cells.iter().flat_map(elements_of).cloned().collect();
    let values = array(item.data_type(), &flat, false)?;
    let nulls = validity(cells, has_nulls);
    Ok(Arc::new(ListArray::try_new(
        item.clone(),
        offsets,
        values,
        nulls,
    )?))
}

fn fixed_list(item: &FieldRef, length: i32, cells: &[Cell], has_nulls: bool) -> Result<ArrayRef, ArrowError> {
    let width = usize::try_from(length).unwrap_or_default();
    let mut flat = Vec::with_capacity(cells.len() * width);
    for cell in cells {
        match cell {
            Cell::List(elements) => flat.extend_from_slice(elements),
            _ => flat.extend(std::iter::repeat_n(Cell::Null, width)),
        }
    }
    let values = array(item.data_type(), &flat, false)?;
    let nulls = validity(cells, has_nulls);
    Ok(Arc::new(FixedSizeListArray::try_new(
        item.clone(),
        length,
        values,
        nulls,
    )?))
}
