//! Payloads that others wrote, good and bad.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Float32Type, Float64Type, Int64Type, UInt8Type, UInt64Type};
use bytes::Bytes;
use nspl_model::{CodecDef, DataType, WireFormat, WireMode, WireType};
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use crate::schemaful::testing::{
    batches, codec, codec_of, decoded, encoded, field, formats, outside, schema,
};

/// A codec of one required field `x`; `extra` is a wire field without a field of the schema.
fn one(format: WireFormat, mode: WireMode, data_type: DataType) -> CodecDef {
    let fields = vec![
        outside("extra", format.types_of(&DataType::String)[0], true),
        outside("x", format.types_of(&data_type)[0], false),
    ];
    codec_of(format, mode, &schema(vec![field("x", data_type, false)]), fields)
}

/// The record of one payload, or what is said of it.
fn read(def: &CodecDef, payload: &[u8]) -> Result<RecordBatch, String> {
    let decoded = decoded(def, &[Bytes::copy_from_slice(payload)]);
    match decoded.rejected.as_slice() {
        [] => Ok(decoded.records),
        [rejected] => {
            assert_eq!(
                (decoded.records.num_rows(), rejected.fault.code.as_str()),
                (0, "validation")
            );
            Err(rejected.fault.to_string())
        }
        _ => panic!("one payload, one fault"),
    }
}

fn read_json(data_type: DataType, value: &str) -> Result<RecordBatch, String> {
    read(
        &one(WireFormat::Json, WireMode::Strict, data_type),
        format!("{{\"x\":{value}}}").as_bytes(),
    )
}

#[test]
fn json_numbers_are_read_in_any_spelling() {
    for (value, expected) in [
        ("100", 100),
        ("100.0", 100),
        ("1e2", 100),
        ("-0", 0),
        ("-9223372036854775808", i64::MIN),
    ] {
        let read = read_json(DataType::I64, value).unwrap();
        assert_eq!(
            read.column(0).as_primitive::<Int64Type>().value(0),
            expected,
            "{value}"
        );
    }
    let read = read_json(DataType::U64, "18446744073709551615.0").unwrap();
    assert_eq!(read.column(0).as_primitive::<UInt64Type>().value(0), u64::MAX);
    let read = read_json(DataType::F32, "0.1").unwrap();
    assert_eq!(read.column(0).as_primitive::<Float32Type>().value(0), 0.1);
    let read = read_json(DataType::F64, "1e-400").unwrap();
    assert_eq!(read.column(0).as_primitive::<Float64Type>().value(0), 0.0);
}

#[test]
fn a_bad_json_value_names_its_field_and_is_not_quoted() {
    let pair = DataType::Array(Box::new(DataType::U8), vec![2]);
    let table = [
        (DataType::U8, "256", "is a number that its type does not hold"),
        (DataType::U8, "-1", "is a number that its type does not hold"),
        (DataType::I64, "1.5", "is a number that its type does not hold"),
        (
            DataType::I64,
            "9223372036854775808",
            "is a number that its type does not hold",
        ),
        (DataType::F32, "1e39", "is a number that its type does not hold"),
        (DataType::F64, "1e999", "is a number that its type does not hold"),
        (
            DataType::U8,
            "\"secret\"",
            "is not of the type that the wire schema says",
        ),
        (
            DataType::Bool,
            "1",
            "is not of the type that the wire schema says",
        ),
        (
            DataType::String,
            "{\"secret\":1}",
            "is not of the type that the wire schema says",
        ),
        (
            DataType::Vec(Box::new(DataType::U8)),
            "1",
            "is not of the type that the wire schema says",
        ),
        (
            DataType::Vec(Box::new(DataType::U8)),
            "[null]",
            "is not of the type that the wire schema says",
        ),
        (pair.clone(), "[1]", "has not as many items as its ARRAY"),
        (pair, "[1,2,3]", "has not as many items as its ARRAY"),
        (
            DataType::DateTime,
            "\"2026-01-01\"",
            "is not an RFC 3339 date and time that nanoseconds of 64 bits reach",
        ),
        (DataType::Bytes, "\"_w\"", "is not padded base64"),
        (DataType::Bytes, "\"/w\"", "is not padded base64"),
        (DataType::U8, "null", "is null and not OPTIONAL"),
    ];
    for (data_type, value, expected) in table {
        let fault = read_json(data_type, value).unwrap_err();
        assert_eq!(fault, format!("field 'x' {expected}"), "{value}");
    }
}

