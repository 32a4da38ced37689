//! The elements of one array: how long each is, and how it is written.

use std::cell::RefCell;

use arrow::array::{Array, ArrowPrimitiveType, AsArray, BinaryArray, PrimitiveArray, StringArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use bytes::{BufMut, BytesMut};
use nervix_columns::text::{DateTimeText, FloatText, bool_text};

use super::ValueFault;
use super::form::Form;
use super::json::{has_unwritable, write_list};
use super::number::{Numeric, timestamp, whole};

/// Bytes of the length in front of each element.
const LENGTH_BYTES: usize = 4;

/// Values of one column in one form; nothing is asked of a row that is null. What is done for all rows is the same for each
/// form, and stands here so that it is compiled for each.
pub(super) trait Elements {
    /// Bytes that the value takes.
    fn len(&self, row: usize) -> usize;

    /// Writes the value.
    fn put(&self, row: usize, out: &mut BytesMut);

    /// Why the value cannot be written.
    fn fault(&self, _row: usize) -> Option<ValueFault> {
        None
    }

    /// Adds what each element takes in an array, its length among it.
    fn add_bytes(&self, nulls: Option<&NullBuffer>, sums: &mut [u64]) {
        for (row, sum) in sums.iter_mut().enumerate() {
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            let bytes = if is_null { 0 } else { self.len(row) };
            *sum += (LENGTH_BYTES + bytes) as u64;
        }
    }

    /// Writes the elements of an array of `rows`: each value behind its length, which is filled in when the value is there.
    fn put_all(&self, nulls: Option<&NullBuffer>, rows: usize, out: &mut BytesMut) {
        for row in 0..rows {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                out.put_i32(-1);
                continue;
            }
            let at = out.len();
            out.put_i32(0);
            self.put(row, out);
            let length = out.len() - at - LENGTH_BYTES;
            // A value is at most 2 GiB: Arrow's offsets have 32 bits, and a write is measured before it is made.
            let length = i32::try_from(length).unwrap_or(i32::MAX);
            if let Some(place) = out.get_mut(at..at + LENGTH_BYTES) {
                place.copy_from_slice(&length.to_be_bytes());
            }
        }
    }
}

/// The elements of a column in the form that was chosen for its type.
pub(super) fn elements<'a>(form: Form, array: &'a dyn Array) -> Box<dyn Elements + 'a> {
    match (form, array.data_type()) {
        (Form::Int2, ArrowType::Int8) => fixed::<Int8Type, 2>(array, |value| i16::from(value).to_be_bytes()),
        (Form::Int2, ArrowType::UInt8) => {
            fixed::<UInt8Type, 2>(array, |value| i16::from(value).to_be_bytes())
        }
        (Form::Int2, _) => fixed::<Int16Type, 2>(array, i16::to_be_bytes),
        (Form::Int4, ArrowType::UInt16) => {
            fixed::<UInt16Type, 4>(array, |value| i32::from(value).to_be_bytes())
        }
        (Form::Int4, _) => fixed::<Int32Type, 4>(array, i32::to_be_bytes),
        (Form::Int8, ArrowType::UInt32) => {
            fixed::<UInt32Type, 8>(array, |value| i64::from(value).to_be_bytes())
        }
        (Form::Int8, _) => fixed::<Int64Type, 8>(array, i64::to_be_bytes),
        (Form::Numeric, _) => Box::new(Numerics(array.as_primitive())),
        (Form::Float4, _) => fixed::<Float32Type, 4>(array, f32::to_be_bytes),
        (Form::Float8, _) => fixed::<Float64Type, 8>(array, f64::to_be_bytes),
        (Form::Whole, ArrowType::Float32) => {
            let floats = array.as_primitive::<Float32Type>();
            Box::new(Whole(|row| whole(f64::from(floats.value(row)))))
        }
        (Form::Whole, _) => {
            let floats = array.as_primitive::<Float64Type>();
            Box::new(Whole(|row| whole(floats.value(row))))
        }
        (Form::Bool, _) => {
            let values = array.as_boolean();
            Box::new(Fixed {
                bytes: |row| [u8::from(values.value(row))],
            })
        }
        (Form::TimestampTz(places) | Form::Timestamp(places), _) => {
            fixed::<TimestampNanosecondType, 8>(array, move |nanos| timestamp(nanos, places).to_be_bytes())
        }
        (Form::Hex, _) => Box::new(Hexes(array.as_binary())),
        (Form::Json, _) => Box::new(Lists(Spelled::new(array, write_list))),
        (Form::Text, ArrowType::Utf8) => Box::new(Texts(array.as_string())),
        (Form::Text, _) => Box::new(Spelled::new(array, write_text)),
    }
}

