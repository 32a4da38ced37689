//! Forms that writers send, differences, and rows that are rejected.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, DictionaryArray, FixedSizeListArray, Int32Array, Int64Array,
    ListArray, ListViewArray, RecordBatch, StringArray, TimestampMicrosecondArray, TimestampSecondArray,
    UInt8Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType as ArrowType, Field as ArrowField, Int8Type, Schema as ArrowSchema, SchemaRef, TimeUnit,
    TimestampNanosecondType,
};
use nspl_model::{DataType, Schema};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

use super::{Conversion, ConversionError, Converted, Difference, Reason};
use crate::testing::{field, schema, slices};

fn arrow(fields: Vec<(&str, ArrowType)>) -> SchemaRef {
    let fields = fields
        .into_iter()
        .map(|(name, of)| ArrowField::new(name, of, true));
    Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()))
}

fn sent(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let schema = arrow(
        columns
            .iter()
            .map(|(name, array)| (*name, array.data_type().clone()))
            .collect(),
    );
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn convert(batch: &RecordBatch, target: &Schema) -> Converted {
    Conversion::plan(&batch.schema(), target)
        .unwrap()
        .convert(batch)
        .unwrap()
}

fn vec_of(item: DataType) -> DataType {
    DataType::Vec(Box::new(item))
}

#[test]
fn every_difference_is_named_at_once() {
    let target = schema(vec![
        field("id", DataType::I64, false),
        field("at", DataType::DateTime, false),
        field("name", DataType::String, false),
        field("note", DataType::String, true),
        field("tags", vec_of(DataType::String), false),
    ]);
    let source = arrow(vec![
        ("id", ArrowType::Int32),
        (
            "at",
            ArrowType::Timestamp(TimeUnit::Second, Some("Europe/Berlin".into())),
        ),
        ("extra", ArrowType::Utf8),
        (
            "tags",
            ArrowType::List(Arc::new(ArrowField::new("item", ArrowType::Int8, true))),
        ),
        ("tags", ArrowType::Utf8),
    ]);
    let differences = Conversion::plan(&source, &target).unwrap_err();
    let named: Vec<String> = differences.list().iter().map(Difference::to_string).collect();
    assert_eq!(named.len(), 6, "{named:?}");
    let text = differences.to_string();
    for part in [
        "extra is not in the schema",
        "tags is there more than once",
        "name STRING is missing",
        "id is I64, not Int32",
        "at is DATETIME, not Timestamp",
        "tags is VEC<STRING>, not List",
    ] {
        assert!(text.contains(part), "{text} lacks: {part}");
    }
    assert!(!text.contains("note"), "an OPTIONAL field may be missing: {text}");
}

#[test]
fn a_long_list_of_differences_is_cut_and_counted() {
    let names: Vec<String> = (0..200)
        .map(|index| format!("{}{index}", "x".repeat(500)))
        .collect();
    let source = arrow(
        names
            .iter()
            .map(|name| (name.as_str(), ArrowType::Int8))
            .collect(),
    );
    let text = Conversion::plan(&source, &schema(vec![]))
        .unwrap_err()
        .to_string();
    assert!(
        text.ends_with("and 136 more") && text.len() < 8192,
        "{} bytes",
        text.len()
    );
}

#[test]
fn fields_match_by_name_in_any_order_and_a_missing_optional_field_is_null() {
    let target = schema(vec![
        field("a", DataType::I64, false),
        field("b", DataType::String, false),
        field("c", DataType::Array(Box::new(DataType::U8), vec![2]), true),
    ]);
    let batch = sent(vec![
        ("b", Arc::new(StringArray::from(vec!["x", "y"]))),
        ("a", Arc::new(Int64Array::from(vec![1, 2]))),
    ]);
    let converted = convert(&batch, &target);
    assert!(converted.rejected.is_none());
    assert_eq!(converted.batch.schema(), crate::arrow_schema(&target));
    assert_eq!(converted.batch.column(0).as_ref(), batch.column(1).as_ref());
    assert_eq!(converted.batch.column(2).null_count(), 2);
}

#[test]
fn what_is_exact_already_is_not_copied() {
    let target = schema(vec![
        field("n", DataType::I64, false),
        field("v", vec_of(DataType::I64), false),
    ]);
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let element = Arc::new(ArrowField::new("element", ArrowType::Int64, true));
    let list = ListArray::new(element, OffsetBuffer::from_lengths([1, 2]), values.clone(), None);
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let converted = convert(
        &sent(vec![("n", numbers.clone()), ("v", Arc::new(list))]),
        &target,
    );
    let start = |array: &ArrayRef| array.to_data().buffers()[0].as_ptr();
    assert_eq!(start(converted.batch.column(0)), start(&numbers));
    assert_eq!(
        start(converted.batch.column(1).as_list::<i32>().values()),
        start(&values)
    );
}

#[test]
fn every_form_of_text_and_bytes_is_taken() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![
        Some(""),
        Some("🦀"),
        None,
        Some("a long enough text"),
    ]));
    let target = schema(vec![field("t", DataType::String, true)]);
    let key = Box::new(ArrowType::Int16);
    for form in [
        ArrowType::LargeUtf8,
        ArrowType::Utf8View,
        ArrowType::Dictionary(key.clone(), Box::new(ArrowType::Utf8)),
        ArrowType::Dictionary(key, Box::new(ArrowType::LargeUtf8)),
    ] {
        let other = cast(&text, &form).unwrap();
        let converted = convert(&sent(vec![("t", other)]), &target);
        assert_eq!(converted.batch.column(0).as_ref(), text.as_ref(), "{form}");
    }
    let bytes = cast(&text, &ArrowType::Binary).unwrap();
    let target = schema(vec![field("t", DataType::Bytes, true)]);
    for form in [ArrowType::LargeBinary, ArrowType::BinaryView] {
        let converted = convert(&sent(vec![("t", cast(&bytes, &form).unwrap())]), &target);
        assert_eq!(converted.batch.column(0).as_ref(), bytes.as_ref(), "{form}");
    }
    let plan = Conversion::plan(&arrow(vec![("t", ArrowType::Utf8)]), &target);
    assert!(plan.is_err(), "text is not bytes");
}

