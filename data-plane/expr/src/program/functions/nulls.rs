//! Functions of nulls.

use super::reference::Entry;

pub(in crate::program) mod coalesce;
mod is_null;
mod nullif;

/// The family, in the order of the reference.
pub(super) const ENTRIES: &[&[Entry]] = &[coalesce::ENTRIES, is_null::ENTRIES, nullif::ENTRIES];
