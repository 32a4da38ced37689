//! Failures as the columns behind the scope `error` (companion section 6).

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ListBuilder, RecordBatch, StringBuilder, TimestampNanosecondArray, UInt32Array,
};
use arrow::datatypes::{DataType as ArrowType, Field};
use arrow::error::ArrowError;
use nervix_clock::DomainTime;
use nervix_columns::arrow_schema;
use nspl_model::record_error::error_schema;

use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// One row for each failure, with its `error.reference`. Members of one rejected payload share a reference.
///
/// # Errors
/// When the texts together pass 2^31 - 1 bytes.
pub fn error_records<'a>(
    failures: impl IntoIterator<Item = (&'a Failure, &'a str)>,
    timestamp: DomainTime,
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
    let times = TimestampNanosecondArray::from_value(timestamp.0, indexes.len()).with_timezone("UTC");
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
