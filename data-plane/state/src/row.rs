//! One row as bytes: the length of the header of its Arrow IPC message in four bytes, little-endian, the header, the body.

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use nervix_columns::ipc;

const LENGTH_BYTES: usize = 4;

pub(crate) fn encode(record: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let message = ipc::encode(record)?;
    let header = u32::try_from(message.header.len()).map_err(|_| damaged())?;
    let mut bytes = Vec::with_capacity(LENGTH_BYTES + message.len());
    bytes.extend_from_slice(&header.to_le_bytes());
    bytes.extend_from_slice(&message.header);
    bytes.extend_from_slice(&message.body);
    Ok(bytes)
}

pub(crate) fn decode(bytes: &[u8], schema: SchemaRef) -> Result<RecordBatch, ArrowError> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>().ok_or_else(damaged)?;
    let (header, body) = rest
        .split_at_checked(u32::from_le_bytes(*length) as usize)
        .ok_or_else(damaged)?;
    let message = arrow_ipc::root_as_message(header).map_err(|_| damaged())?;
    let batch = message.header_as_record_batch().ok_or_else(damaged)?;
    let body = Buffer::from(body.to_vec());
    let none = std::collections::HashMap::new();
    let record = arrow_ipc::reader::read_record_batch(&body, batch, schema, &none, None, &message.version())?;
    if record.num_rows() == 1 {
        Ok(record)
    } else {
        Err(damaged())
    }
}

fn damaged() -> ArrowError {
    ArrowError::IpcError("a stored row is damaged".into())
}
