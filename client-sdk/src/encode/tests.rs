use std::sync::Arc;

use arrow::{
    array::{Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch},
    datatypes::{DataType, Field, Int32Type, Schema},
};
use arrow_flight::{FlightDescriptor, utils::flight_data_to_arrow_batch};

use super::{Encoder, read_schema};

fn numbers(values: Vec<i64>) -> RecordBatch {
    let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
    RecordBatch::try_new(schema, vec![Arc::new(Int64Array::from(values))]).unwrap()
}

#[test]
fn one_batch_is_one_message_however_large_it_is() {
    let batch = numbers((0..1_000_000).collect());
    let encoded = Encoder::new(batch.schema()).encode(&batch).unwrap();
    assert_eq!(encoded.frames.len(), 1);
    assert!(encoded.bytes > 8_000_000);
    let read = flight_data_to_arrow_batch(&encoded.frames[0], batch.schema(), &Default::default()).unwrap();
    assert_eq!(read, batch);
}

#[test]
fn a_slice_is_encoded_as_the_slice() {
    let batch = numbers((0..1_000_000).collect());
    let encoder = Encoder::new(batch.schema());
    assert!(encoder.encode(&batch.slice(500, 10)).unwrap().bytes < 1_000);
}

#[test]
fn each_batch_brings_its_own_dictionaries() {
    let colours: DictionaryArray<Int32Type> = vec!["red", "blue", "red"].into_iter().collect();
    let schema = Arc::new(Schema::new(vec![Field::new(
        "c",
        colours.data_type().clone(),
        false,
    )]));
    let column: ArrayRef = Arc::new(colours);
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![column]).unwrap();
    let encoder = Encoder::new(schema);
    let (first, second) = (encoder.encode(&batch).unwrap(), encoder.encode(&batch).unwrap());
    assert_eq!((first.frames.len(), second.frames.len()), (2, 2));
    assert_eq!(first.frames, second.frames);
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let other = Arc::new(Schema::new(vec![Field::new("m", DataType::Int64, false)]));
    assert!(Encoder::new(other).encode(&numbers(vec![1])).is_err());
}

#[test]
fn the_schema_message_carries_descriptor_and_metadata_and_reads_back() {
    let batch = numbers(vec![]);
    let path = vec!["d".to_owned(), "ingestor".to_owned(), "i".to_owned()];
    let frame = Encoder::new(batch.schema()).schema_frame(FlightDescriptor::new_path(path), "m".into());
    assert_eq!(frame.flight_descriptor.clone().unwrap().path.len(), 3);
    assert_eq!(&frame.app_metadata[..], b"m");
    assert_eq!(read_schema(&frame).unwrap(), *batch.schema());
}