#[test]
fn timestamps_of_every_unit_become_nanoseconds_and_those_out_of_range_reject_their_row() {
    let target = schema(vec![field("at", DataType::DateTime, false)]);
    let seconds = TimestampSecondArray::from(vec![-1, i64::MAX, 0, i64::MIN]).with_timezone("Etc/UTC");
    let converted = convert(&sent(vec![("at", Arc::new(seconds))]), &target);
    let times = converted
        .batch
        .column(0)
        .as_primitive::<TimestampNanosecondType>();
    assert_eq!(
        (times.values().as_ref(), times.timezone()),
        ([-1_000_000_000, 0].as_slice(), Some("UTC"))
    );
    let rejected = converted.rejected.unwrap();
    let rows: Vec<_> = rejected
        .rows
        .iter()
        .map(|row| (row.row, row.reason, row.fields.clone()))
        .collect();
    let fields = vec!["at".to_owned()];
    assert_eq!(
        rows,
        [(1, Reason::Inexact, fields.clone()), (3, Reason::Inexact, fields)]
    );
    assert_eq!(rejected.records.column(0).null_count(), 2);
    for zone in [None, Some("Z"), Some("+00:00"), Some("-00:00")] {
        let micros = TimestampMicrosecondArray::from(vec![5]).with_timezone_opt(zone.map(Arc::<str>::from));
        let converted = convert(&sent(vec![("at", Arc::new(micros))]), &target);
        assert_eq!(
            converted
                .batch
                .column(0)
                .as_primitive::<TimestampNanosecondType>()
                .value(0),
            5_000
        );
    }
}

#[test]
fn a_null_in_a_required_field_rejects_its_row_alone() {
    let target = schema(vec![
        field("b", DataType::I64, false),
        field("a", DataType::String, false),
    ]);
    let batch = sent(vec![
        (
            "a",
            Arc::new(StringArray::from(vec![Some("x"), None, Some("z"), None])),
        ),
        (
            "b",
            Arc::new(Int64Array::from(vec![Some(1), Some(2), None, None])),
        ),
    ]);
    let converted = convert(&batch, &target);
    assert_eq!(converted.batch.num_rows(), 1);
    assert_eq!(converted.batch.schema(), crate::arrow_schema(&target));
    let rejected = converted.rejected.unwrap();
    let fields: Vec<_> = rejected.rows.iter().map(|row| row.fields.join(",")).collect();
    assert_eq!(fields, ["a", "b", "a,b"]);
    assert_eq!(
        rejected.accepted.iter().collect::<Vec<_>>(),
        [true, false, false, false]
    );
    assert_eq!(rejected.records.num_rows(), 3);
    assert_eq!(
        rejected.records.column(0).as_ref(),
        &Int64Array::from(vec![Some(2), None, None]) as &dyn Array
    );
}

#[test]
fn a_null_within_a_list_rejects_its_row_but_not_beneath_a_null_list() {
    let target = schema(vec![field("v", vec_of(DataType::I64), true)]);
    let item = Arc::new(ArrowField::new("item", ArrowType::Int64, true));
    let values = Arc::new(Int64Array::from(vec![Some(1), None, None, Some(4)]));
    let valid = Some(NullBuffer::from(vec![true, true, false, true]));
    let lists = ListArray::new(item, OffsetBuffer::from_lengths([1, 1, 1, 1]), values, valid);
    let converted = convert(&sent(vec![("v", Arc::new(lists))]), &target);
    let rejected = converted.rejected.unwrap();
    assert_eq!(rejected.rows.iter().map(|row| row.row).collect::<Vec<_>>(), [1]);
    let lists = converted.batch.column(0).as_list::<i32>();
    assert_eq!(
        (lists.len(), lists.null_count(), lists.values().null_count()),
        (3, 1, 0)
    );
}

