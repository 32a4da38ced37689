//! Payloads to columns: one payload, one record.
//!
//! Invariant: a payload that cannot be read leaves no trace in the columns; memory grows with the bytes that were sent, and
//! beyond that by no more than [`UNFOLDED_BYTES_MAX`].

mod builder;
mod column;
mod source;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use bytes::Bytes;
use nervix_columns::arrow_schema;
use nspl_model::{CodecDef, CodecForm, Schema, WireField, WireFormat, WireMode, WireSchemaDef};

use super::judge;
use crate::compile::CompileFault;
use crate::decode::{Decoded, Decoding, PayloadDecoder, RejectedPayload};
use crate::fault::RecordFault;

pub(super) use column::Record;
pub(super) use source::{Reason, Source};

use column::ColumnBuilder;

/// Bytes that the nulls of ARRAY fields may take in one call: such a null takes as much as a value.
const UNFOLDED_BYTES_MAX: usize = 1 << 30;

/// How a format is read.
pub(super) trait Reading: Send + Sync + 'static {
    /// Which one.
    const FORMAT: WireFormat;

    /// Reads one payload field by field into the record.
    fn read(payload: &[u8], fields: &WireFields, record: &mut Record<'_>) -> Result<(), Unfit>;
}

/// Why a payload is no record of the wire schema at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is not of the format; the record was not read to its end.
    Malformed,
    /// It is of the format, but no object, map or record.
    NoRecord,
    /// MODE STRICT, and it has a field that the wire schema does not name.
    UnknownField,
    /// A field that the record remembers is at fault, and what is behind it cannot be read.
    Field,
}

/// The wire schema as readers look at it.
#[derive(Debug)]
pub(super) struct WireFields {
    /// In declared order, each with its place in the schema.
    pub(super) fields: Vec<(WireField, Option<usize>)>,
    places: HashMap<String, usize>,
    pub(super) strict: bool,
}

impl WireFields {
    fn new(schema: &Schema, wire: &WireSchemaDef) -> Self {
        let named = |field: &WireField| (field.clone(), schema.index_of(&field.name));
        let places = wire.fields.iter().enumerate();
        Self {
            fields: wire.fields.iter().map(named).collect(),
            places: places.map(|(place, field)| (field.name.clone(), place)).collect(),
            strict: wire.mode == WireMode::Strict,
        }
    }

    /// The column of a field that was sent under a name; `None` for one that is passed over.
    ///
    /// # Errors
    /// When MODE STRICT refuses it.
    pub(super) fn column(&self, name: &str) -> Result<Option<usize>, Unfit> {
        match self.places.get(name).and_then(|place| self.fields.get(*place)) {
            Some((_, column)) => Ok(*column),
            None => self.unknown().map(|()| None),
        }
    }

    /// A field that the wire schema does not name.
    pub(super) fn unknown(&self) -> Result<(), Unfit> {
        if self.strict {
            Err(Unfit::UnknownField)
        } else {
            Ok(())
        }
    }
}

/// A schemaful codec of one ingestor.
pub(super) struct SchemafulDecoder<R> {
    schema: Arc<Schema>,
    fields: WireFields,
    reading: PhantomData<R>,
}

impl<R: Reading> SchemafulDecoder<R> {
    pub(super) fn compile(def: &CodecDef, wire: &WireSchemaDef) -> Result<Self, CompileFault> {
        let rfc3339: &[usize] = match &def.form {
            CodecForm::Schemaful { rfc3339, .. } => rfc3339,
            _ => &[],
        };
        judge(def, wire, rfc3339)?;
        Ok(Self {
            fields: WireFields::new(&def.schema, wire),
            schema: def.schema.clone(),
            reading: PhantomData,
        })
    }

    /// Reads one payload; `Err` leaves the columns as they were.
    fn read(
        &self,
        payload: &[u8],
        columns: &mut [ColumnBuilder],
        allowance: &mut usize,
    ) -> Result<(), Refusal> {
        let mut record = Record::new(columns, allowance);
        let read = R::read(payload, &self.fields, &mut record);
        let read = match read {
            Ok(()) => record.finish(),
            Err(Unfit::Field) => record.judge(),
            Err(unfit) => Err(Refusal::Fault(Self::unfit(unfit))),
        };
        if read.is_err() {
            record.undo();
        }
        read
    }

    fn unfit(unfit: Unfit) -> RecordFault {
        let format = R::FORMAT;
        let cause = match unfit {
            Unfit::Malformed | Unfit::Field => format!("payload is not {format}"),
            Unfit::NoRecord => format!("{format} payload is not a record: it must have the fields by name"),
            Unfit::UnknownField => {
                format!("{format} payload has a field that its wire schema in MODE STRICT does not name")
            }
        };
        RecordFault::validation(Vec::new(), cause)
    }

    fn batch(&self, columns: Vec<ColumnBuilder>, rows: usize) -> Option<RecordBatch> {
        let arrays = columns.into_iter().map(ColumnBuilder::build);
        let arrays = arrays.collect::<Result<Vec<_>, _>>().ok()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(arrow_schema(&self.schema), arrays, &options).ok()
    }
}

/// Why a payload gave no record.
pub(super) enum Refusal {
    Fault(RecordFault),
    /// What was read before leaves no room for it in one batch.
    NoRoom,
}

impl<R: Reading> PayloadDecoder for SchemafulDecoder<R> {
    fn decode(&self, payloads: &[Bytes], _now_ns: i64) -> Decoding {
        let mut columns: Vec<_> = self.schema.fields.iter().map(ColumnBuilder::of).collect();
        let mut allowance = UNFOLDED_BYTES_MAX;
        let (mut read, mut of, mut rejected) = (0, Vec::new(), Vec::new());
        for payload in payloads {
            match self.read(payload, &mut columns, &mut allowance) {
                Ok(()) => of.push(read),
                Err(Refusal::NoRoom) if !of.is_empty() => break,
                Err(Refusal::NoRoom) => {
                    let cause = format!("{} payload unfolds to more than one batch can hold", R::FORMAT);
                    let fault = RecordFault::validation(Vec::new(), cause);
                    rejected.push(RejectedPayload { payload: read, fault });
                }
                Err(Refusal::Fault(fault)) => rejected.push(RejectedPayload { payload: read, fault }),
            }
            read += 1;
        }
        let records = self.batch(columns, of.len());
        Decoding::Done(Decoded {
            read,
            records: records.unwrap_or_else(|| RecordBatch::new_empty(arrow_schema(&self.schema))),
            payloads: of,
            rejected,
        })
    }
}