#[test]
fn every_field_at_fault_is_named_and_the_first_says_why() {
    let schema = schema(vec![
        field("z", DataType::U8, false),
        field("a", DataType::Bool, false),
        field("m", DataType::U8, false),
    ]);
    let decoded = decoded(
        &codec(WireFormat::Json, &schema),
        &[Bytes::from_static(br#"{"a":1,"m":1,"z":-1}"#)],
    );
    let fault = &decoded.rejected[0].fault;
    assert_eq!(fault.fields, ["a", "z"]);
    assert_eq!(
        fault.to_string(),
        "field 'z' is a number that its type does not hold"
    );
}

#[test]
fn what_is_no_json_object_is_refused_whole() {
    let def = one(WireFormat::Json, WireMode::Loose, DataType::U8);
    let brackets = |open: &str, close: &str, times| {
        format!("{{\"x\":1,\"y\":{}{}}}", open.repeat(times), close.repeat(times))
    };
    for payload in [
        "",
        " ",
        "{",
        "{\"x\":1",
        "{\"x\":1}{}",
        "{\"x\":01}",
        "{\"x\":1,}",
        "{x:1}",
        "{\"x\":\"\\ud800\"}",
        "nul",
    ] {
        assert_eq!(
            read(&def, payload.as_bytes()),
            Err("payload is not JSON".into()),
            "{payload}"
        );
    }
    assert_eq!(
        read(&def, b"{\"x\":1,\"y\":\"\xff\"}"),
        Err("payload is not JSON".into())
    );
    assert_eq!(
        read(&def, brackets("[", "]", 127).as_bytes()),
        Err("payload is not JSON".into())
    );
    assert!(read(&def, brackets("[", "]", 126).as_bytes()).is_ok());
    for payload in ["1", "[{\"x\":1}]", "null", "\"x\""] {
        let expected = "JSON payload is not a record: it must have the fields by name";
        assert_eq!(read(&def, payload.as_bytes()), Err(expected.into()), "{payload}");
    }
}

#[test]
fn unknown_fields_are_refused_in_mode_strict_and_passed_over_in_mode_loose() {
    let json = br#" { "extra" : {"a":[1]} , "\u0078" : 7, "other":2 } "#.as_slice();
    let cbor = b"\xa3\x65extra\xf6\x65other\x9f\x01\x02\xff\x61x\x07".as_slice();
    for (format, payload) in [(WireFormat::Json, json), (WireFormat::Cbor, cbor)] {
        let strict = read(&one(format, WireMode::Strict, DataType::U8), payload);
        let expected =
            format!("{format} payload has a field that its wire schema in MODE STRICT does not name");
        assert_eq!(strict, Err(expected));
        let loose = read(&one(format, WireMode::Loose, DataType::U8), payload).unwrap();
        assert_eq!(loose.column(0).as_primitive::<UInt8Type>().value(0), 7);
    }
}

#[test]
fn a_field_of_the_wire_schema_alone_is_passed_over_in_both_modes() {
    for mode in [WireMode::Strict, WireMode::Loose] {
        assert!(
            read(
                &one(WireFormat::Json, mode, DataType::U8),
                br#"{"x":1,"extra":"y"}"#
            )
            .is_ok()
        );
        assert!(read(&one(WireFormat::Avro, mode, DataType::U8), b"\x02\x02y\x0e").is_ok());
    }
}

#[test]
fn the_last_of_doubled_fields_counts() {
    let vec = DataType::Vec(Box::new(DataType::U8));
    let json = one(WireFormat::Json, WireMode::Strict, vec.clone());
    let last = read(&json, br#"{"x":[1,2],"x":"no","x":[3]}"#).unwrap();
    assert_eq!(
        last.column(0)
            .as_list::<i32>()
            .value(0)
            .as_primitive::<UInt8Type>()
            .values(),
        &[3]
    );
    assert_eq!(
        read(&json, br#"{"x":[1],"x":null}"#),
        Err("field 'x' is null and not OPTIONAL".into())
    );
    let cbor = one(WireFormat::Cbor, WireMode::Strict, vec);
    let last = read(&cbor, b"\xa3\x61x\x81\x01\x61x\x82\x01\xf6\x61x\x82\x02\x03").unwrap();
    assert_eq!(
        last.column(0)
            .as_list::<i32>()
            .value(0)
            .as_primitive::<UInt8Type>()
            .values(),
        &[2, 3]
    );
}

#[test]
fn what_is_left_out_is_null_when_it_may_be() {
    let schema = schema(vec![
        field("a", DataType::Array(Box::new(DataType::U8), vec![3]), true),
        field("b", DataType::String, true),
        field("c", DataType::U8, false),
    ]);
    let payloads =
        [r#"{"c":1}"#, r#"{"c":2,"a":null,"b":null}"#, "{}"].map(|json| Bytes::from_static(json.as_bytes()));
    let decoded = decoded(&codec(WireFormat::Json, &schema), &payloads);
    assert_eq!((decoded.read, decoded.payloads), (3, vec![0, 1]));
    assert_eq!(
        decoded.records.column(0).null_count() + decoded.records.column(1).null_count(),
        4
    );
    assert_eq!(decoded.rejected[0].payload, 2);
    assert_eq!(
        decoded.rejected[0].fault.to_string(),
        "field 'c' is missing and not OPTIONAL"
    );
}

#[test]
fn cbor_is_read_in_every_form_that_it_has() {
    let text = |payload: &[u8]| {
        let read = read(
            &one(WireFormat::Cbor, WireMode::Strict, DataType::String),
            payload,
        );
        read.map(|read| read.column(0).as_string::<i32>().value(0).to_owned())
    };
    let expected = Ok("ab".to_owned());
    assert_eq!(text(b"\xa1\x61x\x62ab"), expected);
    assert_eq!(
        text(b"\xd9\xd9\xf7\xbf\x7f\x61x\xff\x7f\x61a\x60\x61b\xff\xff"),
        expected
    );
    assert_eq!(text(b"\xb8\x01\x78\x01x\x79\x00\x02ab"), expected);
    let float = |payload: &[u8]| {
        let read = read(&one(WireFormat::Cbor, WireMode::Strict, DataType::F32), payload);
        read.map(|read| read.column(0).as_primitive::<Float32Type>().value(0))
    };
    assert_eq!(float(b"\xa1\x61x\xf9\x3e\x00"), Ok(1.5));
    assert_eq!(float(b"\xa1\x61x\xf9\x80\x01"), Ok(-5.960_464_5e-8));
    assert_eq!(float(b"\xa1\x61x\xf9\xfc\x00"), Ok(f32::NEG_INFINITY));
    assert_eq!(float(b"\xa1\x61x\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a"), Ok(0.1));
    assert_eq!(float(b"\xa1\x61x\x20"), Ok(-1.0));
    assert!(float(b"\xa1\x61x\xfb\x7f\xef\xff\xff\xff\xff\xff\xff").is_err());
    let integer = one(WireFormat::Cbor, WireMode::Strict, DataType::I64);
    assert!(read(&integer, b"\xa1\x61x\x3b\x7f\xff\xff\xff\xff\xff\xff\xff").is_ok());
    for unfit in [
        b"\xa1\x61x\xf9\x3c\x00".as_slice(),
        b"\xa1\x61x\x3b\x80\0\0\0\0\0\0\0",
        b"\xa1\x61x\xc2\x41\x01",
        b"\xa1\x61x\xf7",
    ] {
        assert!(
            read(&integer, unfit).unwrap_err().starts_with("field 'x' is "),
            "{unfit:x?}"
        );
    }
}

#[test]
fn what_is_no_cbor_map_is_refused_whole() {
    let def = one(WireFormat::Cbor, WireMode::Loose, DataType::String);
    let deep = [b"\xa2\x61x\x60\x61y".as_slice(), &[0x81; 200], b"\x01"].concat();
    let table: [&[u8]; 11] = [
        b"",
        b"\xa1",
        b"\xa1\x61x",
        b"\xa1\x61x\x62a",
        b"\xa1\x61x\x60\x00",
        b"\xbf\x61x\x60",
        b"\xa1\x61x\x61\xff",
        b"\xa1\x61x\x1c",
        b"\xa1\x61x\x7f\x41a\xff",
        b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff\x61x\x60",
        &deep,
    ];
    for payload in table {
        assert_eq!(
            read(&def, payload),
            Err("payload is not CBOR".into()),
            "{payload:x?}"
        );
    }
    for payload in [b"\x01".as_slice(), b"\x81\xa1\x61x\x60", b"\xf6"] {
        let expected = "CBOR payload is not a record: it must have the fields by name";
        assert_eq!(read(&def, payload), Err(expected.into()), "{payload:x?}");
    }
}

#[test]
fn avro_is_read_in_every_form_that_it_has_and_refused_otherwise() {
    let def = one(
        WireFormat::Avro,
        WireMode::Strict,
        DataType::Vec(Box::new(DataType::U8)),
    );
    let read_avro = |payload: &[u8]| {
        read(&def, payload).map(|read| {
            read.column(0)
                .as_list::<i32>()
                .value(0)
                .as_primitive::<UInt8Type>()
                .values()
                .to_vec()
        })
    };
    assert_eq!(read_avro(b"\0\x02\x02\x03\x04\x04\x06\0"), Ok(vec![1, 2, 3]));
    assert_eq!(read_avro(b"\x02\x04ab\0"), Ok(vec![]));
    assert_eq!(read_avro(b"\0\x02\xfe\x03\0"), Ok(vec![255]));
    assert_eq!(
        read_avro(b"\0\x02\x80\x04\0"),
        Err("field 'x' is a number that its type does not hold".into())
    );
    let table: [&[u8]; 7] = [
        b"",
        b"\0",
        b"\x04\0",
        b"\0\0\0",
        b"\0\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0",
        b"\0\xfe\xff\xff\xff\x0f\x02",
        b"\x02\x01\0",
    ];
    for payload in table {
        assert_eq!(
            read_avro(payload),
            Err("payload is not AVRO".into()),
            "{payload:x?}"
        );
    }
}

#[test]
fn nulls_of_wide_arrays_are_bounded_and_the_rest_is_read_by_the_next_call() {
    let schema = schema(vec![field(
        "wide",
        DataType::Array(Box::new(DataType::U8), vec![30_000_000]),
        true,
    )]);
    let def = codec(WireFormat::Json, &schema);
    let payloads = vec![Bytes::from_static(b"{}"); 9];
    let first = decoded(&def, &payloads);
    assert!((1..9).contains(&first.read), "{}", first.read);
    assert_eq!(
        (first.records.num_rows(), first.rejected.len()),
        (first.read as usize, 0)
    );
    let doubled = Bytes::from(format!("{{{}}}", ["\"wide\":null"; 9].join(",")));
    assert_eq!(decoded(&def, &[doubled]).rejected.len(), 1);
}

#[test]
fn a_surplus_avro_array_has_no_known_end() {
    let fields = vec![
        outside("more", WireType::Array, true),
        outside("x", WireType::Long, false),
    ];
    let schema = schema(vec![field("x", DataType::U8, false)]);
    let def = codec_of(WireFormat::Avro, WireMode::Loose, &schema, fields);
    assert!(read(&def, b"\0\x02").is_ok());
    assert!(read(&def, b"\x02\0\x02").is_ok());
    assert!(read(&def, b"\x02\x02\x02\0\x02").is_err());
}

proptest! {
    #[test]
    fn nothing_that_is_sent_panics(
        format in formats(),
        (schema, batch) in batches(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let def = codec(format, &schema);
        let mut payloads = encoded(&def, &batch);
        for payload in &mut payloads {
            let mut bytes = payload.to_vec();
            for (place, byte) in &changes {
                if !bytes.is_empty() {
                    let place = place.index(bytes.len());
                    bytes[place] = *byte;
                }
            }
            *payload = Bytes::from(bytes);
        }
        payloads.push(Bytes::from(noise));
        let decoded = decoded(&def, &payloads);
        prop_assert_eq!(decoded.read as usize, payloads.len());
        prop_assert_eq!(decoded.records.num_rows(), decoded.payloads.len());
        prop_assert_eq!(decoded.records.num_rows() + decoded.rejected.len(), payloads.len());
        for payload in encoded(&def, &batch) {
            let part = payload.slice(..cut.index(payload.len().max(1)));
            if part.len() < payload.len() {
                prop_assert!(read(&def, &part).is_err());
            }
        }
    }
}
