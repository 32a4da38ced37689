//! Where a node is evaluated: the frame, and which of its rows matter.

use arrow::array::RecordBatch;
use arrow::buffer::BooleanBuffer;

use crate::frame::Frame;

/// A frame and a selection of its rows. Rows outside it have no meaning: a node may skip them and must not count
/// their errors, which is how CASE, AND, OR and coalesce excuse what they do not reach.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    frame: &'a Frame<'a>,
    among: Option<&'a BooleanBuffer>,
    rows: usize,
}

impl<'a> Context<'a> {
    pub(super) fn new(frame: &'a Frame<'a>, among: Option<&'a BooleanBuffer>) -> Self {
        Self {
            frame,
            among,
            rows: frame.rows,
        }
    }

    /// The context in which constants meet: a single row, which matters.
    pub(super) fn single(self) -> Self {
        Self {
            among: None,
            rows: 1,
            ..self
        }
    }

    /// The same frame with another selection, which lies within this one.
    pub(super) fn narrowed<'b>(&'b self, among: &'b BooleanBuffer) -> Context<'b> {
        Context {
            frame: self.frame,
            among: Some(among),
            rows: self.rows,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn frame(&self) -> &'a Frame<'a> {
        self.frame
    }

    /// Whether the row matters.
    pub(super) fn selects(&self, row: usize) -> bool {
        self.among.is_none_or(|among| among.value(row))
    }

    /// The rows that matter.
    pub(super) fn selection(&self) -> BooleanBuffer {
        self.among
            .cloned()
            .unwrap_or_else(|| BooleanBuffer::new_set(self.rows))
    }
}

/// A batch without columns and rows, for evaluating what reads none.
pub(super) fn no_columns() -> RecordBatch {
    RecordBatch::new_empty(std::sync::Arc::new(arrow::datatypes::Schema::empty()))
}
