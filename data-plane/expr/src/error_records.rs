//! Failures as the columns behind the scope `error` (companion section 6).
//!
//! Invariant: `error.timestamp` and the time in `error.reference` are the domain time of the failed record's execution
//! snapshot, whoever asks.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ListBuilder, RecordBatch, StringBuilder, TimestampNanosecondArray, UInt32Array,
};
use arrow::datatypes::{DataType as ArrowType, Field};
use arrow::error::ArrowError;
use nervix_clock::Snapshot;
use nervix_columns::arrow_schema;
use nspl_model::record_error::error_schema;
use uuid::{Builder, Uuid};

use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// A new `error.reference`: a uuid v7, its time the snapshot's.
pub fn error_reference(snapshot: &Snapshot) -> String {
    let mut random = [0; 10];
    for (place, byte) in random.iter_mut().zip(*Uuid::new_v4().as_bytes()) {
        *place = byte;
    }
    let millis = u64::try_from(snapshot.domain_time.0 / 1_000_000).unwrap_or(0);
    let reference = Builder::from_unix_timestamp_millis(millis, &random);
    reference.into_uuid().to_string()
}

/// One row for each failure, with its `error.reference`. Members of one rejected payload share a reference.
///
/// # Errors
/// When the texts together pass 2^31 - 1 bytes.
pub fn error_records<'a>(
    failures: impl IntoIterator<Item = (&'a Failure, &'a str)>,
    snapshot: &Snapshot,
) -> Result<RecordBatch, ArrowError> {
    let mut references = StringBuilder::new();
    let mut codes = StringBuilder::new();
    let mut operations = StringBuilder::new();
    let mut indexes: Vec<Option<u32>> = Vec::new();
    let item = Field::new("item", ArrowType::Utf8, false);
    let mut fields = ListBuilder::new(StringBuilder::new()).with_field(item);
    let mut messages = StringBuilder::new();
    for (failure, reference) in failures {
        let site = &failure.site;
        references.append_value(reference);
        codes.append_value(site.code.as_str());
        operations.append_value(site.operation.as_str());
        indexes.push(site.operation_index);
        for field in &site.fields {
            fields.values().append_value(field);
        }
        fields.append(true);
        messages.append_value(failure.message());
    }
    let times = TimestampNanosecondArray::from_value(snapshot.domain_time.0, indexes.len());
    let times = times.with_timezone("UTC");
    let columns: Vec<ArrayRef> = vec![
        Arc::new(references.finish()),
        Arc::new(codes.finish()),
        Arc::new(operations.finish()),
        Arc::new(UInt32Array::from(indexes)),
        Arc::new(fields.finish()),
        Arc::new(times),
        Arc::new(messages.finish()),
    ];
    RecordBatch::try_new(arrow_schema(&error_schema()), columns)
}