/// Writes a value as Nervix does when it casts it to STRING.
fn write_text(array: &dyn Array, row: usize, out: &mut BytesMut) {
    macro_rules! integer {
        ($type:ty) => {
            out.put_slice(
                itoa::Buffer::new()
                    .format(array.as_primitive::<$type>().value(row))
                    .as_bytes(),
            )
        };
    }
    macro_rules! float {
        ($type:ty) => {
            out.put_slice(
                FloatText::default()
                    .write(array.as_primitive::<$type>().value(row))
                    .as_bytes(),
            )
        };
    }
    match array.data_type() {
        ArrowType::Int8 => integer!(Int8Type),
        ArrowType::UInt8 => integer!(UInt8Type),
        ArrowType::Int16 => integer!(Int16Type),
        ArrowType::UInt16 => integer!(UInt16Type),
        ArrowType::Int32 => integer!(Int32Type),
        ArrowType::UInt32 => integer!(UInt32Type),
        ArrowType::Int64 => integer!(Int64Type),
        ArrowType::UInt64 => integer!(UInt64Type),
        ArrowType::Float32 => float!(Float32Type),
        ArrowType::Float64 => float!(Float64Type),
        ArrowType::Boolean => out.put_slice(bool_text(array.as_boolean().value(row)).as_bytes()),
        ArrowType::Timestamp(..) => {
            let nanos = array.as_primitive::<TimestampNanosecondType>().value(row);
            out.put_slice(DateTimeText::of(nanos).as_bytes());
        }
        // Text, octets and lists have forms of their own.
        _ => {}
    }
}

fn fixed<'a, T: ArrowPrimitiveType, const N: usize>(
    array: &'a dyn Array,
    bytes: impl Fn(T::Native) -> [u8; N] + 'a,
) -> Box<dyn Elements + 'a> {
    let values: &'a PrimitiveArray<T> = array.as_primitive();
    Box::new(Fixed {
        bytes: move |row| bytes(values.value(row)),
    })
}

/// Values of one width.
struct Fixed<B> {
    bytes: B,
}

impl<const N: usize, B: Fn(usize) -> [u8; N]> Elements for Fixed<B> {
    fn len(&self, _row: usize) -> usize {
        N
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        out.put_slice(&(self.bytes)(row));
    }
}

/// Floats for a column of integers.
struct Whole<V>(V);

impl<V: Fn(usize) -> Option<i64>> Elements for Whole<V> {
    fn len(&self, _row: usize) -> usize {
        size_of::<i64>()
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        out.put_i64((self.0)(row).unwrap_or_default());
    }

    fn fault(&self, row: usize) -> Option<ValueFault> {
        (self.0)(row).is_none().then_some(ValueFault::NotWhole)
    }
}

/// U64 as `numeric`.
struct Numerics<'a>(&'a PrimitiveArray<UInt64Type>);

impl Elements for Numerics<'_> {
    fn len(&self, row: usize) -> usize {
        Numeric::of(self.0.value(row)).len()
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        Numeric::of(self.0.value(row)).put(out);
    }
}

/// STRING as it is.
struct Texts<'a>(&'a StringArray);

impl Elements for Texts<'_> {
    fn len(&self, row: usize) -> usize {
        self.0.value(row).len()
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        out.put_slice(self.0.value(row).as_bytes());
    }
}

/// BYTES in the hex form of `bytea`.
struct Hexes<'a>(&'a BinaryArray);

const HEX: &[u8; 16] = b"0123456789abcdef";

impl Elements for Hexes<'_> {
    fn len(&self, row: usize) -> usize {
        2 + 2 * self.0.value(row).len()
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        out.put_slice(b"\\x");
        for octet in self.0.value(row) {
            let digit = |half: u8| HEX[usize::from(half & 15)];
            out.put_slice(&[digit(octet >> 4), digit(*octet)]);
        }
    }
}

/// Values that are spelled out; the length is that of the spelling.
struct Spelled<'a> {
    array: &'a dyn Array,
    write: fn(&dyn Array, usize, &mut BytesMut),
    scratch: RefCell<BytesMut>,
}

impl<'a> Spelled<'a> {
    fn new(array: &'a dyn Array, write: fn(&dyn Array, usize, &mut BytesMut)) -> Self {
        Self {
            array,
            write,
            scratch: RefCell::default(),
        }
    }
}

impl Elements for Spelled<'_> {
    fn len(&self, row: usize) -> usize {
        let mut scratch = self.scratch.borrow_mut();
        scratch.clear();
        (self.write)(self.array, row, &mut scratch);
        scratch.len()
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        (self.write)(self.array, row, out);
    }
}

/// Lists as JSON.
struct Lists<'a>(Spelled<'a>);

impl Elements for Lists<'_> {
    fn len(&self, row: usize) -> usize {
        self.0.len(row)
    }

    fn put(&self, row: usize, out: &mut BytesMut) {
        self.0.put(row, out);
    }

    fn fault(&self, row: usize) -> Option<ValueFault> {
        has_unwritable(self.0.array, row).then_some(ValueFault::NotFinite)
    }
}
