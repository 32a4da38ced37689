//! Bytes written by hand.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array,
    Int64Array, ListArray, RecordBatch, StringArray, TimestampNanosecondArray, UInt16Array, UInt64Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType as ArrowType;
use nervix_columns::{arrow_schema, arrow_type};
use nspl_model::{BatchLimits, DataType, Schema, WireFormat, WireMode, WireType};

use crate::schemaful::testing::{codec, codec_of, decoded, encoded, field, outside, pack, payloads, schema};

/// Two records, the second with a null in each OPTIONAL field.
fn example(u64s: [u64; 2]) -> (Schema, RecordBatch) {
    let matrix = DataType::Array(Box::new(DataType::I8), vec![2, 1]);
    let texts = DataType::Vec(Box::new(DataType::String));
    let schema = schema(vec![
        field("b", DataType::Bool, true),
        field("i", DataType::I64, false),
        field("u", DataType::U64, false),
        field("f", DataType::F32, false),
        field("d", DataType::F64, true),
        field("s", DataType::String, false),
        field("t", DataType::DateTime, false),
        field("y", DataType::Bytes, true),
        field("m", matrix.clone(), false),
        field("v", texts.clone(), true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from(vec![Some(true), None])),
        Arc::new(Int64Array::from(vec![-500, 0])),
        Arc::new(UInt64Array::from(u64s.to_vec())),
        Arc::new(Float32Array::from(vec![0.1, -0.0])),
        Arc::new(Float64Array::from(vec![Some(1e21), None])),
        Arc::new(StringArray::from(vec!["é\"\n", ""])),
        Arc::new(
            TimestampNanosecondArray::from(vec![1_767_225_600_500_000_000, 0])
                .with_data_type(arrow_type(&DataType::DateTime)),
        ),
        Arc::new(BinaryArray::from_opt_vec(vec![Some(b"\xff\0"), None])),
        matrices(&matrix),
        lists(&texts),
    ];
    let batch = RecordBatch::try_new(arrow_schema(&schema), columns).unwrap();
    (schema, batch)
}

fn matrices(data_type: &DataType) -> ArrayRef {
    let ArrowType::FixedSizeList(rows, 2) = arrow_type(data_type) else {
        panic!()
    };
    let ArrowType::FixedSizeList(row, 1) = arrow_type(&data_type.element().unwrap()) else {
        panic!()
    };
    let inner = FixedSizeListArray::new(row, 1, Arc::new(Int8Array::from(vec![1, -2, 3, 4])), None);
    Arc::new(FixedSizeListArray::new(rows, 2, Arc::new(inner), None))
}

fn lists(data_type: &DataType) -> ArrayRef {
    let ArrowType::List(item) = arrow_type(data_type) else {
        panic!()
    };
    let texts = Arc::new(StringArray::from(vec!["x", ""]));
    let nulls = vec![true, false].into();
    Arc::new(ListArray::new(
        item,
        OffsetBuffer::from_lengths([2, 0]),
        texts,
        Some(nulls),
    ))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn json_is_in_schema_order_without_blanks_and_without_nulls() {
    let (schema, batch) = example([u64::MAX, 7]);
    let def = codec(WireFormat::Json, &schema);
    let singles = encoded(&def, &batch);
    let first = concat!(
        r#"{"b":true,"i":-500,"u":18446744073709551615,"f":0.1,"d":1e21,"s":"é\"\n","#,
        r#""t":"2026-01-01T00:00:00.500Z","y":"/wA=","m":[[1],[-2]],"v":["x",""]}"#
    );
    let second = r#"{"i":0,"u":7,"f":-0.0,"s":"","t":"1970-01-01T00:00:00Z","m":[[3],[4]]}"#;
    assert_eq!(
        singles.iter().map(|one| text(one)).collect::<Vec<_>>(),
        [first, second]
    );
    let limits = BatchLimits {
        max_messages: 9,
        max_bytes: 9999,
    };
    let batches = payloads(&pack(&def, Some(limits), &[batch.clone(), batch.slice(1, 1)]));
    assert_eq!(
        batches.iter().map(|one| text(one)).collect::<Vec<_>>(),
        [format!("[{first},{second},{second}]")]
    );
}

#[test]
fn a_payload_of_one_member_keeps_the_container() {
    let schema = schema(vec![field("n", DataType::U16, true)]);
    let column: ArrayRef = Arc::new(UInt16Array::from(vec![Some(300), None]));
    let batch = RecordBatch::try_new(arrow_schema(&schema), vec![column]).unwrap();
    let limits = Some(BatchLimits {
        max_messages: 1,
        max_bytes: 99,
    });
    let of = |format| {
        payloads(&pack(
            &codec(format, &schema),
            limits,
            std::slice::from_ref(&batch),
        ))
    };
    assert_eq!(of(WireFormat::Json), [b"[{\"n\":300}]".as_slice(), b"[{}]"]);
    assert_eq!(
        of(WireFormat::Cbor),
        [b"\x81\xa1\x61n\x19\x01\x2c".as_slice(), b"\x81\xa0"]
    );
    assert_eq!(
        of(WireFormat::Avro),
        [b"\x02\x02\xd8\x04\0".as_slice(), b"\x02\0\0"]
    );
}

#[test]
fn cbor_is_a_map_of_what_is_not_null() {
    let (schema, batch) = example([u64::MAX, 24]);
    let singles = encoded(&codec(WireFormat::Cbor, &schema), &batch);
    let first: Vec<&[u8]> = vec![
        b"\xaa\x61b\xf5\x61i\x39\x01\xf3\x61u\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x61f\xfa\x3d\xcc\xcc\xcd\x61d\xfb\x44\x4b\x1a\xe4\xd6\xe2\xef\x50",
        b"\x61s\x64\xc3\xa9\"\n\x61t\x78\x182026-01-01T00:00:00.500Z\x61y\x42\xff\0",
        b"\x61m\x82\x81\x01\x81\x21\x61v\x82\x61x\x60",
    ];
    assert_eq!(singles[0], first.concat());
    let second: Vec<&[u8]> = vec![
        b"\xa6\x61i\x00\x61u\x18\x18\x61f\xfa\x80\0\0\0\x61s\x60",
        b"\x61t\x741970-01-01T00:00:00Z\x61m\x82\x81\x03\x81\x04",
    ];
    assert_eq!(singles[1], second.concat());
}

#[test]
fn avro_is_the_datum_of_the_wire_schema() {
    let (schema, batch) = example([300, i64::MAX as u64]);
    let def = codec(WireFormat::Avro, &schema);
    let singles = encoded(&def, &batch);
    let first: Vec<&[u8]> = vec![
        b"\x02\x01\xe7\x07\xd8\x04\xcd\xcc\xcc\x3d\x02\x50\xef\xe2\xd6\xe4\x1a\x4b\x44\x08\xc3\xa9\"\n",
        b"\x302026-01-01T00:00:00.500Z\x02\x04\xff\0\x04\x02\x02\0\x02\x03\0\0\x02\x04\x02x\0\0",
    ];
    assert_eq!(singles[0], first.concat());
    let second: Vec<&[u8]> = vec![
        b"\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0\x80\0\0",
        b"\x281970-01-01T00:00:00Z\0\x04\x02\x06\0\x02\x08\0\0\0",
    ];
    assert_eq!(singles[1], second.concat());
    let limits = BatchLimits {
        max_messages: 9,
        max_bytes: 9999,
    };
    let array = payloads(&pack(&def, Some(limits), &[batch]));
    assert_eq!(
        array,
        [[b"\x04".as_slice(), &first.concat(), &second.concat(), b"\0"].concat()]
    );
}

#[test]
fn avro_follows_the_wire_schema_and_json_the_schema_where_their_orders_differ() {
    let schema = schema(vec![
        field("a", DataType::U16, false),
        field("b", DataType::Bool, false),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt16Array::from(vec![1])),
        Arc::new(BooleanArray::from(vec![true])),
    ];
    let batch = RecordBatch::try_new(arrow_schema(&schema), columns).unwrap();
    let avro = vec![
        outside("extra", WireType::String, true),
        outside("b", WireType::Boolean, true),
        outside("a", WireType::Long, false),
    ];
    let avro = codec_of(WireFormat::Avro, WireMode::Strict, &schema, avro);
    assert_eq!(encoded(&avro, &batch), [b"\0\x02\x01\x02".as_slice()]);
    assert_eq!(decoded(&avro, &encoded(&avro, &batch)).records, batch);
    let json = vec![
        outside("b", WireType::Boolean, true),
        outside("extra", WireType::Array, true),
        outside("a", WireType::Integer, false),
    ];
    let json = codec_of(WireFormat::Json, WireMode::Strict, &schema, json);
    assert_eq!(encoded(&json, &batch), [br#"{"a":1,"b":true}"#.as_slice()]);
}
