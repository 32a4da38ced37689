//! Which rows of a root a segment stands for, in the order of the records it goes with.

use std::sync::Arc;

/// An ordered set of row numbers of one root.
///
/// Invariant: no row is named twice. A picked list is one allocation that all groups of a partition share.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    Range { start: u32, len: u32 },
    Picked { list: Arc<[u32]>, start: u32, len: u32 },
}

impl Rows {
    pub(crate) const NONE: Self = Self::Range { start: 0, len: 0 };

    pub(crate) fn first(len: u32) -> Self {
        Self::Range { start: 0, len }
    }

    /// The rows `list[start..start + len]`; a range where they follow one another.
    pub(crate) fn picked(list: &Arc<[u32]>, start: usize, len: usize) -> Self {
        let rows = list.get(start..start + len).unwrap_or_default();
        let Some(&first) = rows.first() else {
            return Self::NONE;
        };
        let contiguous = rows.iter().zip(first..).all(|(&row, expected)| row == expected);
        if contiguous {
            Self::Range {
                start: first,
                len: len as u32,
            }
        } else {
            Self::Picked {
                list: Arc::clone(list),
                start: start as u32,
                len: len as u32,
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range { len, .. } | Self::Picked { len, .. } => *len as usize,
        }
    }

    /// The row number of the root at position `at`, which must be below [`Rows::len`].
    pub(crate) fn row(&self, at: usize) -> u32 {
        match self {
            Self::Range { start, .. } => start + at as u32,
            Self::Picked { list, start, .. } => list[*start as usize + at],
        }
    }

    /// Cuts off and returns the first `n` rows; `n` is at most [`Rows::len`].
    pub(crate) fn split_to(&mut self, n: usize) -> Self {
        let n = (n.min(self.len())) as u32;
        match self {
            Self::Range { start, len } => {
                let front = Self::Range {
                    start: *start,
                    len: n,
                };
                *start += n;
                *len -= n;
                front
            }
            Self::Picked { list, start, len } => {
                let front = Self::Picked {
                    list: Arc::clone(list),
                    start: *start,
                    len: n,
                };
                *start += n;
                *len -= n;
                front
            }
        }
    }

    /// Extends this range by `next` where `next` begins just after it.
    pub(crate) fn extend(&mut self, next: &Self) -> bool {
        match (self, next) {
            (
                Self::Range { start, len },
                Self::Range {
                    start: next_start,
                    len: next_len,
                },
            ) if *start + *len == *next_start => {
                *len += next_len;
                true
            }
            _ => false,
        }
    }
}
