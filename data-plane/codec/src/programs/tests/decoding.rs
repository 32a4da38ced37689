//! Payloads to records.

use std::sync::Arc;

use arrow::array::{StringArray, UInt64Array};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nervix_columns::arrow_schema;
use nspl_model::{DataType, JaqFormat, Schema};
use proptest::prelude::{any, prop};
use proptest::{prop_assert_eq, proptest};

use super::{
    decode, decode_on, field, files, in_thread, native, pack, programs, protobuf, small, wide, wide_rows,
};
use crate::{Decoded, Packed};

fn causes(decoded: &Decoded) -> Vec<String> {
    let rejected = decoded.rejected.iter();
    rejected
        .map(|one| {
            format!(
                "{}: {}: {}",
                one.payload,
                one.fault.code.as_str(),
                one.fault.cause
            )
        })
        .collect()
}

#[tokio::test]
async fn what_was_written_reads_back_in_every_format() {
    let xml = r#"{t: "r", c: [to_entries[] | {t: .key, c: [.value | tojson]}]}"#;
    let from_xml = r#"[.c[] | {key: .t, value: (.c[0] | fromjson)}] | from_entries"#;
    let cases = [
        (JaqFormat::Json, ".", "."),
        (JaqFormat::Yaml, ".", "."),
        (
            JaqFormat::Toml,
            "{r: .} | .r.u |= tostring",
            ".r | .u |= tonumber",
        ),
        (JaqFormat::Xml, xml, from_xml),
        (JaqFormat::Cbor, ".", "."),
    ];
    for (format, emitting, ingestion) in cases {
        let def = native(format, wide(), programs(emitting, None, Some(ingestion)));
        let rows = wide_rows();
        let packed = pack(&def, None, std::slice::from_ref(&rows)).await;
        let payloads: Vec<Bytes> = packed
            .iter()
            .map(|packed| match packed {
                Packed::Payload { bytes, .. } => bytes.clone(),
                Packed::Rejected { fault, .. } => panic!("{format:?} {fault}"),
            })
            .collect();
        let decoded = decode_on(&in_thread(), &def, None, &payloads).await;
        assert_eq!(causes(&decoded), Vec::<String>::new(), "{format:?}");
        assert_eq!(decoded.records, rows.records, "{format:?}");
        assert_eq!(decoded.payloads, [0, 1]);
    }
}

#[tokio::test]
async fn a_payload_may_hold_many_records_and_fails_alone() {
    let def = native(JaqFormat::Json, small(), programs(".", None, Some(".[]")));
    let decoded = decode(
        &def,
        &[
            r#"[{"id": 1}, {"id": 2.0, "text": "b"}]"#,
            r#"[{"id": 1}, {"id": -1}]"#,
            "[",
            "[]",
            r#"[{"id": 3, "text": null}]"#,
            "7",
            r#"[{"text": "a"}]"#,
            r#"[{"id": 1, "secret": 2}]"#,
            "[[]]",
        ],
    )
    .await;
    assert_eq!(decoded.payloads, [0, 0, 4]);
    assert_eq!(decoded.records.num_rows(), 3);
    assert_eq!(
        causes(&decoded),
        [
            "1: validation: ON INGESTION produced a field 'id' that is no U64",
            "2: validation: the payload is not JSON",
            "3: evaluation: ON INGESTION produced no output",
            "5: evaluation: ON INGESTION failed",
            "6: validation: ON INGESTION produced no field 'id'",
            "7: validation: ON INGESTION produced a field that the schema does not have",
            "8: validation: ON INGESTION produced a value that is no object",
        ]
    );
    assert_eq!(decoded.rejected[0].fault.fields, ["id"]);
}

