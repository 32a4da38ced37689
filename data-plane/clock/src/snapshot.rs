//! The execution snapshot of an admitted batch.

use std::fmt;

use crate::instant::DomainTime;

/// What evaluation of one admitted batch reads besides its records: pinned at admission, kept over every retry
/// (emitters.txt "Branch Semantics").
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// What `now()` and `uuid_v7()` read.
    pub domain_time: DomainTime,
    /// What the values of volatile functions derive from, together with the call's site and the row.
    pub seed: [u8; 32],
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The seed foretells every uuid of the batch; it is nobody's business.
        f.debug_struct("Snapshot")
            .field("domain_time", &self.domain_time)
            .finish_non_exhaustive()
    }
}
