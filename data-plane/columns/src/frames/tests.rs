//! Reading Arrow messages: stock forms, damage, bounds.

use std::{collections::HashMap, sync::Arc};

use arrow::{
    array::{DictionaryArray, Int64Array, RecordBatch, StringArray},
    datatypes::{DataType, Field, Int32Type, Schema},
};
use arrow_ipc::{
    CompressionType,
    writer::{
        CompressionContext, DictionaryHandling, DictionaryTracker, EncodedData, IpcDataGenerator,
        IpcWriteOptions,
    },
};
use bytes::Bytes;

use super::{Frame, FrameFault, Frames};

const LIMIT: usize = 1024 * 1024;

fn numbers(rows: i64) -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("n", DataType::Int64, false),
        Field::new("s", DataType::Utf8, true),
    ]);
    let names = StringArray::from_iter_values((0..rows).map(|row| format!("name {}", row % 7)));
    RecordBatch::try_new(
        Arc::new(schema),
        vec![Arc::new(Int64Array::from_iter_values(0..rows)), Arc::new(names)],
    )
    .unwrap()
}

fn encoded(batch: &RecordBatch, options: &IpcWriteOptions) -> Vec<EncodedData> {
    let (generator, mut tracker) = (IpcDataGenerator::default(), DictionaryTracker::new(false));
    let schema = generator.schema_to_bytes_with_dictionary_tracker(&batch.schema(), &mut tracker, options);
    let (dictionaries, rows) = generator
        .encode(batch, &mut tracker, options, &mut CompressionContext::default())
        .unwrap();
    let mut messages = vec![schema];
    messages.extend(dictionaries);
    messages.push(rows);
    messages
}

fn accept(frames: &mut Frames, message: &EncodedData) -> Result<Frame, FrameFault> {
    frames.accept(&message.ipc_message, Bytes::from(message.arrow_data.clone()))
}

fn last_batch(batch: &RecordBatch, options: &IpcWriteOptions) -> RecordBatch {
    let mut frames = Frames::new(LIMIT);
    let mut last = None;
    for message in encoded(batch, options) {
        if let Frame::Batch(read) = accept(&mut frames, &message).unwrap() {
            last = Some(read);
        }
    }
    last.unwrap()
}

#[test]
fn plain_and_compressed_batches_read_back() {
    let batch = numbers(1000);
    assert_eq!(
        last_batch(&batch, &IpcWriteOptions::default()).columns(),
        batch.columns()
    );
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = IpcWriteOptions::default()
            .try_with_compression(Some(codec))
            .unwrap();
        assert_eq!(last_batch(&batch, &options).columns(), batch.columns());
        let said = encoded(&batch, &options).pop().unwrap();
        let frames = Frames::new(LIMIT);
        let unpacked = frames
            .unpacked_bytes(&said.ipc_message, &said.arrow_data)
            .unwrap();
        assert!(unpacked > 8_000, "a column of 1000 I64 alone has 8000 bytes");
    }
    let plain = encoded(&batch, &IpcWriteOptions::default()).pop().unwrap();
    let unpacked = Frames::new(LIMIT).unpacked_bytes(&plain.ipc_message, &plain.arrow_data);
    assert_eq!(unpacked, Ok(0), "nothing is unpacked");
}

#[test]
fn a_dictionary_is_read_and_is_no_batch() {
    let words: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
    let batch = RecordBatch::try_from_iter([("word", Arc::new(words) as _)]).unwrap();
    let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Resend);
    let mut frames = Frames::new(LIMIT);
    let kinds: Vec<&str> = encoded(&batch, &options)
        .iter()
        .map(|message| match accept(&mut frames, message).unwrap() {
            Frame::Nothing => "nothing",
            Frame::Schema(_) => "schema",
            Frame::Dictionary => "dictionary",
            Frame::Batch(read) => {
                assert_eq!(read.columns(), batch.columns());
                "batch"
            }
        })
        .collect();
    assert_eq!(kinds, ["schema", "dictionary", "batch"]);
    assert!(frames.dictionary_bytes() > 0);
}

#[test]
fn an_aligned_body_is_decoded_without_a_copy() {
    let batch = numbers(100_000);
    let messages = encoded(&batch, &IpcWriteOptions::default());
    let mut frames = Frames::new(8 * LIMIT);
    accept(&mut frames, &messages[0]).unwrap();
    let mut room = vec![0_u8; messages[1].arrow_data.len() + 64];
    let pad = room.as_ptr().align_offset(64);
    room[pad..pad + messages[1].arrow_data.len()].copy_from_slice(&messages[1].arrow_data);
    let body = Bytes::from(room).slice(pad..pad + messages[1].arrow_data.len());
    let range = body.as_ptr_range();
    let Frame::Batch(read) = frames.accept(&messages[1].ipc_message, body.clone()).unwrap() else {
        panic!("no batch");
    };
    let values = read.column(0).to_data().buffers()[0].as_ptr();
    assert!(range.contains(&values), "the values were copied");
}

