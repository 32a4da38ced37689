//! Rows to payloads.

use std::marker::PhantomData;
use std::ops::Range;

use arrow::datatypes::SchemaRef;
use nervix_columns::arrow_schema;
use nervix_columns::text::DateTimeText;
use nspl_model::{BatchLimits, CodecDef, CodecForm, DataType, Schema, WireSchemaDef};

use super::columns::{Column, Values, range};
use super::judge;
use super::notation::{FieldPlan, Notation};
use crate::bounded::{BoundedWriter, Full};
use crate::compile::CompileFault;
use crate::encode::{Packing, PayloadEncoder, Rows};
use crate::fault::RecordFault;
use crate::packing::{Members, pack_batches, pack_singly};
use crate::results::Enough;

/// A schemaful codec of one emitter.
pub(super) struct SchemafulEncoder<N> {
    schema: std::sync::Arc<Schema>,
    columns: SchemaRef,
    fields: Vec<FieldPlan>,
    /// Fields that may hold a number which the format cannot write.
    risky: Vec<usize>,
    limits: Option<BatchLimits>,
    notation: PhantomData<N>,
}

impl<N: Notation> SchemafulEncoder<N> {
    pub(super) fn compile(
        def: &CodecDef,
        wire: &WireSchemaDef,
        limits: Option<BatchLimits>,
    ) -> Result<Self, CompileFault> {
        let rfc3339: &[usize] = match &def.form {
            CodecForm::Schemaful { rfc3339, .. } => rfc3339,
            _ => &[],
        };
        judge(def, wire, rfc3339)?;
        let fields = def.schema.fields.iter().enumerate();
        let risky = fields.filter(|(_, field)| is_risky::<N>(&field.data_type));
        Ok(Self {
            columns: arrow_schema(&def.schema),
            fields: N::fields(&def.schema, wire),
            risky: risky.map(|(index, _)| index).collect(),
            schema: def.schema.clone(),
            limits,
            notation: PhantomData,
        })
    }

