//! Record batches to Flight messages, once: a batch that is resent is sent byte for byte.
//!
//! One record batch is exactly one record-batch message, since positions name batches; so a batch is never split here.

use arrow::{
    array::RecordBatch,
    datatypes::{DataType, Field, Schema, SchemaRef},
};
use arrow_flight::{FlightData, FlightDescriptor, SchemaAsIpc};
use arrow_ipc::writer::{CompressionContext, DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use bytes::Bytes;

use crate::error::Error;

/// A batch as it travels: dictionaries it needs, then its record-batch message.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    pub(crate) frames: Vec<FlightData>,
    pub(crate) bytes: usize,
}

/// Encodes the batches of one writer.
#[derive(Debug)]
pub(crate) struct Encoder {
    schema: SchemaRef,
    options: IpcWriteOptions,
    dictionaries: bool,
}

impl Encoder {
    pub(crate) fn new(schema: SchemaRef) -> Self {
        let dictionaries = schema.fields().iter().any(|field| holds_dictionary(field));
        Encoder {
            schema,
            options: IpcWriteOptions::default(),
            dictionaries,
        }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The first message of a stream.
    pub(crate) fn schema_frame(&self, descriptor: FlightDescriptor, metadata: Bytes) -> FlightData {
        FlightData::from(SchemaAsIpc::new(&self.schema, &self.options))
            .with_descriptor(descriptor)
            .with_app_metadata(metadata)
    }

    pub(crate) fn encode(&self, batch: &RecordBatch) -> Result<Encoded, Error> {
        let schema = batch.schema();
        if schema.fields() != self.schema.fields() {
            return Err(Error::Batch(
                "its schema is not the one that the writer was opened with".to_owned(),
            ));
        }
        let generator = IpcDataGenerator::default();
        let mut tracker = DictionaryTracker::new(false);
        if self.dictionaries {
            // Gives the dictionaries of this batch the numbers that the schema message gave them; since every batch
            // brings its own dictionaries, it can be resent on another stream as it is.
            let options = &self.options;
            generator.schema_to_bytes_with_dictionary_tracker(self.schema.as_ref(), &mut tracker, options);
        }
        let (dictionaries, message) = generator
            .encode(
                batch,
                &mut tracker,
                &self.options,
                &mut CompressionContext::default(),
            )
            .map_err(|error| Error::Batch(error.to_string()))?;
        let frames: Vec<FlightData> = dictionaries
            .into_iter()
            .chain([message])
            .map(FlightData::from)
            .collect();
        let bytes = frames
            .iter()
            .map(|frame| frame.data_header.len() + frame.data_body.len())
            .sum();
        Ok(Encoded { frames, bytes })
    }
}

fn holds_dictionary(field: &Field) -> bool {
    match field.data_type() {
        DataType::Dictionary(..) => true,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => holds_dictionary(item),
        DataType::Struct(fields) => fields.iter().any(|field| holds_dictionary(field)),
        DataType::RunEndEncoded(_, values) => holds_dictionary(values),
        _ => false,
    }
}

/// The schema in the first message of the server's side of an exchange.
pub(crate) fn read_schema(frame: &FlightData) -> Result<Schema, Error> {
    Schema::try_from(frame)
        .map_err(|_| Error::Protocol("the first message of an exchange is no schema".to_owned()))
}

#[cfg(test)]
mod tests;
