//! Codecs, random schemas and batches for the tests of schemaful codecs.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, ListArray, RecordBatch, RecordBatchOptions, StringArray,
    TimestampNanosecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::DataType as ArrowType;
use bytes::Bytes;
use nervix_columns::{arrow_schema, arrow_type};
use nspl_model::{
    BatchLimits, CodecDef, CodecForm, DataType, Field, Schema, WireField, WireFormat, WireMode,
    WireSchemaDef, WireType,
};
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use crate::{Decoded, Decoding, Jobs, Packed, Packing, Place, Refused, Rows, decoder, encoder};

/// Schemaful codecs run no jobs.
struct NoJobs;

impl Jobs for NoJobs {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        Err(Refused {
            message: "no job was expected".into(),
        })
    }
}

fn jobs() -> Arc<dyn Jobs> {
    Arc::new(NoJobs)
}

/// A field of a schema.
pub(super) fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.into(),
        data_type,
        optional,
        sensitive: false,
    }
}

/// A schema of these fields.
pub(super) fn schema(fields: Vec<Field>) -> Schema {
    Schema {
        name: "s".into(),
        fields,
    }
}

/// The codec of a schema whose wire schema is the schema itself.
pub(super) fn codec(format: WireFormat, schema: &Schema) -> CodecDef {
    let outside = |field: &Field| WireField {
        name: field.name.clone(),
        wire_type: format.types_of(&field.data_type)[0],
        optional: field.optional,
    };
    codec_of(
        format,
        WireMode::Strict,
        schema,
        schema.fields.iter().map(outside).collect(),
    )
}

/// The codec of a schema with a wire schema of these fields.
pub(super) fn codec_of(
    format: WireFormat,
    mode: WireMode,
    schema: &Schema,
    fields: Vec<WireField>,
) -> CodecDef {
    let times = schema.fields.iter().enumerate();
    let times = times.filter(|(_, field)| field.data_type == DataType::DateTime);
    CodecDef {
        name: "c".into(),
        schema: Arc::new(schema.clone()),
        form: CodecForm::Schemaful {
            wire: Arc::new(WireSchemaDef {
                name: "w".into(),
                format,
                mode,
                fields,
            }),
            rfc3339: times.map(|(index, _)| index).collect(),
        },
    }
}

/// A field of a wire schema.
pub(super) fn outside(name: &str, wire_type: WireType, optional: bool) -> WireField {
    WireField {
        name: name.into(),
        wire_type,
        optional,
    }
}

/// What a codec makes of batches.
pub(super) fn pack(def: &CodecDef, limits: Option<BatchLimits>, batches: &[RecordBatch]) -> Vec<Packed> {
    let encoder = encoder(def, None, limits, &jobs()).unwrap();
    let run = |records: &RecordBatch| Rows {
        records: records.clone(),
        snapshot_ns: 0,
    };
    match encoder.pack(&batches.iter().map(run).collect::<Vec<_>>(), usize::MAX) {
        Packing::Done(packed) => packed,
        Packing::Job(_) => panic!("a schemaful codec needs no job"),
    }
}

/// The payloads among results.
pub(super) fn payloads(packed: &[Packed]) -> Vec<Bytes> {
    let payloads = packed.iter().filter_map(|packed| match packed {
        Packed::Payload { bytes, .. } => Some(bytes.clone()),
        Packed::Rejected { .. } => None,
    });
    payloads.collect()
}

/// Each record as a payload of its own.
pub(super) fn encoded(def: &CodecDef, batch: &RecordBatch) -> Vec<Bytes> {
    payloads(&pack(def, None, std::slice::from_ref(batch)))
}

/// What a codec reads out of payloads.
pub(super) fn decoded(def: &CodecDef, payloads: &[Bytes]) -> Decoded {
    let decoder = decoder(def, None, &jobs()).unwrap();
    match decoder.decode(payloads, 0) {
        Decoding::Done(decoded) => decoded,
        Decoding::Job(_) => panic!("a schemaful codec needs no job"),
    }
}

fn data_types() -> impl Strategy<Value = DataType> {
    let listed: Vec<_> = DataType::SCALARS
        .into_iter()
        .filter(|one| *one != DataType::DateTime)
        .collect();
    let list = proptest::sample::select(listed).prop_recursive(2, 6, 1, |inner| {
        prop_oneof![
            inner.clone().prop_map(|item| DataType::Vec(Box::new(item))),
            (inner, 1..3_u32, 1..3_u32).prop_map(|(item, a, b)| DataType::Array(Box::new(item), vec![a, b])),
        ]
    });
    prop_oneof![2 => proptest::sample::select(DataType::SCALARS.to_vec()), 1 => list]
}

/// A random schema and a batch of it, sliced out of a larger one. Every float is finite and every U64 an Avro `long`.
pub(super) fn batches() -> impl Strategy<Value = (Schema, RecordBatch)> {
    let fields = proptest::collection::vec((data_types(), any::<bool>()), 1..8);
    (fields, 0..10_usize, 0..20_usize, any::<u64>()).prop_map(|(fields, skipped, rows, seed)| {
        let named = fields.into_iter().enumerate();
        let name = |index: usize| {
            [
                "id",
                "a \"quoted\" \u{1} name",
                "größe",
                "",
                "f4",
                "f5",
                "f6",
                "f7",
            ][index]
        };
        let fields = named.map(|(index, (of, optional))| field(name(index), of, optional));
        let schema = schema(fields.collect());
        let whole = batch(&schema, skipped + rows + 3, seed);
        (schema, whole.slice(skipped, rows))
    })
}

