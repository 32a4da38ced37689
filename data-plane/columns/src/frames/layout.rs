//! Whether a record batch has the columns and buffers that its schema asks for, each as long as its rows need.
//!
//! Walks the schema as the Arrow reader does, before it does. What it lets pass can still hold offsets that lead
//! nowhere: the reader checks those itself. Types that are none of ours in any form (unions, runs) are not walked; their
//! schemas are refused before a batch is taken.

use arrow::datatypes::{DataType, Schema};
use arrow_ipc::RecordBatch;

use super::FrameFault;

const MISCOUNTED: FrameFault =
    FrameFault::Inconsistent("another number of columns or buffers than its schema has");
const SHORT: FrameFault = FrameFault::Inconsistent("a buffer that is too short for its rows");

/// The types of the values of a dictionary, by its id: one, unless the schema does not know it.
pub(super) fn dictionary_types(schema: &Schema, id: i64) -> Vec<&DataType> {
    #[allow(
        deprecated,
        reason = "the id that a schema was read with is kept nowhere else"
    )]
    let fields = schema.fields_with_dict_id(id);
    let value = fields.first().and_then(|field| match field.data_type() {
        DataType::Dictionary(_, value) => Some(value.as_ref()),
        _ => None,
    });
    value.into_iter().collect()
}

/// `lengths` is how long each buffer is, unpacked.
///
/// # Errors
/// [`FrameFault::Inconsistent`].
pub(super) fn check<'a>(
    types: impl Iterator<Item = &'a DataType>,
    batch: &RecordBatch<'_>,
    lengths: &[u64],
) -> Result<(), FrameFault> {
    let mut walk = Walk {
        batch,
        lengths,
        node: 0,
        buffer: 0,
        variadic: 0,
    };
    let mut empty = true;
    for data_type in types {
        empty = false;
        if !walk.column(data_type)? {
            return Ok(());
        }
    }
    let nodes = batch.nodes().map_or(0, |nodes| nodes.len());
    if !empty && (walk.node != nodes || walk.buffer != lengths.len()) {
        return Err(MISCOUNTED);
    }
    Ok(())
}

/// How far the walk is.
struct Walk<'a> {
    batch: &'a RecordBatch<'a>,
    lengths: &'a [u64],
    node: usize,
    buffer: usize,
    variadic: usize,
}

impl Walk<'_> {
    /// Takes one column with all that is inside it; false where its type is not walked.
    fn column(&mut self, data_type: &DataType) -> Result<bool, FrameFault> {
        if matches!(data_type, DataType::Union(..) | DataType::RunEndEncoded(..)) {
            return Ok(false);
        }
        let rows = self.take_node(data_type)?;
        match data_type {
            DataType::Null => Ok(true),
            DataType::Utf8 | DataType::Binary => self.offsets(rows, 4).and_then(|()| self.at_least(0)),
            DataType::LargeUtf8 | DataType::LargeBinary => {
                self.offsets(rows, 8).and_then(|()| self.at_least(0))
            }
            DataType::Utf8View | DataType::BinaryView => {
                self.at_least(rows.saturating_mul(16))?;
                for _ in 0..self.take_variadic()? {
                    self.at_least(0)?;
                }
                Ok(true)
            }
            DataType::List(item) | DataType::Map(item, _) => {
                self.offsets(rows, 4)?;
                self.column(item.data_type())
            }
            DataType::LargeList(item) => {
                self.offsets(rows, 8)?;
                self.column(item.data_type())
            }
            DataType::ListView(item) => self.view(rows, 4, item.data_type()),
            DataType::LargeListView(item) => self.view(rows, 8, item.data_type()),
            DataType::FixedSizeList(item, _) => self.column(item.data_type()),
            DataType::Struct(fields) => {
                for field in fields {
                    if !self.column(field.data_type())? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            DataType::Boolean => self.at_least(rows.div_ceil(8)),
            DataType::FixedSizeBinary(width) => {
                self.at_least(rows.saturating_mul(u64::try_from(*width).unwrap_or(0)))
            }
            DataType::Dictionary(key, _) => self.fixed(rows, key),
            other => self.fixed(rows, other),
        }
    }

    /// A column's rows; its validity, which all but the null type have, is taken too.
    fn take_node(&mut self, data_type: &DataType) -> Result<u64, FrameFault> {
        let nodes = self.batch.nodes().ok_or(MISCOUNTED)?;
        if self.node >= nodes.len() {
            return Err(MISCOUNTED);
        }
        let node = nodes.get(self.node);
        self.node += 1;
        let (Ok(rows), Ok(nulls)) = (u64::try_from(node.length()), u64::try_from(node.null_count())) else {
            return Err(FrameFault::Inconsistent("a negative length of a column"));
        };
        if nulls > rows {
            return Err(FrameFault::Inconsistent("more nulls than rows"));
        }
        if *data_type != DataType::Null {
            self.at_least(if nulls > 0 { rows.div_ceil(8) } else { 0 })?;
        }
        Ok(rows)
    }

    fn fixed(&mut self, rows: u64, data_type: &DataType) -> Result<bool, FrameFault> {
        let width = data_type.primitive_width().unwrap_or(0) as u64;
        self.at_least(rows.saturating_mul(width))
    }

    /// Offsets are one more than there are rows, and may be left out where there are none.
    fn offsets(&mut self, rows: u64, width: u64) -> Result<(), FrameFault> {
        let count = if rows == 0 { 0 } else { rows.saturating_add(1) };
        self.at_least(count.saturating_mul(width)).map(|_taken| ())
    }

    fn view(&mut self, rows: u64, width: u64, item: &DataType) -> Result<bool, FrameFault> {
        self.at_least(rows.saturating_mul(width))?;
        self.at_least(rows.saturating_mul(width))?;
        self.column(item)
    }

    fn take_variadic(&mut self) -> Result<i64, FrameFault> {
        let counts = self.batch.variadicBufferCounts().ok_or(MISCOUNTED)?;
        if self.variadic >= counts.len() {
            return Err(MISCOUNTED);
        }
        let count = counts.get(self.variadic);
        self.variadic += 1;
        Ok(count)
    }

    fn at_least(&mut self, bytes: u64) -> Result<bool, FrameFault> {
        let length = self.lengths.get(self.buffer).ok_or(MISCOUNTED)?;
        self.buffer += 1;
        if *length < bytes {
            return Err(SHORT);
        }
        Ok(true)
    }
}