#[test]
fn a_fixed_list_keeps_its_axes_and_takes_dictionaries_within() {
    let target = schema(vec![field(
        "m",
        DataType::Array(Box::new(DataType::String), vec![1, 2]),
        false,
    )]);
    let keys = Int32Array::from(vec![Some(0), Some(1), Some(1), None]);
    let words: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let words: ArrayRef = Arc::new(DictionaryArray::new(keys, words));
    let inner = Arc::new(ArrowField::new("x", words.data_type().clone(), true));
    let inner: ArrayRef = Arc::new(FixedSizeListArray::new(inner, 2, words, None));
    let outer = Arc::new(ArrowField::new("y", inner.data_type().clone(), true));
    let outer: ArrayRef = Arc::new(FixedSizeListArray::new(outer, 1, inner, None));
    let converted = convert(&sent(vec![("m", outer.clone())]), &target);
    assert_eq!(converted.batch.num_rows(), 1);
    assert_eq!(converted.rejected.unwrap().rows[0].row, 1);
    let wrong = schema(vec![field(
        "m",
        DataType::Array(Box::new(DataType::String), vec![2, 1]),
        false,
    )]);
    assert!(Conversion::plan(&sent(vec![("m", outer)]).schema(), &wrong).is_err());
}

#[test]
fn list_views_may_overlap_and_stand_in_any_order() {
    let target = schema(vec![field("v", vec_of(DataType::U8), false)]);
    let item = Arc::new(ArrowField::new("item", ArrowType::UInt8, true));
    let values: ArrayRef = Arc::new(UInt8Array::from(vec![1, 2, 3]));
    let views = ListViewArray::new(
        item,
        ScalarBuffer::from(vec![1, 0, 3]),
        ScalarBuffer::from(vec![2, 2, 0]),
        values,
        None,
    );
    let converted = convert(&sent(vec![("v", Arc::new(views))]), &target);
    let lists = converted.batch.column(0).as_list::<i32>();
    let read: Vec<Vec<u8>> = (0..3)
        .map(|row| {
            lists
                .value(row)
                .as_primitive::<arrow::datatypes::UInt8Type>()
                .values()
                .to_vec()
        })
        .collect();
    assert_eq!(read, [vec![2, 3], vec![1, 2], vec![]]);
}

#[test]
fn a_dictionary_may_not_unfold_without_bound() {
    let word: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1000)]));
    let words: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![0; 100].into(), word));
    let batch = sent(vec![("t", words)]);
    let target = schema(vec![field("t", DataType::String, false)]);
    let plan = Conversion::plan(&batch.schema(), &target).unwrap();
    assert_eq!(plan.convert(&batch).unwrap().batch.num_rows(), 100);
    let refused = plan.with_bytes_max(50_000).convert(&batch).unwrap_err();
    assert!(
        matches!(refused, ConversionError::TooLarge { bytes_max: 50_000 }),
        "{refused}"
    );
}

#[test]
fn a_field_that_was_left_out_may_not_unfold_without_bound() {
    let batch = sent(vec![("n", Arc::new(Int64Array::from(vec![1, 2])))]);
    for axes in [vec![i32::MAX as u32; 3], vec![1 << 16, 1 << 16], vec![1 << 28]] {
        let grid = DataType::Array(Box::new(DataType::I64), axes);
        let target = schema(vec![field("n", DataType::I64, false), field("grid", grid, true)]);
        let plan = Conversion::plan(&batch.schema(), &target).unwrap();
        let refused = plan.convert(&batch).unwrap_err();
        assert!(matches!(refused, ConversionError::TooLarge { .. }), "{refused}");
    }
    let grid = DataType::Array(Box::new(DataType::I64), vec![4, 4]);
    let target = schema(vec![field("n", DataType::I64, false), field("grid", grid, true)]);
    let plan = Conversion::plan(&batch.schema(), &target).unwrap();
    assert_eq!(plan.convert(&batch).unwrap().batch.column(1).null_count(), 2);
    assert!(plan.with_bytes_max(200).convert(&batch).is_err());
}

