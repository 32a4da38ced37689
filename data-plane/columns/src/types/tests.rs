//! Each NSPL type has one Arrow type.

use arrow::datatypes::{DataType as ArrowType, TimeUnit};
use nspl_model::DataType;

use crate::testing::{field, schema};
use crate::{arrow_schema, arrow_type};

#[test]
fn every_scalar_has_the_arrow_type_of_its_name() {
    let expected = [
        ArrowType::UInt8,
        ArrowType::Int8,
        ArrowType::UInt16,
        ArrowType::Int16,
        ArrowType::UInt32,
        ArrowType::Int32,
        ArrowType::UInt64,
        ArrowType::Int64,
        ArrowType::Float32,
        ArrowType::Float64,
        ArrowType::Boolean,
        ArrowType::Utf8,
        ArrowType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        ArrowType::Binary,
    ];
    for (data_type, arrow) in DataType::SCALARS.iter().zip(expected) {
        assert_eq!(arrow_type(data_type), arrow, "{data_type}");
    }
}

#[test]
fn an_array_is_one_fixed_size_list_per_axis_with_the_first_axis_outside() {
    let ArrowType::FixedSizeList(outer, 2) =
        arrow_type(&DataType::Array(Box::new(DataType::F32), vec![2, 3]))
    else {
        panic!("the outer axis has two elements");
    };
    assert_eq!((outer.name().as_str(), outer.is_nullable()), ("item", false));
    let ArrowType::FixedSizeList(inner, 3) = outer.data_type() else {
        panic!("the inner axis has three elements");
    };
    assert_eq!(
        (inner.name().as_str(), inner.is_nullable(), inner.data_type()),
        ("item", false, &ArrowType::Float32)
    );
}

#[test]
fn only_optional_fields_are_nullable() {
    let schema = arrow_schema(&schema(vec![
        field("a", DataType::I64, false),
        field("b", DataType::Vec(Box::new(DataType::String)), true),
    ]));
    assert!(!schema.field(0).is_nullable());
    assert!(schema.field(1).is_nullable());
    let ArrowType::List(item) = schema.field(1).data_type() else {
        panic!("a VEC is a List")
    };
    assert_eq!((item.name().as_str(), item.is_nullable()), ("item", false));
}
