//! Functions of regular expressions: the syntax of the regex crate with Unicode on, leftmost-first, `.` stopping
//! at a newline. A pattern is compiled once per distinct value, within a size limit.

use super::reference::Entry;

pub(super) mod patterns;
mod regexp_like;
mod regexp_replace;
mod regexp_substr;
mod replacement;

/// The family, in the order of the reference.
pub(super) const ENTRIES: &[&[Entry]] = &[
    regexp_like::ENTRIES,
    regexp_replace::ENTRIES,
    regexp_substr::ENTRIES,
];
