//! A share: the right, and the duty, to settle some rows; row `i` of a share goes with record `i` of a batch.

use std::fmt;
use std::sync::Arc;

use crate::fate::{Fate, Reason, Verdict};
use crate::root::Root;
use crate::rope::{Rope, Segment};
use crate::rows::Rows;

/// Opens a root of `rows` rows and gives the share of all of them.
///
/// `on_resolved` is called once, on the thread that settles last, without any lock held; it must be quick and
/// must not block. A panic in it is contained. A root of no rows resolves at once, as done (flight.md "Writing").
pub fn root(rows: u32, on_resolved: impl FnOnce(Verdict) + Send + 'static) -> Share {
    if rows == 0 {
        on_resolved(Verdict::default());
        return Share::default();
    }
    let root = Root::new(rows, Box::new(on_resolved));
    Share::of(Segment::new(Some(Arc::new(root)), Rows::first(rows)))
}

/// Rows of one or more roots, in record order. Dropped unsettled, its rows settle as [`Fate::Unresolved`].
///
/// Every method that takes `self` or moves rows keeps this: each path of each row is in exactly one share.
#[must_use = "a share that is dropped settles its rows as unresolved"]
#[derive(Default)]
pub struct Share {
    rope: Rope,
    len: usize,
}

impl Share {
    /// A share of `rows` rows that nobody waits for: settling it does nothing. What a DETACHED consumer gets.
    pub fn untracked(rows: usize) -> Self {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        Self::of(Segment::new(None, Rows::first(rows)))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether somebody waits for any of its rows.
    pub fn is_tracked(&self) -> bool {
        self.rope.iter().any(Segment::is_tracked)
    }

    /// One more path for the same rows: each is done only when both shares have settled it.
    pub fn fork(&self) -> Self {
        let mut forked = Self::default();
        for segment in self.rope.iter() {
            forked.push(segment.fork());
        }
        forked
    }

    /// Cuts off and returns the first `n` rows, all of them when there are fewer.
    pub fn split_to(&mut self, n: usize) -> Self {
        let mut front = Self::default();
        while front.len < n {
            let missing = n - front.len;
            match self.rope.front_mut() {
                None => break,
                Some(first) if first.len() > missing => {
                    self.len -= missing;
                    front.push(first.split_to(missing));
                }
                Some(_) => {
                    if let Some(segment) = self.rope.pop() {
                        self.len -= segment.len();
                        front.push(segment);
                    }
                }
            }
        }
        front
    }

    /// Adds the rows of `other` behind its own.
    pub fn append(&mut self, mut other: Self) {
        while let Some(segment) = other.rope.pop() {
            self.push(segment);
        }
        other.len = 0;
    }

    /// Deals its rows out to `groups` shares, in row order: row `i` goes to share `group_of_row[i]`.
    ///
    /// A row without a group, or with one that is not below `groups`, is dropped, so it resolves as
    /// unresolved. Allocates four bytes per row at most, once per segment, and only where rows do not
    /// follow one another.
    pub fn partition(mut self, group_of_row: &[u32], groups: usize) -> Vec<Self> {
        // The last place collects the rows without a group; dropping it settles them.
        let mut dealt: Vec<Self> = std::iter::repeat_with(Self::default).take(groups + 1).collect();
        let group_at = |at: usize| {
            group_of_row
                .get(at)
                .map_or(groups, |&group| (group as usize).min(groups))
        };
        let mut scratch = Vec::new();
        let mut at = 0;
        while let Some(segment) = self.rope.pop() {
            let len = segment.len();
            deal(segment, |row| group_at(at + row), &mut dealt, &mut scratch);
            at += len;
        }
        self.len = 0;
        dealt.truncate(groups);
        dealt
    }

    /// Parts its rows into those that `keep` says true of and the others; rows past its end are not kept.
    pub fn filter(self, keep: &[bool]) -> (Self, Self) {
        self.filter_by(|row| keep.get(row).copied().unwrap_or(false))
    }

    /// [`Share::filter`] with a question per row number of this share, asked in order.
    pub fn filter_by(mut self, mut keep: impl FnMut(usize) -> bool) -> (Self, Self) {
        let mut kept = Self::default();
        let mut dropped = Self::default();
        let mut at = 0;
        while let Some(segment) = self.rope.pop() {
            let len = segment.len();
            match Parting::of(&segment, |row| keep(at + row)) {
                Parting::Uniform(true) => kept.push(segment),
                Parting::Uniform(false) => dropped.push(segment),
                Parting::Mixed { picked, others } => {
                    let parts = [picked, others].map(|list| {
                        let list: Arc<[u32]> = list.into();
                        Rows::picked(&list, 0, list.len())
                    });
                    segment.regroup(parts, |part, segment| match part {
                        0 => kept.push(segment),
                        _ => dropped.push(segment),
                    });
                }
            }
            at += len;
        }
        self.len = 0;
        (kept, dropped)
    }

    /// Settles all of its rows with `fate`.
    pub fn settle(mut self, fate: Fate) {
        while let Some(segment) = self.rope.pop() {
            segment.settle(fate, None);
        }
    }

    /// Settles all of its rows with `fate` and says why.
    pub fn settle_with(mut self, fate: Fate, reason: Reason) {
        while let Some(segment) = self.rope.pop() {
            segment.settle(fate, Some(reason.clone()));
        }
    }

    fn of(segment: Segment) -> Self {
        let mut share = Self::default();
        share.push(segment);
        share
    }

    fn push(&mut self, segment: Segment) {
        self.len += segment.len();
        self.rope.push(segment);
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share")
            .field("rows", &self.len)
            .field("segments", &self.rope.iter().count())
            .finish()
    }
}

/// How a question parts the rows of a segment; lists are made only where its answers differ.
enum Parting {
    Uniform(bool),
    Mixed { picked: Vec<u32>, others: Vec<u32> },
}

impl Parting {
    fn of(segment: &Segment, mut keep: impl FnMut(usize) -> bool) -> Self {
        let first = keep(0);
        let Some(turn) = (1..segment.len()).find(|row| keep(*row) != first) else {
            return Self::Uniform(first);
        };
        let mut picked = Vec::new();
        let mut others = Vec::new();
        for row in 0..segment.len() {
            let keep = if row < turn {
                first
            } else if row == turn {
                !first
            } else {
                keep(row)
            };
            let list = if keep { &mut picked } else { &mut others };
            list.push(segment.row(row));
        }
        Self::Mixed { picked, others }
    }
}

/// Deals one segment out by a counting sort of its rows, so that all groups share one list.
fn deal(segment: Segment, group_at: impl Fn(usize) -> usize, dealt: &mut [Share], counts: &mut Vec<usize>) {
    let len = segment.len();
    let first = group_at(0);
    if (1..len).all(|row| group_at(row) == first) {
        dealt[first].push(segment);
        return;
    }
    counts.clear();
    counts.resize(dealt.len() + 1, 0);
    for row in 0..len {
        counts[group_at(row) + 1] += 1;
    }
    for group in 1..counts.len() {
        counts[group] += counts[group - 1];
    }
    let mut list = vec![0_u32; len];
    let mut next = counts.clone();
    for row in 0..len {
        let place = &mut next[group_at(row)];
        list[*place] = segment.row(row);
        *place += 1;
    }
    let list: Arc<[u32]> = list.into();
    let parts = counts
        .windows(2)
        .map(|bounds| Rows::picked(&list, bounds[0], bounds[1] - bounds[0]));
    segment.regroup(parts, |group, segment| dealt[group].push(segment));
}

#[cfg(test)]
mod tests;
