//! Records that cannot be written, and codecs that cannot be compiled.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use nervix_columns::arrow_schema;
use nspl_model::{BatchLimits, CodecForm, DataType, Schema, WireFormat, WireMode, WireType};

use crate::schemaful::testing::{codec, codec_of, encoded, field, outside, pack, payloads, schema};
use crate::{Packed, RecordFault};

fn numbers(values: Vec<Option<f64>>, others: Vec<f32>) -> (Schema, RecordBatch) {
    let schema = schema(vec![
        field("ratio", DataType::F64, true),
        field("other", DataType::F32, false),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Float64Array::from(values)),
        Arc::new(Float32Array::from(others)),
    ];
    let batch = RecordBatch::try_new(arrow_schema(&schema), columns).unwrap();
    (schema, batch)
}

fn limits(max_messages: u32, max_bytes: u64) -> Option<BatchLimits> {
    Some(BatchLimits {
        max_messages,
        max_bytes,
    })
}

fn faults(packed: &[Packed]) -> Vec<&RecordFault> {
    let mut faults = Vec::new();
    for one in packed {
        match one {
            Packed::Payload { left_out, .. } => faults.extend(left_out.iter().map(|row| &row.fault)),
            Packed::Rejected { fault, .. } => faults.push(fault),
        }
    }
    faults
}

#[test]
fn a_float_that_is_not_finite_is_rejected_alone_from_json() {
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let values = vec![
        Some(1.0),
        Some(f64::NAN),
        None,
        Some(f64::INFINITY),
        Some(2.0),
        Some(3.0),
    ];
    let (schema, batch) = numbers(values, vec![1.0, 1.0, bad[0], bad[1], bad[2], 4.0]);
    let def = codec(WireFormat::Json, &schema);
    let packed = pack(&def, limits(10, 1000), std::slice::from_ref(&batch));
    let [
        Packed::Payload {
            rows: 6,
            left_out,
            bytes,
        },
    ] = packed.as_slice()
    else {
        panic!("{packed:?}")
    };
    assert_eq!(bytes, r#"[{"ratio":1.0,"other":1.0},{"ratio":3.0,"other":4.0}]"#);
    assert_eq!(
        left_out.iter().map(|row| row.row).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    let fault = &left_out[0].fault;
    assert_eq!(
        fault.to_string(),
        "JSON cannot write field 'ratio': it is not a finite number"
    );
    assert_eq!(
        (fault.code.as_str(), fault.fields.as_slice()),
        ("validation", ["ratio".to_owned()].as_slice())
    );
    assert_eq!(left_out[1].fault.fields, ["other"]);
    assert_eq!(encoded(&def, &batch).len(), 2);
    for format in [WireFormat::Cbor, WireFormat::Avro] {
        assert_eq!(
            encoded(&codec(format, &schema), &batch).len(),
            6,
            "{format} has a form for it"
        );
    }
}

#[test]
fn what_is_no_finite_number_is_found_in_lists_too() {
    let data_type = DataType::Vec(Box::new(DataType::F64));
    let schema = schema(vec![field("list", data_type, false)]);
    let list = |items: Vec<f64>| items.into_iter().map(Some).collect::<Vec<_>>();
    let mut lists = arrow::array::ListBuilder::new(arrow::array::Float64Builder::new()).with_field(Arc::new(
        arrow::datatypes::Field::new("item", arrow::datatypes::DataType::Float64, false),
    ));
    for items in [vec![1.0], vec![0.5, f64::NAN], vec![]] {
        lists.append_value(list(items));
    }
    let column: ArrayRef = Arc::new(lists.finish());
    let batch = RecordBatch::try_new(arrow_schema(&schema), vec![column]).unwrap();
    let payloads = encoded(&codec(WireFormat::Json, &schema), &batch);
    assert_eq!(payloads, [br#"{"list":[1.0]}"#.as_slice(), br#"{"list":[]}"#]);
}

#[test]
fn a_u64_past_an_avro_long_is_rejected_alone() {
    let schema = schema(vec![field("n", DataType::U64, false)]);
    let column: ArrayRef = Arc::new(UInt64Array::from(vec![1, 1 << 63, 2]));
    let batch = RecordBatch::try_new(arrow_schema(&schema), vec![column]).unwrap();
    let packed = pack(
        &codec(WireFormat::Avro, &schema),
        limits(10, 100),
        std::slice::from_ref(&batch),
    );
    assert_eq!(payloads(&packed), [b"\x04\x02\x04\0".as_slice()]);
    assert_eq!(
        faults(&packed)[0].to_string(),
        "AVRO cannot write field 'n': it is past 2^63-1"
    );
    for format in [WireFormat::Json, WireFormat::Cbor] {
        assert_eq!(encoded(&codec(format, &schema), &batch).len(), 3);
    }
}

#[test]
fn a_payload_of_one_record_past_max_size_names_the_encoding_and_the_limit() {
    let schema = schema(vec![field("text", DataType::String, false)]);
    let long = "secret".repeat(1000);
    let column: ArrayRef = Arc::new(StringArray::from(vec!["a", long.as_str(), "b"]));
    let batch = RecordBatch::try_new(arrow_schema(&schema), vec![column]).unwrap();
    for format in [WireFormat::Json, WireFormat::Cbor, WireFormat::Avro] {
        let packed = pack(
            &codec(format, &schema),
            limits(10, 32),
            std::slice::from_ref(&batch),
        );
        assert_eq!(payloads(&packed).len(), 2);
        let fault = faults(&packed)[0];
        assert_eq!(
            fault.to_string(),
            format!("{format} payload exceeds MAX SIZE 32B")
        );
        assert_eq!((fault.code.as_str(), fault.fields.len()), ("validation", 0));
    }
}

#[test]
fn records_in_other_columns_are_rejected() {
    let schema = schema(vec![field("n", DataType::U64, false)]);
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter([("n", column)]).unwrap();
    let packed = pack(&codec(WireFormat::Json, &schema), limits(10, 100), &[batch]);
    assert_eq!(packed.len(), 2);
    assert_eq!(
        faults(&packed)[0].to_string(),
        "the record is not in the columns of the codec's schema"
    );
}

#[test]
fn a_codec_that_does_not_pair_does_not_compile() {
    let time = schema(vec![field("at", DataType::DateTime, true)]);
    let mut bare = codec(WireFormat::Json, &time);
    let CodecForm::Schemaful { rfc3339, .. } = &mut bare.form else {
        panic!()
    };
    rfc3339.clear();
    let of = |fields| codec_of(WireFormat::Json, WireMode::Strict, &time, fields);
    let required = outside("more", WireType::String, false);
    let table = [
        (bare, "codec 'c': DATETIME field 'at' needs ENCODE at AS RFC3339"),
        (of(vec![]), "codec 'c': wire schema 'w' has no field 'at'"),
        (
            of(vec![outside("at", WireType::Integer, true)]),
            "codec 'c': field 'at' is integer outside, which DATETIME does not become",
        ),
        (
            of(vec![outside("at", WireType::String, false)]),
            "codec 'c': field 'at' is OPTIONAL, but not outside",
        ),
        (
            of(vec![outside("at", WireType::String, true), required]),
            "codec 'c': wire field 'more' has no field of the schema and must be OPTIONAL",
        ),
    ];
    for (def, expected) in table {
        let CodecForm::Schemaful { wire, .. } = &def.form else {
            panic!()
        };
        let fault = crate::schemaful::encoder(&def, wire, None).err().unwrap();
        assert_eq!(fault.to_string(), expected);
        assert_eq!(crate::schemaful::decoder(&def, wire).err().unwrap(), fault);
    }
}