#[test]
fn faults_of_order_and_form_are_told_apart() {
    let messages = encoded(&numbers(3), &IpcWriteOptions::default());
    let mut frames = Frames::new(LIMIT);
    assert!(matches!(frames.accept(b"", Bytes::new()), Ok(Frame::Nothing)));
    assert_eq!(
        frames.accept(b"rubbish", Bytes::new()).unwrap_err(),
        FrameFault::NoMessage
    );
    assert_eq!(
        accept(&mut frames, &messages[1]).unwrap_err(),
        FrameFault::NoSchema
    );
    accept(&mut frames, &messages[0]).unwrap();
    assert_eq!(
        accept(&mut frames, &messages[0]).unwrap_err(),
        FrameFault::SecondSchema
    );
    let cut = Bytes::copy_from_slice(&messages[1].arrow_data[..8]);
    let fault = frames.accept(&messages[1].ipc_message, cut).unwrap_err();
    assert!(matches!(fault, FrameFault::Inconsistent(_)), "{fault}");
}

#[test]
fn a_batch_that_unpacks_beyond_the_bound_is_refused_before_it_is_unpacked() {
    let zeros = Int64Array::from(vec![0; 4_000_000]);
    let batch = RecordBatch::try_from_iter([("n", Arc::new(zeros) as _)]).unwrap();
    let options = IpcWriteOptions::default()
        .try_with_compression(Some(CompressionType::ZSTD))
        .unwrap();
    let messages = encoded(&batch, &options);
    assert!(messages[1].arrow_data.len() < LIMIT);
    let mut frames = Frames::new(LIMIT);
    accept(&mut frames, &messages[0]).unwrap();
    let fault = accept(&mut frames, &messages[1]).unwrap_err();
    assert!(fault.is_size(), "{fault}");
}

#[test]
fn a_batch_with_damaged_values_is_refused_without_a_panic() {
    let batch = numbers(50);
    let messages = encoded(&batch, &IpcWriteOptions::default());
    let mut outcomes: HashMap<bool, u32> = HashMap::new();
    for at in 0..messages[1].ipc_message.len() {
        let mut header = messages[1].ipc_message.clone();
        header[at] ^= 0x55;
        let mut frames = Frames::new(LIMIT);
        accept(&mut frames, &messages[0]).unwrap();
        let read = frames.accept(&header, Bytes::from(messages[1].arrow_data.clone()));
        *outcomes.entry(read.is_ok()).or_default() += 1;
    }
    assert!(outcomes.get(&false).is_some_and(|refused| *refused > 10));
}

#[test]
fn a_null_that_the_schema_rules_out_is_read_as_a_null() {
    let (said, meant) = (
        Field::new("n", DataType::Int64, false),
        Int64Array::from(vec![Some(1), None]),
    );
    let honest = RecordBatch::try_from_iter([("n", Arc::new(meant) as _)]).unwrap();
    let options = IpcWriteOptions::default();
    let lie = RecordBatch::new_empty(Arc::new(Schema::new(vec![said])));
    let mut frames = Frames::new(LIMIT);
    accept(&mut frames, &encoded(&lie, &options)[0]).unwrap();
    let Frame::Batch(read) = accept(&mut frames, &encoded(&honest, &options)[1]).unwrap() else {
        panic!("no batch");
    };
    assert_eq!(read.columns(), honest.columns());
}

#[test]
fn what_has_another_shape_than_its_schema_is_refused_before_it_is_read() {
    let options = IpcWriteOptions::default();
    let narrow = RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from(vec![1])) as _)]).unwrap();
    let wide = numbers(1);
    for (schema, rows) in [(&narrow, &wide), (&wide, &narrow)] {
        let mut frames = Frames::new(LIMIT);
        accept(&mut frames, &encoded(schema, &options)[0]).unwrap();
        let fault = accept(&mut frames, &encoded(rows, &options)[1]).unwrap_err();
        assert!(matches!(fault, FrameFault::Inconsistent(_)), "{fault}");
    }
    assert_eq!(
        Frames::new(LIMIT)
            .accept(b"", Bytes::from_static(b"body"))
            .unwrap_err(),
        FrameFault::NoHeader
    );
}
