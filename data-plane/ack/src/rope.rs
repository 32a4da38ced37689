//! The ordered pieces of a share: one in place, more in a queue.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::fate::{Fate, Reason};
use crate::root::Root;
use crate::rows::Rows;

/// Some rows of one root, or rows that nobody waits for. Dropped with rows in it, it settles them as unresolved.
pub(crate) struct Segment {
    root: Option<Arc<Root>>,
    rows: Rows,
}

impl Segment {
    pub(crate) fn new(root: Option<Arc<Root>>, rows: Rows) -> Self {
        Self { root, rows }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_tracked(&self) -> bool {
        self.root.is_some()
    }

    pub(crate) fn row(&self, at: usize) -> u32 {
        self.rows.row(at)
    }

    pub(crate) fn fork(&self) -> Self {
        if let Some(root) = &self.root {
            root.fork(self.rows.len());
        }
        Self {
            root: self.root.clone(),
            rows: self.rows.clone(),
        }
    }

    pub(crate) fn split_to(&mut self, n: usize) -> Self {
        Self {
            root: self.root.clone(),
            rows: self.rows.split_to(n),
        }
    }

    /// Takes over `next` where it goes on just where this one ends, else gives it back.
    fn join(&mut self, mut next: Self) -> Option<Self> {
        let same_root = match (&self.root, &next.root) {
            (Some(root), Some(other)) => Arc::ptr_eq(root, other),
            (None, None) => {
                let (Rows::Range { len, .. }, more) = (&mut self.rows, next.rows.len()) else {
                    return Some(next);
                };
                *len += more as u32;
                next.rows = Rows::NONE;
                return None;
            }
            _ => false,
        };
        if same_root && self.rows.extend(&next.rows) {
            next.rows = Rows::NONE;
            return None;
        }
        Some(next)
    }

    /// Replaces the whole by parts that name each of its rows once, without touching the root's count.
    pub(crate) fn regroup(
        mut self,
        parts: impl IntoIterator<Item = Rows>,
        mut into: impl FnMut(usize, Self),
    ) {
        let whole = std::mem::replace(&mut self.rows, Rows::NONE).len();
        let mut named = 0;
        for (group, rows) in parts.into_iter().enumerate() {
            named += rows.len();
            if rows.len() > 0 {
                into(
                    group,
                    Self {
                        root: self.root.clone(),
                        rows,
                    },
                );
            }
        }
        debug_assert_eq!(whole, named, "a partition names every row once");
    }

    pub(crate) fn settle(mut self, fate: Fate, reason: Option<Reason>) {
        self.close(fate, reason);
    }

    fn close(&mut self, fate: Fate, reason: Option<Reason>) {
        let rows = std::mem::replace(&mut self.rows, Rows::NONE);
        if let Some(root) = self.root.take() {
            root.settle(&rows, fate, reason);
        }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if self.rows.len() > 0 {
            self.close(Fate::Unresolved, Some(Reason::dropped()));
        }
    }
}

/// Segments in row order. Invariant: none is empty.
#[derive(Default)]
pub(crate) enum Rope {
    #[default]
    Empty,
    One(Segment),
    Many(VecDeque<Segment>),
}

impl Rope {
    pub(crate) fn push(&mut self, segment: Segment) {
        if segment.len() == 0 {
            return;
        }
        match self {
            Self::Empty => *self = Self::One(segment),
            Self::One(only) => {
                if let Some(segment) = only.join(segment) {
                    let first = std::mem::take(self);
                    let mut segments = VecDeque::with_capacity(4);
                    if let Self::One(first) = first {
                        segments.push_back(first);
                    }
                    segments.push_back(segment);
                    *self = Self::Many(segments);
                }
            }
            Self::Many(segments) => {
                let rest = match segments.back_mut() {
                    Some(last) => last.join(segment),
                    None => Some(segment),
                };
                segments.extend(rest);
            }
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Segment> {
        match self {
            Self::Empty => None,
            Self::One(_) => match std::mem::take(self) {
                Self::One(segment) => Some(segment),
                _ => None,
            },
            Self::Many(segments) => segments.pop_front(),
        }
    }

    pub(crate) fn front_mut(&mut self) -> Option<&mut Segment> {
        match self {
            Self::Empty => None,
            Self::One(segment) => Some(segment),
            Self::Many(segments) => segments.front_mut(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Segment> {
        let (one, many) = match self {
            Self::Empty => (None, None),
            Self::One(segment) => (Some(segment), None),
            Self::Many(segments) => (None, Some(segments)),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}
