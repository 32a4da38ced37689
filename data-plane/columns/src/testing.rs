//! Random schemas and batches for the tests of this room.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float64Array, Int64Array, ListArray,
    RecordBatch, RecordBatchOptions, StringArray, TimestampNanosecondArray, UInt8Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType as ArrowType;
use nspl_model::{DataType, Field, Schema};
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use crate::{arrow_schema, arrow_type};

/// A field of a schema.
pub(crate) fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.into(),
        data_type,
        optional,
        sensitive: false,
    }
}

/// A schema of these fields.
pub(crate) fn schema(fields: Vec<Field>) -> Schema {
    Schema {
        name: "s".into(),
        fields,
    }
}

fn data_types() -> impl Strategy<Value = DataType> {
    let scalar = prop_oneof![
        Just(DataType::U8),
        Just(DataType::I64),
        Just(DataType::F64),
        Just(DataType::Bool),
        Just(DataType::String),
        Just(DataType::DateTime),
        Just(DataType::Bytes),
    ];
    scalar.prop_recursive(2, 6, 1, |inner| {
        prop_oneof![
            inner.clone().prop_map(|item| DataType::Vec(Box::new(item))),
            (inner, 1..3_u32, 1..3_u32).prop_map(|(item, a, b)| DataType::Array(Box::new(item), vec![a, b])),
        ]
    })
}

/// A random schema and a batch of it, sliced out of a larger one.
pub(crate) fn slices() -> impl Strategy<Value = (Schema, RecordBatch)> {
    let fields = proptest::collection::vec((data_types(), any::<bool>()), 1..5);
    (fields, 0..40_usize, 0..40_usize, any::<u64>()).prop_map(|(fields, skipped, rows, seed)| {
        let named = fields.into_iter().enumerate();
        let fields = named.map(|(index, (of, optional))| field(&format!("f{index}"), of, optional));
        let schema = schema(fields.collect());
        let whole = batch(&schema, skipped + rows + 3, seed);
        (schema, whole.slice(skipped, rows))
    })
}

/// A batch of a schema with values that follow from the seed.
pub(crate) fn batch(schema: &Schema, rows: usize, seed: u64) -> RecordBatch {
    let mut dice = Dice(seed);
    let columns = schema
        .fields
        .iter()
        .map(|field| array(&field.data_type, rows, field.optional, &mut dice));
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

    fn text(&mut self) -> String {
        ["", "a", "été", "🦀🦀", "a rather longer text than the others"][self.below(5)].to_owned()
    }
}

fn array(data_type: &DataType, rows: usize, optional: bool, dice: &mut Dice) -> ArrayRef {
    let nulls = optional.then(|| (0..rows).map(|_| dice.below(3) > 0).collect::<NullBuffer>());
    match data_type {
        DataType::U8 => Arc::new(UInt8Array::new(
            (0..rows).map(|_| dice.roll() as u8).collect(),
            nulls,
        )),
        DataType::I64 => Arc::new(Int64Array::new(
            (0..rows).map(|_| dice.roll() as i64).collect(),
            nulls,
        )),
        DataType::F64 => Arc::new(Float64Array::new(
            (0..rows).map(|_| f64::from_bits(dice.roll())).collect(),
            nulls,
        )),
        DataType::Bool => Arc::new(BooleanArray::new(
            (0..rows).map(|_| dice.below(2) == 0).collect(),
            nulls,
        )),
        DataType::DateTime => Arc::new(
            TimestampNanosecondArray::new((0..rows).map(|_| dice.roll() as i64).collect(), nulls)
                .with_timezone("UTC"),
        ),
        DataType::String => {
            let (offsets, values, _) =
                StringArray::from_iter_values((0..rows).map(|_| dice.text())).into_parts();
            Arc::new(StringArray::new(offsets, values, nulls))
        }
        DataType::Bytes => {
            let (offsets, values, _) =
                BinaryArray::from_iter_values((0..rows).map(|_| dice.text())).into_parts();
            Arc::new(BinaryArray::new(offsets, values, nulls))
        }
        DataType::Vec(item) => {
            let lengths: Vec<usize> = (0..rows).map(|_| dice.below(4)).collect();
            let values = array(item, lengths.iter().sum(), false, dice);
            let ArrowType::List(field) = arrow_type(data_type) else {
                unreachable!()
            };
            Arc::new(ListArray::new(
                field,
                OffsetBuffer::from_lengths(lengths),
                values,
                nulls,
            ))
        }
        DataType::Array(_, axes) => {
            let size = axes[0] as usize;
            let values = array(&data_type.element().unwrap(), rows * size, false, dice);
            let ArrowType::FixedSizeList(field, size) = arrow_type(data_type) else {
                unreachable!()
            };
            Arc::new(FixedSizeListArray::try_new_with_length(field, size, values, nulls, rows).unwrap())
        }
        other => unreachable!("{other} is not among the random types"),
    }
}
