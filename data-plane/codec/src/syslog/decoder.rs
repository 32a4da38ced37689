//! Frames to records, on the spot.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, RecordBatch, RecordBatchOptions, StringArray, TimestampNanosecondArray, UInt8Array,
};
use arrow::datatypes::{DataType as ArrowType, SchemaRef};
use bytes::Bytes;
use nervix_columns::arrow_schema;
use nspl_model::Schema;

use super::fields::{Fields, Record};
use crate::decode::{Decoded, Decoding, PayloadDecoder, RejectedPayload};
use crate::fault::RecordFault;

/// No further payload is read when so many bytes were.
const BYTES_ENOUGH: usize = 64 << 20;

/// Decodes frames. What a schema leaves out of a frame is passed over.
pub(crate) struct SyslogDecoder {
    schema: SchemaRef,
    /// Of each field, what a record has for it; in schema order.
    readings: Vec<Reading>,
}

enum Reading {
    Number(fn(&Record<'_>) -> u8),
    Instant,
    Text(for<'a> fn(&Record<'a>) -> Option<&'a str>),
}

impl SyslogDecoder {
    /// `None` when the schema is not one of syslog records.
    pub(crate) fn new(schema: &Schema) -> Option<Self> {
        Fields::of(schema)?;
        let readings = schema.fields.iter().map(|field| {
            Some(match field.name.as_str() {
                "facility" => Reading::Number(|record| record.facility),
                "severity" => Reading::Number(|record| record.severity),
                "timestamp" => Reading::Instant,
                "hostname" => Reading::Text(|record| record.hostname),
                "app_name" => Reading::Text(|record| record.app_name),
                "proc_id" => Reading::Text(|record| record.proc_id),
                "msg_id" => Reading::Text(|record| record.msg_id),
                "structured_data" => Reading::Text(|record| record.structured_data),
                "message" => Reading::Text(|record| Some(record.message)),
                _ => return None,
            })
        });
        Some(Self {
            readings: readings.collect::<Option<Vec<_>>>()?,
            schema: arrow_schema(schema),
        })
    }

    fn read<'a>(&self, payload: &'a [u8]) -> Result<Record<'a>, RecordFault> {
        let record = std::str::from_utf8(payload).ok().and_then(Record::read);
        let record =
            record.ok_or_else(|| RecordFault::validation(Vec::new(), "the payload is not SYSLOG"))?;
        let mut required = self
            .schema
            .fields()
            .iter()
            .zip(&self.readings)
            .filter(|(field, _)| !field.is_nullable());
        let missing = required.find(|(_, reading)| match reading {
            Reading::Number(_) => false,
            Reading::Instant => record.timestamp.is_none(),
            Reading::Text(read) => read(&record).is_none(),
        });
        match missing {
            None => Ok(record),
            Some((field, _)) => {
                let cause = format!("the payload has no field '{}'", field.name());
                Err(RecordFault::validation(vec![field.name().clone()], cause))
            }
        }
    }

    fn column(&self, place: usize, reading: &Reading, records: &[Record<'_>]) -> ArrayRef {
        match reading {
            Reading::Number(read) => Arc::new(
                records
                    .iter()
                    .map(|record| Some(read(record)))
                    .collect::<UInt8Array>(),
            ),
            Reading::Text(read) => Arc::new(records.iter().map(read).collect::<StringArray>()),
            Reading::Instant => {
                let instants = records.iter().map(|record| record.timestamp);
                let zone = match self.schema.fields().get(place).map(|field| field.data_type()) {
                    Some(ArrowType::Timestamp(_, zone)) => zone.clone(),
                    _ => None,
                };
                Arc::new(
                    instants
                        .collect::<TimestampNanosecondArray>()
                        .with_timezone_opt(zone),
                )
            }
        }
    }
}

impl PayloadDecoder for SyslogDecoder {
    fn decode(&self, payloads: &[Bytes], _now_ns: i64) -> Decoding {
        let (mut records, mut bytes) = (Vec::new(), 0);
        let mut decoded = Decoded {
            read: 0,
            records: RecordBatch::new_empty(self.schema.clone()),
            payloads: Vec::new(),
            rejected: Vec::new(),
        };
        for (place, payload) in (0_u32..).zip(payloads) {
            match self.read(payload) {
                Ok(record) => {
                    records.push(record);
                    decoded.payloads.push(place);
                }
                Err(fault) => decoded.rejected.push(RejectedPayload {
                    payload: place,
                    fault,
                }),
            }
            decoded.read = place + 1;
            bytes += payload.len();
            if bytes >= BYTES_ENOUGH {
                break;
            }
        }
        let readings = self.readings.iter().enumerate();
        let columns = readings.map(|(place, reading)| self.column(place, reading, &records));
        let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
        match RecordBatch::try_new_with_options(self.schema.clone(), columns.collect(), &options) {
            Ok(records) => decoded.records = records,
            // The checker lets no schema through whose columns are not these.
            Err(_) => {
                decoded.payloads.clear();
                decoded.rejected = (0..decoded.read).map(unfit).collect();
            }
        }
        Decoding::Done(decoded)
    }
}

fn unfit(payload: u32) -> RejectedPayload {
    RejectedPayload {
        payload,
        fault: RecordFault::validation(Vec::new(), "the schema is not one of SYSLOG records"),
    }
}
