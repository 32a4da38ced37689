//! Round trips through a stock reader, of slices above all.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, FixedSizeListArray, Int64Array, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType as ArrowType;
use arrow_ipc::reader::StreamReader;
use nspl_model::DataType;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

use super::{IpcMessage, encode, schema_message};
use crate::testing::{batch, field, schema, slices};
use crate::{arrow_schema, copy_out, logical_bytes, nullable_schema};

/// Puts the parts of messages into the stream that a stock reader takes.
fn read(messages: &[IpcMessage]) -> RecordBatch {
    let mut stream = Vec::new();
    for message in messages {
        let padded = message.header.len().next_multiple_of(8);
        stream.extend_from_slice(&[0xFF; 4]);
        stream.extend_from_slice(&(padded as i32).to_le_bytes());
        stream.extend_from_slice(&message.header);
        stream.resize(stream.len() + padded - message.header.len(), 0);
        stream.extend_from_slice(&message.body);
    }
    stream.extend_from_slice(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
    let mut batches = StreamReader::try_new(stream.as_slice(), None).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

#[test]
fn ten_rows_of_a_million_are_encoded_as_ten_rows() {
    let schema = schema(vec![
        field("n", DataType::I64, true),
        field("t", DataType::String, false),
        field("v", DataType::Vec(Box::new(DataType::String)), false),
        field("a", DataType::Array(Box::new(DataType::I64), vec![2]), false),
        field("b", DataType::Bool, false),
    ]);
    let slice = batch(&schema, 1_000_000, 5).slice(500_003, 10);
    let message = encode(&slice).unwrap();
    assert!(message.len() < 4096, "{} bytes", message.len());
    assert_eq!(
        message.body.len(),
        encode(&copy_out(&slice).unwrap()).unwrap().body.len()
    );
    assert_eq!(read(&[schema_message(&arrow_schema(&schema)), message]), slice);
}

#[test]
fn an_empty_batch_and_an_all_null_list_survive() {
    let schema = schema(vec![field("v", DataType::Vec(Box::new(DataType::String)), true)]);
    let arrow = arrow_schema(&schema);
    let empty = RecordBatch::new_empty(arrow.clone());
    assert_eq!(read(&[schema_message(&arrow), encode(&empty).unwrap()]), empty);
    let nulls = crate::null_array(arrow.field(0).data_type(), 3);
    let nulls = RecordBatch::try_new(arrow.clone(), vec![nulls]).unwrap();
    assert_eq!(read(&[schema_message(&arrow), encode(&nulls).unwrap()]), nulls);
}

#[test]
fn nulls_beneath_a_null_list_do_not_reach_the_wire() {
    let schema = schema(vec![field(
        "a",
        DataType::Array(Box::new(DataType::I64), vec![2]),
        true,
    )]);
    let arrow = arrow_schema(&schema);
    let ArrowType::FixedSizeList(item, size) = arrow.field(0).data_type().clone() else {
        unreachable!()
    };
    let values = Arc::new(Int64Array::from(vec![Some(1), Some(2), None, None]));
    let list: ArrayRef = Arc::new(FixedSizeListArray::new(
        item,
        size,
        values,
        Some(NullBuffer::from(vec![true, false])),
    ));
    let batch = RecordBatch::try_new(arrow.clone(), vec![list]).unwrap();
    let read = read(&[schema_message(&arrow), encode(&batch).unwrap()]);
    assert_eq!(read.column(0).as_fixed_size_list().values().null_count(), 0);
    assert_eq!(read.column(0).null_count(), 1);
}

#[test]
fn what_is_shown_of_a_message_is_its_size() {
    let schema = schema(vec![field("t", DataType::String, false)]);
    let shown = format!("{:?}", encode(&batch(&schema, 3, 1)).unwrap());
    assert!(
        shown.contains("body_bytes") && !shown.contains("longer"),
        "{shown}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_encoded_is_what_is_read((_, slice) in slices()) {
        let message = encode(&slice).unwrap();
        let read = read(&[schema_message(&slice.schema()), message.clone()]);
        prop_assert_eq!(&read, &slice);
        // Padding to 64 bytes for each buffer is all that comes on top of the logical bytes.
        let buffers = 3 * 16 * slice.num_columns() as u64;
        prop_assert!(message.body.len() as u64 <= logical_bytes(&slice) + 64 * buffers);
        prop_assert_eq!(message.len(), message.header.len() + message.body.len());
    }

    #[test]
    fn nullable_rows_survive_too((_, slice) in slices()) {
        let schema = nullable_schema(&slice.schema());
        let slice = RecordBatch::try_new(schema.clone(), slice.columns().to_vec()).unwrap();
        prop_assert_eq!(read(&[schema_message(&schema), encode(&slice).unwrap()]), slice);
    }
}
