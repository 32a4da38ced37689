//! Record batches as Arrow IPC messages: the two parts that go into one `FlightData`.
//!
//! Invariants: a slice is encoded as the slice, whatever it was cut from; there are no dictionaries and no
//! compression; [`IpcMessage::len`] is exactly what travels as `data_header` and `data_body`, which is what
//! BATCH MAX SIZE counts (flight.md, "Ends and limits").

use arrow::array::RecordBatch;
use arrow::datatypes::Schema as ArrowSchema;
use arrow::error::ArrowError;
use arrow_ipc::writer::{
    CompressionContext, DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteOptions,
};
use bytes::Bytes;

use crate::nulls::strip_beneath;

#[cfg(test)]
mod tests;

/// One IPC message: shared, immutable, cheap to clone, so that a resend is byte for byte.
#[derive(Clone, PartialEq, Eq)]
pub struct IpcMessage {
    /// The flatbuffer: `data_header` of a `FlightData`.
    pub header: Bytes,
    /// The buffers: `data_body` of a `FlightData`; empty for a schema.
    pub body: Bytes,
}

impl IpcMessage {
    /// Bytes of header and body together.
    pub fn len(&self) -> usize {
        self.header.len() + self.body.len()
    }

    /// Whether the message has no bytes at all, which no encoded message has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for IpcMessage {
    /// Sizes only: the body is a payload.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcMessage")
            .field("header_bytes", &self.header.len())
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// The record-batch message of exactly the rows of the batch.
///
/// # Errors
/// When the batch has a dictionary-encoded column or one that IPC cannot say: it did not come through
/// [`crate::Conversion`].
pub fn encode(batch: &RecordBatch) -> Result<IpcMessage, ArrowError> {
    let clean = without_nulls_beneath(batch)?;
    let (dictionaries, message) = IpcDataGenerator::default().encode(
        &clean,
        &mut DictionaryTracker::new(false),
        &IpcWriteOptions::default(),
        &mut CompressionContext::default(),
    )?;
    if !dictionaries.is_empty() {
        return Err(ArrowError::InvalidArgumentError(
            "a dictionary must be resolved before it is encoded".into(),
        ));
    }
    Ok(from_parts(message))
}

/// The schema message that precedes the record batches of a stream.
pub fn schema_message(schema: &ArrowSchema) -> IpcMessage {
    from_parts(
        IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
            schema,
            &mut DictionaryTracker::new(false),
            &IpcWriteOptions::default(),
        ),
    )
}

fn from_parts(encoded: EncodedData) -> IpcMessage {
    IpcMessage {
        header: encoded.ipc_message.into(),
        body: encoded.arrow_data.into(),
    }
}

/// Kernels leave nulls in the child of a list beneath a null of the list; the wire has non-null children.
fn without_nulls_beneath(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    if !batch
        .schema_ref()
        .fields()
        .iter()
        .any(|field| field.data_type().is_nested())
    {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().cloned().map(strip_beneath).collect();
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}
