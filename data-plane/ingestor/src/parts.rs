//! A batch that may have to be divided, because what it unfolds to takes too much memory at once.
//!
//! Invariant: each row is in one part, and parts come in the order of the rows. What is too much is decided elsewhere.

use arrow::array::RecordBatch;
use nervix_ack::Share;

/// Rows that follow one another, with their share.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) records: RecordBatch,
    pub(crate) share: Share,
}

impl Part {
    pub(crate) fn rows(&self) -> usize {
        self.records.num_rows()
    }
}

/// What is left of a batch; the part that comes next is the last one here. Divided to single rows it holds one part for
/// each bit of their number, since only the first half is divided on.
#[derive(Debug)]
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    /// The whole batch as one part.
    pub(crate) fn of(records: RecordBatch, share: Share) -> Self {
        Self(vec![Part { records, share }])
    }

    /// The next part.
    pub(crate) fn next(&mut self) -> Option<Part> {
        self.0.pop()
    }

    /// Whether nothing comes behind the part that was given last.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts back the part that was given last as two: its first half, which has the odd row, comes next.
    pub(crate) fn halve(&mut self, part: Part) {
        let Part { records, mut share } = part;
        let rows = records.num_rows();
        let half = rows.div_ceil(2);
        let front = Part {
            records: records.slice(0, half),
            share: share.split_to(half),
        };
        self.0.push(Part {
            records: records.slice(half, rows - half),
            share,
        });
        self.0.push(front);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::{
        array::{AsArray, Int64Array, RecordBatch},
        datatypes::Int64Type,
    };
    use nervix_ack::Share;

    use super::Parts;

    #[test]
    fn parts_come_in_order_with_their_rows() {
        let ids: arrow::array::ArrayRef = Arc::new(Int64Array::from_iter_values(0..11));
        let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
        let mut parts = Parts::of(batch, Share::untracked(11));
        let (mut ids, mut most) = (Vec::<i64>::new(), 0);
        while let Some(part) = parts.next() {
            assert_eq!(part.share.len(), part.rows());
            if part.rows() > 1 {
                parts.halve(part);
                most = most.max(parts.0.len());
                continue;
            }
            ids.extend(part.records.column(0).as_primitive::<Int64Type>().values());
        }
        assert_eq!(ids, (0..11).collect::<Vec<i64>>());
        assert!(parts.is_empty() && most <= 5, "{most}");
    }
}
