use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, StringArray, UInt64Array};
use nervix_clock::ManualClock;
use nervix_relay::{Branches, FingerprintKey};
use nspl_model::{BranchDef, DataType, Field, Schema};

use super::WireKey;

fn schema(types: &[DataType]) -> Arc<Schema> {
    let fields = types.iter().enumerate().map(|(index, data_type)| Field {
        name: format!("k{index}"),
        data_type: data_type.clone(),
        optional: true,
        sensitive: false,
    });
    Arc::new(Schema {
        name: "key".to_owned(),
        fields: fields.collect(),
    })
}

/// The wire form of the key of one row, through the relay's own encoding.
fn wire(types: &[DataType], columns: &[ArrayRef]) -> Option<Vec<u8>> {
    let schema = schema(types);
    let def = BranchDef {
        name: "b".to_owned(),
        schema: schema.clone(),
        ttl: std::time::Duration::from_secs(60),
        max_instances: None,
    };
    let clock = ManualClock::new().domain();
    let branches = Branches::new(Arc::new(def), FingerprintKey::new("shop", [3; 32]), clock);
    let groups = branches.group(columns).expect("keys");
    let branch = branches.try_intern(groups.key(0)).expect("room");
    let key = WireKey::compile(&schema).expect("casts compile");
    key.of(branch.key_encoding()).map(|key| key.to_vec())
}

#[test]
fn one_field_is_its_octets_or_its_text() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["ä\"b"]));
    assert_eq!(wire(&[DataType::String], &[text]).unwrap(), "ä\"b".as_bytes());
    let octets: ArrayRef = Arc::new(BinaryArray::from(vec![&[0_u8, 255][..]]));
    assert_eq!(wire(&[DataType::Bytes], &[octets]).unwrap(), [0, 255]);
    let number: ArrayRef = Arc::new(Int64Array::from(vec![-7]));
    assert_eq!(wire(&[DataType::I64], &[number]).unwrap(), b"-7");
    let null: ArrayRef = Arc::new(Int64Array::from(vec![None]));
    assert_eq!(
        wire(&[DataType::I64], &[null]),
        None,
        "a null key, not an empty one"
    );
}

#[test]
fn several_fields_are_a_json_array_in_declared_order() {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["a\"\n"])),
        Arc::new(UInt64Array::from(vec![u64::MAX])),
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(BinaryArray::from(vec![&b"hi"[..]])),
        Arc::new(Int64Array::from(vec![None])),
        Arc::new(Float64Array::from(vec![0.5])),
        Arc::new(Float64Array::from(vec![f64::NAN])),
    ];
    let types = [
        DataType::String,
        DataType::U64,
        DataType::Bool,
        DataType::Bytes,
        DataType::I64,
        DataType::F64,
        DataType::F64,
    ];
    let expected = r#"["a\"\n",18446744073709551615,true,"aGk=",null,0.5,"NaN"]"#;
    assert_eq!(wire(&types, &columns).unwrap(), expected.as_bytes());
}