#[test]
fn a_dictionary_without_values_may_not_unfold_without_bound() {
    let item = Arc::new(ArrowField::new("item", ArrowType::Int64, false));
    let none: ArrayRef = Arc::new(FixedSizeListArray::new(
        item,
        1 << 28,
        Arc::new(Int64Array::from(Vec::<i64>::new())),
        None,
    ));
    let words: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![None, None].into(), none));
    let grid = DataType::Array(Box::new(DataType::I64), vec![1 << 28]);
    let batch = sent(vec![("grid", words)]);
    let plan = Conversion::plan(&batch.schema(), &schema(vec![field("grid", grid, true)])).unwrap();
    assert!(matches!(
        plan.convert(&batch),
        Err(ConversionError::TooLarge { .. })
    ));
}

fn same_views(values: ArrayRef, rows: usize) -> ArrayRef {
    let item = Arc::new(ArrowField::new("item", values.data_type().clone(), true));
    let size = i32::try_from(values.len()).unwrap();
    Arc::new(ListViewArray::new(
        item,
        ScalarBuffer::from(vec![0; rows]),
        ScalarBuffer::from(vec![size; rows]),
        values,
        None,
    ))
}

#[test]
fn overlapping_list_views_may_not_unfold_without_bound() {
    let text = |wide: &ArrowType| cast(&StringArray::from(vec!["x".repeat(100_000)]), wide).unwrap();
    let cases: [(DataType, ArrayRef, usize); 5] = [
        (
            DataType::Bool,
            Arc::new(BooleanArray::from(vec![true; 40_000])),
            50_000,
        ),
        (DataType::U8, Arc::new(UInt8Array::from(vec![7; 20_000])), 20_000),
        (DataType::String, text(&ArrowType::Utf8), 20_000),
        (DataType::String, text(&ArrowType::LargeUtf8), 20_000),
        (DataType::String, text(&ArrowType::Utf8View), 20_000),
    ];
    for (of, values, rows) in cases {
        let batch = sent(vec![("v", same_views(values, rows))]);
        let plan = Conversion::plan(&batch.schema(), &schema(vec![field("v", vec_of(of), false)])).unwrap();
        let refused = plan.convert(&batch).unwrap_err();
        assert!(matches!(refused, ConversionError::TooLarge { .. }), "{refused}");
    }
}

#[test]
fn the_indices_of_gathered_list_views_count() {
    let batch = sent(vec![(
        "v",
        same_views(Arc::new(BooleanArray::from(vec![true; 100])), 100),
    )]);
    let target = schema(vec![field("v", vec_of(DataType::Bool), false)]);
    let plan = Conversion::plan(&batch.schema(), &target).unwrap();
    assert!(plan.clone().with_bytes_max(100_000).convert(&batch).is_ok());
    assert!(plan.with_bytes_max(80_000).convert(&batch).is_err());
}

#[test]
fn a_dictionary_of_nulls_and_one_without_values_are_nulls() {
    let target = schema(vec![field("t", DataType::String, true)]);
    let none: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let empty: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![None, None].into(), none));
    assert_eq!(
        convert(&sent(vec![("t", empty)]), &target)
            .batch
            .column(0)
            .null_count(),
        2
    );
    let some: ArrayRef = Arc::new(StringArray::from(vec![None, Some("a")]));
    let words: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![0, 1].into(), some));
    assert_eq!(
        convert(&sent(vec![("t", words)]), &target)
            .batch
            .column(0)
            .null_count(),
        1
    );
}

#[test]
fn a_batch_of_another_schema_than_was_planned_is_refused() {
    let target = schema(vec![field("n", DataType::I64, false)]);
    let plan = Conversion::plan(&arrow(vec![("n", ArrowType::Int64)]), &target).unwrap();
    let other = sent(vec![("n", Arc::new(StringArray::from(vec!["x"])))]);
    assert!(matches!(plan.convert(&other), Err(ConversionError::OtherSchema)));
}

fn widened(array: &ArrayRef) -> ArrayRef {
    let wide = match array.data_type() {
        ArrowType::Utf8 => ArrowType::Utf8View,
        ArrowType::Binary => ArrowType::LargeBinary,
        ArrowType::List(item) => ArrowType::LargeList(item.clone()),
        other => other.clone(),
    };
    cast(array, &wide).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn exact_batches_pass_unchanged((schema, slice) in slices()) {
        let converted = convert(&slice, &schema);
        prop_assert!(converted.rejected.is_none());
        prop_assert_eq!(converted.batch, slice);
    }

    #[test]
    fn wider_forms_convert_to_the_same_batch((schema, slice) in slices()) {
        let names: Vec<String> = schema.fields.iter().map(|field| field.name.clone()).collect();
        let columns = names.iter().zip(slice.columns()).rev();
        let wide = sent(columns.map(|(name, array)| (name.as_str(), widened(array))).collect());
        let converted = convert(&wide, &schema);
        prop_assert!(converted.rejected.is_none());
        prop_assert_eq!(converted.batch, slice);
    }
}