    fn fault(&self, columns: &[Column<'_>], row: usize) -> Option<RecordFault> {
        let unwritable = self.risky.iter().find(|index| {
            let column = columns.get(**index);
            column.is_some_and(|column| {
                column.is_valid(row) && column.values.has_unwritable(row, N::FINITE, N::SIGNED)
            })
        })?;
        let name = self
            .schema
            .fields
            .get(*unwritable)
            .map_or("", |field| &field.name);
        let what = if N::FINITE {
            "it is not a finite number"
        } else {
            "it is past 2^63-1"
        };
        let cause = format!("{} cannot write field '{name}': {what}", N::FORMAT);
        Some(RecordFault::validation(vec![name.to_owned()], cause))
    }

    fn write(&self, columns: &[Column<'_>], row: usize, out: &mut BoundedWriter) -> Result<(), Full> {
        let start = out.len();
        let present = |field: &FieldPlan| {
            let column = field.column.and_then(|column| columns.get(column));
            column.filter(|column| column.is_valid(row))
        };
        N::open(out, || {
            self.fields
                .iter()
                .filter(|field| present(field).is_some())
                .count()
        })?;
        for field in &self.fields {
            match present(field) {
                Some(column) => {
                    out.write_short(&field.label)?;
                    write_value::<N>(&column.values, row, out)?;
                }
                None => out.write_short(&field.absent)?,
            }
        }
        N::close(out, start)
    }
}

impl<N: Notation> PayloadEncoder for SchemafulEncoder<N> {
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing {
        let mut members = Lane {
            encoder: self,
            rows,
            ends: ends(rows),
            judging: Bound::default(),
            writing: Bound::default(),
        };
        let enough = Enough::of_call(payloads_max, self.limits);
        Packing::Done(match self.limits {
            None => pack_singly(&mut members, enough),
            Some(limits) => {
                let format = N::FORMAT.name();
                pack_batches(&mut members, N::CONTAINER, limits, format, enough)
            }
        })
    }
}

fn is_risky<N: Notation>(data_type: &DataType) -> bool {
    match data_type {
        DataType::F32 | DataType::F64 => N::FINITE,
        DataType::U64 => N::SIGNED,
        DataType::Vec(item) | DataType::Array(item, _) => is_risky::<N>(item),
        _ => false,
    }
}

/// Writes one value of a column.
pub(super) fn write_value<N: Notation>(
    values: &Values<'_>,
    row: usize,
    out: &mut BoundedWriter,
) -> Result<(), Full> {
    macro_rules! number {
        ($values:expr, $write:ident, $wide:ty) => {
            N::$write(
                out,
                $values
                    .get(row)
                    .map_or_else(<$wide>::default, |value| <$wide>::from(*value)),
            )
        };
    }
    match values {
        Values::U8(values) => number!(values, unsigned, u64),
        Values::U16(values) => number!(values, unsigned, u64),
        Values::U32(values) => number!(values, unsigned, u64),
        Values::U64(values) => number!(values, unsigned, u64),
        Values::I8(values) => number!(values, signed, i64),
        Values::I16(values) => number!(values, signed, i64),
        Values::I32(values) => number!(values, signed, i64),
        Values::I64(values) => number!(values, signed, i64),
        Values::F32(values) => number!(values, f32, f32),
        Values::F64(values) => number!(values, f64, f64),
        Values::Bool(values) => N::bool(out, row < values.len() && values.value(row)),
        Values::DateTime(values) => {
            let text = DateTimeText::of(values.get(row).copied().unwrap_or_default());
            N::text(out, text.as_bytes())
        }
        Values::Text(texts) => N::text(out, texts.get(row)),
        Values::Bytes(bytes) => N::bytes(out, bytes.get(row)),
        Values::Vec { offsets, items } => write_list::<N>(items, range(offsets, row), out),
        Values::Array { size, items } => write_list::<N>(items, row * size..(row + 1) * size, out),
    }
}

fn write_list<N: Notation>(
    items: &Values<'_>,
    rows: Range<usize>,
    out: &mut BoundedWriter,
) -> Result<(), Full> {
    let first = rows.start;
    let count = rows.len();
    N::open_list(out, count)?;
    for row in rows {
        if row > first {
            N::between_items(out)?;
        }
        write_value::<N>(items, row, out)?;
    }
    N::close_list(out, count)
}

/// How many rows there are up to the end of each run.
fn ends(rows: &[Rows]) -> Vec<usize> {
    let mut end = 0;
    let ends = rows.iter().map(|run| {
        end += run.records.num_rows();
        end
    });
    ends.collect()
}

/// The rows of one call.
struct Lane<'a, N> {
    encoder: &'a SchemafulEncoder<N>,
    rows: &'a [Rows],
    ends: Vec<usize>,
    judging: Bound<'a>,
    writing: Bound<'a>,
}

/// The columns of the run that was last looked at; none when they are not those of the codec's schema.
#[derive(Default)]
struct Bound<'a> {
    rows: Range<usize>,
    columns: Option<Vec<Column<'a>>>,
}

impl<'a> Bound<'a> {
    fn seek(&mut self, rows: &'a [Rows], ends: &[usize], expected: &SchemaRef, row: usize) {
        if self.rows.contains(&row) {
            return;
        }
        let run = ends.partition_point(|end| *end <= row);
        let end = ends.get(run).copied().unwrap_or_default();
        let Some(records) = rows.get(run).map(|run| &run.records) else {
            return;
        };
        self.rows = end - records.num_rows()..end;
        let fields = records.schema_ref().fields();
        let same = expected.fields().len() == fields.len()
            && expected
                .fields()
                .iter()
                .zip(fields)
                .all(|(one, other)| one.data_type() == other.data_type());
        let columns = records.columns().iter().map(|array| Column::of(array.as_ref()));
        self.columns = if same { columns.collect() } else { None };
    }
}

impl<N: Notation> Members for Lane<'_, N> {
    fn rows(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    fn fault(&mut self, row: usize) -> Option<RecordFault> {
        self.judging
            .seek(self.rows, &self.ends, &self.encoder.columns, row);
        match &self.judging.columns {
            Some(columns) => self.encoder.fault(columns, row - self.judging.rows.start),
            None => {
                let cause = "the record is not in the columns of the codec's schema";
                Some(RecordFault::validation(Vec::new(), cause))
            }
        }
    }

    fn write(&mut self, row: usize, out: &mut BoundedWriter) -> Result<(), Full> {
        self.writing
            .seek(self.rows, &self.ends, &self.encoder.columns, row);
        match &self.writing.columns {
            Some(columns) => self.encoder.write(columns, row - self.writing.rows.start, out),
            // Such a record was rejected before.
            None => Ok(()),
        }
    }
}