/// The three formats.
pub(super) fn formats() -> impl Strategy<Value = WireFormat> {
    prop_oneof![
        Just(WireFormat::Json),
        Just(WireFormat::Cbor),
        Just(WireFormat::Avro)
    ]
}

/// A batch of a schema with values that follow from the seed.
pub(super) fn batch(schema: &Schema, rows: usize, seed: u64) -> RecordBatch {
    let mut dice = Dice(seed);
    let columns = schema.fields.iter();
    let columns = columns.map(|field| array(&field.data_type, rows, field.optional, &mut dice));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(arrow_schema(schema), columns.collect(), &options).unwrap()
}

/// Numbers that follow from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 27)
    }

    fn below(&mut self, bound: u64) -> usize {
        (self.roll() % bound) as usize
    }

    /// All magnitudes alike.
    fn number(&mut self) -> u64 {
        self.roll() >> self.below(64)
    }

    fn float(&mut self) -> f64 {
        let value = match self.below(4) {
            0 => f64::from_bits(self.roll()),
            1 => f64::from(self.number() as i32) / 100.0,
            2 => self.number() as f64,
            _ => [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e21, 1e-7][self.below(7)],
        };
        if value.is_finite() { value } else { 1.5 }
    }

    fn text(&mut self) -> String {
        let texts = [
            "",
            "a",
            "été\n",
            "🦀\"\\🦀",
            "a rather longer text than the others",
            "\u{0}\u{1f}\u{7f}\u{2028}",
        ];
        texts[self.below(6)].to_owned()
    }
}

fn array(data_type: &DataType, rows: usize, optional: bool, dice: &mut Dice) -> ArrayRef {
    let nulls = optional.then(|| (0..rows).map(|_| dice.below(3) > 0).collect::<NullBuffer>());
    macro_rules! numbers {
        ($array:ident, $value:expr) => {
            Arc::new($array::new(
                (0..rows)
                    .map(|_| $value(&mut *dice))
                    .collect::<ScalarBuffer<_>>(),
                nulls,
            ))
        };
    }
    match data_type {
        DataType::U8 => numbers!(UInt8Array, |dice: &mut Dice| dice.number() as u8),
        DataType::I8 => numbers!(Int8Array, |dice: &mut Dice| dice.number() as i8),
        DataType::U16 => numbers!(UInt16Array, |dice: &mut Dice| dice.number() as u16),
        DataType::I16 => numbers!(Int16Array, |dice: &mut Dice| dice.number() as i16),
        DataType::U32 => numbers!(UInt32Array, |dice: &mut Dice| dice.number() as u32),
        DataType::I32 => numbers!(Int32Array, |dice: &mut Dice| dice.number() as i32),
        DataType::U64 => numbers!(UInt64Array, |dice: &mut Dice| dice.number() >> 1),
        DataType::I64 => numbers!(Int64Array, |dice: &mut Dice| dice.number() as i64),
        DataType::F32 => numbers!(Float32Array, |dice: &mut Dice| {
            let value = dice.float() as f32;
            if value.is_finite() { value } else { f32::MAX }
        }),
        DataType::F64 => numbers!(Float64Array, Dice::float),
        DataType::DateTime => Arc::new(
            TimestampNanosecondArray::new((0..rows).map(|_| dice.number() as i64).collect(), nulls)
                .with_data_type(arrow_type(data_type)),
        ),
        DataType::Bool => Arc::new(BooleanArray::new(
            (0..rows).map(|_| dice.below(2) == 0).collect(),
            nulls,
        )),
        DataType::String => {
            let texts = StringArray::from_iter_values((0..rows).map(|_| dice.text()));
            let (offsets, values, _) = texts.into_parts();
            Arc::new(StringArray::new(offsets, values, nulls))
        }
        DataType::Bytes => {
            let bytes = BinaryArray::from_iter_values((0..rows).map(|_| {
                let long = dice.below(9) == 0;
                let length = dice.below(if long { 900 } else { 7 });
                (0..length).map(|_| dice.roll() as u8).collect::<Vec<_>>()
            }));
            let (offsets, values, _) = bytes.into_parts();
            Arc::new(BinaryArray::new(offsets, values, nulls))
        }
        DataType::Vec(_) | DataType::Array(..) => lists(data_type, rows, nulls, dice),
    }
}

fn lists(data_type: &DataType, rows: usize, nulls: Option<NullBuffer>, dice: &mut Dice) -> ArrayRef {
    let item = data_type.element().unwrap();
    match arrow_type(data_type) {
        ArrowType::List(field) => {
            let lengths: Vec<usize> = (0..rows).map(|_| dice.below(4)).collect();
            let values = array(&item, lengths.iter().sum(), false, dice);
            Arc::new(ListArray::new(
                field,
                OffsetBuffer::from_lengths(lengths),
                values,
                nulls,
            ))
        }
        ArrowType::FixedSizeList(field, size) => {
            let values = array(&item, rows * size as usize, false, dice);
            Arc::new(FixedSizeListArray::try_new_with_length(field, size, values, nulls, rows).unwrap())
        }
        other => unreachable!("{other} is no list"),
    }
}
