//! Functions of the execution snapshot, and `leak_sensitive`.
//!
//! Each volatile call in the text has its own value per row, which depends on the snapshot, the call and the
//! row alone; so it is the same when the same batch is evaluated again.

use super::reference::Entry;

mod leak_sensitive;
mod now;
mod random;
mod uuid_v4;
mod uuid_v7;

/// The family, in the order of the reference.
pub(super) const ENTRIES: &[&[Entry]] = &[
    now::ENTRIES,
    uuid_v4::ENTRIES,
    uuid_v7::ENTRIES,
    leak_sensitive::ENTRIES,
];
