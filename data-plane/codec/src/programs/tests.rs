//! Codecs with programs through the contract, on the thread of the test.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array, ListArray,
    StringArray, TimestampNanosecondArray, UInt64Array,
};
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nervix_columns::arrow_schema;
use nspl_model::{
    BatchLimits, CodecDef, CodecForm, DataType, Field, JaqFormat, JaqPrograms, ProtobufDef, Schema,
};
use nspl_protobuf::FileMap;

use crate::{Decoded, Decoding, InThread, Jobs, LeftOut, Packed, Packing, Rows, decoder, encoder};

mod batches;
mod decoding;
mod formats;
mod stopping;

fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.to_owned(),
        data_type,
        optional,
        sensitive: false,
    }
}

/// `id U64, text STRING OPTIONAL`.
fn small() -> Arc<Schema> {
    Arc::new(Schema {
        name: "small".to_owned(),
        fields: vec![
            field("id", DataType::U64, false),
            field("text", DataType::String, true),
        ],
    })
}

fn small_rows(texts: &[Option<&str>]) -> Rows {
    let ids: ArrayRef = Arc::new((0..texts.len() as u64).collect::<UInt64Array>());
    let texts: ArrayRef = Arc::new(texts.iter().copied().collect::<StringArray>());
    Rows {
        records: RecordBatch::try_new(arrow_schema(&small()), vec![ids, texts]).unwrap(),
        snapshot_ns: 1_767_225_600_000_000_000,
    }
}

/// One field of each kind of type.
fn wide() -> Arc<Schema> {
    let i32s = || Box::new(DataType::I32);
    Arc::new(Schema {
        name: "wide".to_owned(),
        fields: vec![
            field("u", DataType::U64, false),
            field("f", DataType::F32, false),
            field("d", DataType::F64, false),
            field("s", DataType::String, false),
            field("b", DataType::Bytes, false),
            field("at", DataType::DateTime, false),
            field("a", DataType::Array(i32s(), vec![2]), true),
            field("v", DataType::Vec(i32s()), true),
            field("o", DataType::I64, true),
        ],
    })
}

fn wide_rows() -> Rows {
    let fixed =
        FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), Some(2)]), None], 2);
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(-1)]), None]);
    let at = TimestampNanosecondArray::from(vec![1_767_225_600_500_000_000, 0]).with_timezone("UTC");
    let schema = arrow_schema(&wide());
    let cast = |array: ArrayRef, place: usize| {
        arrow::compute::cast(&array, schema.field(place).data_type()).unwrap()
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from(vec![u64::MAX, 0])),
        Arc::new(Float32Array::from(vec![0.1, -2.0])),
        Arc::new(Float64Array::from(vec![0.1, 1e21])),
        Arc::new(StringArray::from(vec!["<é>", ""])),
        Arc::new(BinaryArray::from(vec![&[0xff, 0][..], &[]])),
        Arc::new(at),
        cast(Arc::new(fixed), 6),
        cast(Arc::new(list), 7),
        Arc::new(Int64Array::from(vec![Some(i64::MIN), None])),
    ];
    Rows {
        records: RecordBatch::try_new(schema, columns).unwrap(),
        snapshot_ns: 0,
    }
}

fn programs(emitting: &str, batch: Option<&str>, ingestion: Option<&str>) -> JaqPrograms {
    JaqPrograms {
        ingestion: ingestion.map(str::to_owned),
        emitting: Some(emitting.to_owned()),
        emitting_batch: batch.map(str::to_owned),
    }
}

fn native(format: JaqFormat, schema: Arc<Schema>, programs: JaqPrograms) -> CodecDef {
    CodecDef {
        name: "c".to_owned(),
        schema,
        form: CodecForm::Jaq { format, programs },
    }
}

fn in_thread() -> Arc<dyn Jobs> {
    Arc::new(InThread)
}

fn limits(max_messages: u32, max_bytes: u64) -> Option<BatchLimits> {
    Some(BatchLimits {
        max_messages,
        max_bytes,
    })
}

/// Packs everything, as an emitter would.
async fn pack_on(
    jobs: &Arc<dyn Jobs>,
    def: &CodecDef,
    files: Option<&FileMap>,
    limits: Option<BatchLimits>,
    rows: &[Rows],
) -> Vec<Packed> {
    let encoder = encoder(def, files, limits, jobs).unwrap();
    let total: usize = rows.iter().map(|run| run.records.num_rows()).sum();
    // Few at a time, so that calls continue one another, unless there are many.
    let asked = if total > 1_000 { 1_000 } else { 3 };
    let (mut results, mut covered) = (Vec::new(), 0);
    while covered < total {
        let mut skip = covered;
        let rest: Vec<Rows> = rows
            .iter()
            .map(|run| {
                let skipped = skip.min(run.records.num_rows());
                skip -= skipped;
                Rows {
                    records: run.records.slice(skipped, run.records.num_rows() - skipped),
                    snapshot_ns: run.snapshot_ns,
                }
            })
            .filter(|run| run.records.num_rows() > 0)
            .collect();
        let packed = match encoder.pack(&rest, asked) {
            Packing::Done(packed) => packed,
            Packing::Job(job) => job.await.unwrap(),
        };
        let rows: usize = packed.iter().map(Packed::rows).sum();
        assert!(rows > 0, "nothing was covered");
        covered += rows;
        results.extend(packed);
    }
    assert_eq!(covered, total);
    results
}

async fn pack(def: &CodecDef, limits: Option<BatchLimits>, rows: &[Rows]) -> Vec<Packed> {
    pack_on(&in_thread(), def, None, limits, rows).await
}

/// What each result is: the text of a payload, or why there is none.
fn shown(results: &[Packed]) -> Vec<String> {
    let among =
        |left_out: &[LeftOut]| -> String { left_out.iter().map(|one| format!("!{}", one.row)).collect() };
    let show = |packed: &Packed| match packed {
        Packed::Payload { bytes, left_out, .. } => {
            format!("{}{}", String::from_utf8_lossy(bytes), among(left_out))
        }
        Packed::Rejected {
            rows,
            left_out,
            fault,
        } => format!(
            "{rows}{}: {}: {}",
            among(left_out),
            fault.code.as_str(),
            fault.cause
        ),
    };
    results.iter().map(show).collect()
}

async fn decode_on(
    jobs: &Arc<dyn Jobs>,
    def: &CodecDef,
    files: Option<&FileMap>,
    payloads: &[Bytes],
) -> Decoded {
    match decoder(def, files, jobs).unwrap().decode(payloads, 0) {
        Decoding::Done(decoded) => decoded,
        Decoding::Job(job) => job.await.unwrap(),
    }
}

async fn decode(def: &CodecDef, payloads: &[&str]) -> Decoded {
    let payloads: Vec<Bytes> = payloads
        .iter()
        .map(|text| Bytes::copy_from_slice(text.as_bytes()))
        .collect();
    decode_on(&in_thread(), def, None, &payloads).await
}

fn files(files: &[(&str, &str)]) -> FileMap {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Arc::new(files.collect::<BTreeMap<_, _>>())
}

fn protobuf(schema: Arc<Schema>, batch_message: Option<&str>, programs: JaqPrograms) -> CodecDef {
    CodecDef {
        name: "c".to_owned(),
        schema,
        form: CodecForm::Protobuf(Box::new(ProtobufDef {
            resource: "protos".to_owned(),
            version: Some(1),
            files: Vec::new(),
            includes: Vec::new(),
            message: "p.Event".to_owned(),
            batch_message: batch_message.map(str::to_owned),
            programs,
        })),
    }
}
