//! Records as JSON, one object a line, in both directions.
//!
//! The forms are those of the specification: BYTES as padded base64, DATETIME as RFC 3339, U64 with all its digits.
//! What JSON has no number for is written as text in floats: `"NaN"`, `"inf"`, `"-inf"`; both directions know it. So what
//! `consume` writes, `send` reads back to the same values.

mod cell;
mod column;
mod read;
mod value;
mod write;

pub(crate) use self::{
    read::RowReader,
    write::{table_cells, write_rows},
};

#[cfg(test)]
mod tests;
