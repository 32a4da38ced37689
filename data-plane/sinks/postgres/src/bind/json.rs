//! ARRAY and VEC as JSON text (`emitters.txt`, Database writes): without blanks, BYTES as padded base64, DATETIME in RFC 3339,
//! floats in their fewest digits.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut, BytesMut};
use nervix_columns::text::{DateTimeText, FloatText, bool_text};

/// Writes a row of lists.
pub(super) fn write_list(array: &dyn Array, row: usize, out: &mut BytesMut) {
    let Some((items, rows)) = items(array, row) else {
        return;
    };
    out.put_u8(b'[');
    for (index, item) in rows.enumerate() {
        if index > 0 {
            out.put_u8(b',');
        }
        write_value(items.as_ref(), item, out);
    }
    out.put_u8(b']');
}

/// Whether a row has a number among its items, at any depth, that JSON cannot write.
pub(super) fn has_unwritable(array: &dyn Array, row: usize) -> bool {
    let Some((items, mut rows)) = items(array, row) else {
        return false;
    };
    match items.data_type() {
        ArrowType::Float32 => {
            let items = items.as_primitive::<Float32Type>();
            rows.any(|item| !items.value(item).is_finite())
        }
        ArrowType::Float64 => {
            let items = items.as_primitive::<Float64Type>();
            rows.any(|item| !items.value(item).is_finite())
        }
        ArrowType::List(_) | ArrowType::FixedSizeList(..) => {
            rows.any(|item| has_unwritable(items.as_ref(), item))
        }
        _ => false,
    }
}

/// The items of all rows, and where those of one row are.
fn items(array: &dyn Array, row: usize) -> Option<(&ArrayRef, Range<usize>)> {
    if let Some(list) = array.as_list_opt::<i32>() {
        let offsets = list.value_offsets();
        let (start, end) = (*offsets.get(row)?, *offsets.get(row + 1)?);
        return Some((
            list.values(),
            usize::try_from(start).ok()?..usize::try_from(end).ok()?,
        ));
    }
    let list = array.as_fixed_size_list_opt()?;
    let start = usize::try_from(list.value_offset(row)).ok()?;
    let length = usize::try_from(list.value_length()).ok()?;
    Some((list.values(), start..start + length))
}

/// Items are never null.
fn write_value(items: &dyn Array, item: usize, out: &mut BytesMut) {
    macro_rules! whole {
        ($type:ty) => {
            out.put_slice(
                itoa::Buffer::new()
                    .format(items.as_primitive::<$type>().value(item))
                    .as_bytes(),
            )
        };
    }
    macro_rules! float {
        ($type:ty) => {
            out.put_slice(
                FloatText::default()
                    .write(items.as_primitive::<$type>().value(item))
                    .as_bytes(),
            )
        };
    }
    match items.data_type() {
        ArrowType::Int8 => whole!(Int8Type),
        ArrowType::UInt8 => whole!(UInt8Type),
        ArrowType::Int16 => whole!(Int16Type),
        ArrowType::UInt16 => whole!(UInt16Type),
        ArrowType::Int32 => whole!(Int32Type),
        ArrowType::UInt32 => whole!(UInt32Type),
        ArrowType::Int64 => whole!(Int64Type),
        ArrowType::UInt64 => whole!(UInt64Type),
        ArrowType::Float32 => float!(Float32Type),
        ArrowType::Float64 => float!(Float64Type),
        ArrowType::Boolean => out.put_slice(bool_text(items.as_boolean().value(item)).as_bytes()),
        ArrowType::Timestamp(..) => {
            let nanos = items.as_primitive::<TimestampNanosecondType>().value(item);
            write_text(DateTimeText::of(nanos).as_str(), out);
        }
        ArrowType::Utf8 => write_text(items.as_string::<i32>().value(item), out),
        ArrowType::Binary => write_text(&STANDARD.encode(items.as_binary::<i32>().value(item)), out),
        _ => write_list(items, item, out),
    }
}

fn write_text(text: &str, out: &mut BytesMut) {
    let written = serde_json::to_writer(out.writer(), text);
    debug_assert!(written.is_ok(), "memory takes every text");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        Array, BinaryArray, FixedSizeListArray, Float64Array, ListArray, StringArray,
        TimestampNanosecondArray, UInt64Array,
    };
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::{DataType, Field};
    use bytes::BytesMut;

    use super::{has_unwritable, write_list};

    fn list(items: Arc<dyn Array>, lengths: &[usize]) -> ListArray {
        let field = Arc::new(Field::new("item", items.data_type().clone(), false));
        ListArray::new(
            field,
            OffsetBuffer::from_lengths(lengths.iter().copied()),
            items,
            None,
        )
    }

    fn text(array: &dyn Array, row: usize) -> String {
        let mut out = BytesMut::new();
        write_list(array, row, &mut out);
        String::from_utf8(out.to_vec()).expect("UTF-8")
    }

    #[test]
    fn lists_are_json_of_their_items() {
        let numbers = list(Arc::new(UInt64Array::from(vec![1, u64::MAX, 3])), &[2, 0, 1]);
        assert_eq!(
            [
                text(&numbers, 0),
                text(&numbers, 1),
                text(&numbers.slice(2, 1), 0)
            ],
            ["[1,18446744073709551615]", "[]", "[3]"]
        );
        let texts = list(Arc::new(StringArray::from(vec!["a\"\\\n\0é", ""])), &[2]);
        assert_eq!(text(&texts, 0), "[\"a\\\"\\\\\\n\\u0000é\",\"\"]");
        let octets = list(Arc::new(BinaryArray::from(vec![&b"\xff"[..]])), &[1]);
        assert_eq!(text(&octets, 0), "[\"/w==\"]");
        let instants = list(Arc::new(TimestampNanosecondArray::from(vec![1])), &[1]);
        assert_eq!(text(&instants, 0), "[\"1970-01-01T00:00:00.000000001Z\"]");
        let floats = Float64Array::from(vec![1.0, 1e21, 0.1, -0.0]);
        let field = Arc::new(Field::new("item", DataType::Float64, false));
        let pairs = FixedSizeListArray::new(field, 2, Arc::new(floats), None);
        let nested = list(Arc::new(pairs), &[2]);
        assert_eq!(text(&nested, 0), "[[1.0,1e21],[0.1,-0.0]]");
        assert!(!has_unwritable(&nested, 0));
    }

    #[test]
    fn a_number_that_json_has_not_is_found_at_any_depth() {
        let floats = list(Arc::new(Float64Array::from(vec![1.0, f64::NAN])), &[1, 1]);
        let nested = list(Arc::new(floats), &[1, 1]);
        assert_eq!(
            (0..2).map(|row| has_unwritable(&nested, row)).collect::<Vec<_>>(),
            [false, true]
        );
    }
}
