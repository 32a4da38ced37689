//! The columns of a SYSLOG codec's records, by their places in RFC 5424.

use arrow::array::{Array, AsArray, PrimitiveArray, RecordBatch, StringArray};
use arrow::datatypes::{TimestampNanosecondType, UInt8Type};
use nspl_model::Schema;

/// Where the fields stand in a schema; one that may be left out may be missing.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) facility: usize,
    pub(super) severity: usize,
    pub(super) timestamp: Option<usize>,
    pub(super) hostname: Option<usize>,
    pub(super) app_name: Option<usize>,
    pub(super) proc_id: Option<usize>,
    pub(super) msg_id: Option<usize>,
    pub(super) structured_data: Option<usize>,
    pub(super) message: usize,
}

impl Fields {
    /// `None` when a field that must be there is missing; the checker lets no such schema through.
    pub(super) fn of(schema: &Schema) -> Option<Fields> {
        Some(Fields {
            facility: schema.index_of("facility")?,
            severity: schema.index_of("severity")?,
            timestamp: schema.index_of("timestamp"),
            hostname: schema.index_of("hostname"),
            app_name: schema.index_of("app_name"),
            proc_id: schema.index_of("proc_id"),
            msg_id: schema.index_of("msg_id"),
            structured_data: schema.index_of("structured_data"),
            message: schema.index_of("message")?,
        })
    }
}

/// The fields of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) facility: u8,
    pub(super) severity: u8,
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub(super) timestamp: Option<i64>,
    pub(super) hostname: Option<&'a str>,
    pub(super) app_name: Option<&'a str>,
    pub(super) proc_id: Option<&'a str>,
    pub(super) msg_id: Option<&'a str>,
    pub(super) structured_data: Option<&'a str>,
    pub(super) message: &'a str,
}

/// The columns of one batch.
pub(super) struct Columns<'a> {
    facility: Option<&'a PrimitiveArray<UInt8Type>>,
    severity: Option<&'a PrimitiveArray<UInt8Type>>,
    timestamp: Option<&'a PrimitiveArray<TimestampNanosecondType>>,
    /// hostname, app_name, proc_id, msg_id, structured_data.
    texts: [Option<&'a StringArray>; 5],
    message: Option<&'a StringArray>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(fields: &Fields, batch: &'a RecordBatch) -> Columns<'a> {
        let column = |place: usize| batch.columns().get(place);
        let text = |place: usize| column(place).and_then(|column| column.as_string_opt::<i32>());
        Columns {
            facility: column(fields.facility).and_then(|column| column.as_primitive_opt()),
            severity: column(fields.severity).and_then(|column| column.as_primitive_opt()),
            timestamp: fields
                .timestamp
                .and_then(column)
                .and_then(|column| column.as_primitive_opt()),
            texts: [
                fields.hostname,
                fields.app_name,
                fields.proc_id,
                fields.msg_id,
                fields.structured_data,
            ]
            .map(|place| place.and_then(text)),
            message: text(fields.message),
        }
    }

    pub(super) fn record(&self, row: usize) -> Record<'a> {
        let [hostname, app_name, proc_id, msg_id, structured_data] = self.texts.map(|column| {
            let set = column.filter(|column| column.is_valid(row));
            set.map(|column| column.value(row))
        });
        let timestamp = self.timestamp.filter(|column| column.is_valid(row));
        Record {
            facility: self.facility.map_or(u8::MAX, |column| column.value(row)),
            severity: self.severity.map_or(u8::MAX, |column| column.value(row)),
            timestamp: timestamp.map(|column| column.value(row)),
            hostname,
            app_name,
            proc_id,
            msg_id,
            structured_data,
            message: self.message.map_or("", |column| column.value(row)),
        }
    }
}
