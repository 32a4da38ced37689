//! Lines of JSON to record batches. A bad line changes nothing: the rows before and after it are whole.

use arrow::{array::RecordBatch, datatypes::SchemaRef, error::ArrowError};
use nspl::model::json::JSON_DEPTH_MAX;
use serde_json::Value;

use super::{
    cell::{self, Cell},
    column,
    value::{self, Line, Members},
};

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadLine {
    /// It is no JSON.
    #[error("column {column}: not JSON: {message}")]
    Syntax {
        /// Counts from 1, in bytes.
        column: usize,
        /// What the parser says; it quotes no value.
        message: String,
    },
    /// It is JSON, but no object.
    #[error("not a JSON object")]
    NoObject,
    /// A field does not fit.
    #[error("field `{field}`: {message}")]
    Field {
        /// Its name.
        field: String,
        /// What was found and what is expected; quotes no value.
        message: String,
    },
    /// The schema has no such field.
    #[error("field `{field}`: the schema has no such field; --ignore-unknown leaves it out")]
    Unknown {
        /// Its name, without what a terminal would obey.
        field: String,
    },
}

/// Collects lines into record batches of one schema.
#[derive(Debug)]
pub(crate) struct RowReader {
    schema: SchemaRef,
    columns: Vec<Vec<Cell>>,
    rows: usize,
    bytes: usize,
    ignore_unknown: bool,
}

impl RowReader {
    pub(crate) fn new(schema: SchemaRef, ignore_unknown: bool) -> Self {
        let columns = vec![Vec::new(); schema.fields().len()];
        RowReader {
            schema,
            columns,
            rows: 0,
            bytes: 0,
            ignore_unknown,
        }
    }

    /// Rows that wait for [`RowReader::take`].
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of the lines of those rows.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the row of one line, without its line end.
    pub(crate) fn push(&mut self, line: &[u8]) -> Result<(), BadLine> {
        let read = std::str::from_utf8(line).ok().and_then(value::line);
        let Line::Object(members) = read.ok_or_else(|| no_json(line))? else {
            return Err(BadLine::NoObject);
        };
        let cells = self.cells(members)?;
        self.columns
            .iter_mut()
            .zip(cells)
            .for_each(|(column, cell)| column.push(cell));
        self.rows += 1;
        self.bytes += line.len();
        Ok(())
    }

    /// The rows since the last time; `None` without any.
    pub(crate) fn take(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.rows == 0 {
            return Ok(None);
        }
        self.rows = 0;
        self.bytes = 0;
        let fields = self.schema.fields().iter();
        let arrays = fields
            .zip(&mut self.columns)
            .map(|(field, cells)| column::build(field.data_type(), std::mem::take(cells)));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        RecordBatch::try_new(SchemaRef::clone(&self.schema), arrays).map(Some)
    }

    fn cells(&self, mut members: Members<'_>) -> Result<Vec<Cell>, BadLine> {
        let mut cells = Vec::with_capacity(self.columns.len());
        for field in self.schema.fields() {
            let cell = match members.remove(field.name().as_str()) {
                Some(value) => cell::read(field, value),
                None if field.is_nullable() => Ok(Cell::Null),
                None => Err("it is missing, but not OPTIONAL".to_owned()),
            };
            let cell = cell.map_err(|message| BadLine::Field {
                field: field.name().clone(),
                message,
            })?;
            cells.push(cell);
        }
        match members.into_keys().next() {
            Some(field) if !self.ignore_unknown => Err(BadLine::Unknown {
                field: field.escape_debug().to_string(),
            }),
            _ => Ok(cells),
        }
    }
}

/// Why a line is no JSON: serde_json says more about that than the reader of what is.
fn no_json(line: &[u8]) -> BadLine {
    match serde_json::from_slice::<Value>(line) {
        Err(error) => BadLine::Syntax {
            column: error.column(),
            message: without_position(&error),
        },
        Ok(_) => BadLine::Syntax {
            column: 1,
            message: format!("its brackets are more than {JSON_DEPTH_MAX} deep, or a string is none"),
        },
    }
}

/// serde_json's message ends in ` at line 1 column 7`, of which the line is ours to say.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => text,
    }
}
