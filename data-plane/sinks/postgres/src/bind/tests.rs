use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, ListArray, StringArray, TimestampNanosecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::Field;
use bytes::BytesMut;
use tokio_postgres::types::Type;

use super::{Binding, ValueFault};

fn arrays() -> Vec<ArrayRef> {
    let items: ArrayRef = Arc::new(Int64Array::from(vec![1, 22, 333]));
    let field = Arc::new(Field::new("item", items.data_type().clone(), false));
    let offsets = OffsetBuffer::from_lengths([1, 0, 2]);
    let nulls = NullBuffer::from(vec![true, false, true]);
    vec![
        Arc::new(Int8Array::from(vec![Some(-1), None, Some(2)])),
        Arc::new(UInt8Array::from(vec![1, 2, 3])),
        Arc::new(Int16Array::from(vec![Some(-1), None, Some(2)])),
        Arc::new(UInt16Array::from(vec![1, 2, 3])),
        Arc::new(Int32Array::from(vec![Some(-1), None, Some(2)])),
        Arc::new(UInt32Array::from(vec![1, 2, 3])),
        Arc::new(Int64Array::from(vec![Some(-1), None, Some(2)])),
        Arc::new(UInt64Array::from(vec![Some(0), None, Some(u64::MAX)])),
        Arc::new(Float32Array::from(vec![Some(1.0), None, Some(-2.0)])),
        Arc::new(Float64Array::from(vec![Some(1.0), None, Some(1e9)])),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(TimestampNanosecondArray::from(vec![Some(1), None, Some(-1)]).with_timezone("UTC")),
        Arc::new(StringArray::from(vec![Some(""), None, Some("ü")])),
        Arc::new(BinaryArray::from(vec![
            Some(&b""[..]),
            None,
            Some(&b"\xff\x00"[..]),
        ])),
        Arc::new(ListArray::new(field, offsets, items, Some(nulls))),
    ]
}

const COLUMNS: [Type; 14] = [
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::NUMERIC,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::BOOL,
    Type::TEXT,
    Type::VARCHAR,
    Type::JSONB,
    Type::UUID,
    Type::TIMESTAMP,
    Type::TIMESTAMPTZ,
    Type::BYTEA,
];

fn written(binding: &Binding, array: &dyn Array) -> Vec<u8> {
    let mut out = BytesMut::new();
    binding.write(array, &mut out);
    out.to_vec()
}

#[test]
fn what_is_measured_is_what_is_written_in_every_form_and_slice() {
    for array in arrays() {
        for column in COLUMNS {
            let binding = Binding::of(array.data_type(), &column, -1);
            for (start, length) in [(0, 3), (0, 1), (1, 2), (2, 1)] {
                let slice = array.slice(start, length);
                let mut rows = vec![0; length];
                binding.row_bytes(slice.as_ref(), &mut rows);
                let measured = binding.array_bytes() + rows.iter().sum::<u64>();
                let written = written(&binding, slice.as_ref());
                assert_eq!(
                    written.len() as u64,
                    measured,
                    "{} in {column}",
                    array.data_type()
                );
            }
        }
    }
}

#[test]
fn an_array_has_the_header_of_the_wire_and_a_length_before_each_value() {
    let array = Int32Array::from(vec![Some(7), None]);
    let binding = Binding::of(array.data_type(), &Type::INT8, -1);
    assert_eq!((binding.array_name().as_str(), binding.cast()), ("int4[]", None));
    let words: Vec<i32> = written(&binding, &array)
        .chunks(4)
        .map(|word| i32::from_be_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    assert_eq!(words, [1, 1, 23, 2, 1, 4, 7, -1]);
    let without_nulls = written(&binding, &array.slice(0, 1));
    assert_eq!(without_nulls[4..8], [0; 4], "no flag without a null");
}

#[test]
fn text_is_cast_to_a_type_without_its_modifier_unless_the_column_is_text() {
    let text = StringArray::from(vec!["x"]);
    let cast = |column: Type| {
        Binding::of(text.data_type(), &column, 7)
            .cast()
            .map(str::to_owned)
    };
    for column in [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME] {
        assert_eq!(cast(column), None);
    }
    assert_eq!(cast(Type::JSONB).as_deref(), Some("\"pg_catalog\".\"jsonb\""));
    assert_eq!(cast(Type::BIT).as_deref(), Some("\"pg_catalog\".\"bit\""));
}

#[test]
fn a_value_that_cannot_be_bound_is_found_and_a_null_is_none() {
    let floats = Float64Array::from(vec![Some(1.0), None, Some(0.5)]);
    let whole = Binding::of(floats.data_type(), &Type::INT4, -1);
    assert_eq!(whole.fault(&floats), Some(ValueFault::NotWhole));
    assert_eq!(whole.fault(&floats.slice(0, 2)), None);
    let exact = Binding::of(floats.data_type(), &Type::FLOAT8, -1);
    assert_eq!(exact.fault(&floats), None);
}