#[tokio::test]
async fn values_convert_exactly_or_not_at_all() {
    let reads = |data_type: DataType, payload: &'static str| async move {
        let schema = Schema {
            name: "s".to_owned(),
            fields: vec![field("f", data_type, false)],
        };
        let def = native(
            JaqFormat::Json,
            Arc::new(schema),
            programs(".", None, Some("{f: .}")),
        );
        decode(&def, &[payload]).await.records.num_rows() == 1
    };
    let vec = || DataType::Vec(Box::new(DataType::U8));
    let array = || DataType::Array(Box::new(DataType::U8), vec![2]);
    let right = [
        (DataType::U64, "18446744073709551615"),
        (DataType::I64, "-9223372036854775808"),
        (DataType::I8, "1e2"),
        (DataType::F32, "0.1"),
        (DataType::F64, "1e400"),
        (DataType::DateTime, "\"2026-01-01T00:00:00+01:00\""),
        (DataType::Bytes, "\"/wA=\""),
        (vec(), "[]"),
        (array(), "[1, 2]"),
    ];
    for (data_type, payload) in right {
        let fits = reads(data_type.clone(), payload).await;
        assert_eq!(fits, payload != "1e400", "{data_type} {payload}");
    }
    let wrong = [
        (DataType::U64, "18446744073709551616"),
        (DataType::U8, "256"),
        (DataType::U8, "1.5"),
        (DataType::U8, "\"1\""),
        (DataType::F32, "1e39"),
        (DataType::Bool, "0"),
        (DataType::String, "1"),
        (DataType::DateTime, "0"),
        (DataType::Bytes, "\"/w\""),
        (vec(), "[256]"),
        (vec(), "[null]"),
        (array(), "[1]"),
    ];
    for (data_type, payload) in wrong {
        assert!(!reads(data_type.clone(), payload).await, "{data_type} {payload}");
    }
}

#[tokio::test]
async fn protobuf_reads_by_the_names_of_its_file() {
    let files = files(&[(
        "e.proto",
        "syntax = \"proto3\"; package p; message Event { uint64 id = 1; string long_text = 2; repeated int64 ns = 3; }",
    )]);
    let def = protobuf(small(), None, programs(".", None, Some("{id, text: .long_text}")));
    let payloads = [&[8, 7, 0x12, 1, b'a'][..], &[], &[8]].map(Bytes::from_static);
    let decoded = decode_on(&in_thread(), &def, Some(&files), &payloads).await;
    assert_eq!(decoded.payloads, [0, 1]);
    assert_eq!(causes(&decoded), ["2: validation: the payload is not PROTOBUF"]);
    let wanted = RecordBatch::try_new(
        arrow_schema(&small()),
        vec![
            Arc::new(UInt64Array::from(vec![7, 0])),
            Arc::new(StringArray::from(vec!["a", ""])),
        ],
    );
    assert_eq!(decoded.records, wanted.unwrap());
}

proptest! {
    #[test]
    fn no_payload_panics_and_each_is_read_or_rejected(payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..4)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let payloads: Vec<Bytes> = payloads.into_iter().map(Bytes::from).collect();
        for format in [JaqFormat::Json, JaqFormat::Yaml, JaqFormat::Toml, JaqFormat::Xml, JaqFormat::Cbor] {
            let def = native(format, small(), programs(".", None, Some("{id: 1, text: tojson}")));
            let decoded = runtime.block_on(decode_on(&in_thread(), &def, None, &payloads));
            let mut places: Vec<u32> = decoded.rejected.iter().map(|one| one.payload).chain(decoded.payloads).collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..u32::try_from(payloads.len()).unwrap()).collect::<Vec<_>>());
        }
        let files = files(&[("e.proto", "syntax = \"proto3\"; package p; message Event { map<string, Event> of = 1; double d = 2; }")]);
        let def = protobuf(small(), None, programs(".", None, Some("{id: 1, text: tojson}")));
        let decoded = runtime.block_on(decode_on(&in_thread(), &def, Some(&files), &payloads));
        prop_assert_eq!(decoded.rejected.len() + decoded.records.num_rows(), payloads.len());
    }
}
