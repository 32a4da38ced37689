//! One turn of a driver: what it is given, and what it found out about members.
//!
//! Invariant: a driver settles nothing itself; each member that leaves it does so in one verdict, once.

use std::sync::Arc;

use nervix_clock::PhysicalInstant;
use nervix_expr::FailureSite;
use nervix_sink::Note;

use crate::admit::Admission;
use crate::carrier::Members;

/// How many answers of the destination a driver takes in one turn, and how many payloads it packs, before the task looks
/// at its inputs and commands again.
pub(crate) const TURN_ITEMS: usize = 32;

/// One turn.
pub(crate) struct Turn<'a> {
    pub(crate) admission: &'a Admission,
    pub(crate) now: PhysicalInstant,
    /// In the order in which they were found.
    pub(crate) verdicts: Vec<Verdict>,
    /// Units of work that were sent again.
    pub(crate) retried: u64,
}

/// What becomes of members that leave a driver.
pub(crate) enum Verdict {
    /// The completion point of the MODE is reached.
    Delivered(Members, Option<Note>),
    /// They follow ON MESSAGE ERROR, with one reference for all of them.
    Rejected {
        members: Members,
        site: Arc<FailureSite>,
        message: String,
    },
}

impl<'a> Turn<'a> {
    pub(crate) fn new(admission: &'a Admission, now: PhysicalInstant) -> Self {
        Self {
            admission,
            now,
            verdicts: Vec::new(),
            retried: 0,
        }
    }

    pub(crate) fn delivered(&mut self, members: Members, note: Option<Note>) {
        self.verdicts.push(Verdict::Delivered(members, note));
    }

    pub(crate) fn rejected(&mut self, members: Members, site: &Arc<FailureSite>, message: impl Into<String>) {
        self.verdicts.push(Verdict::Rejected {
            members,
            site: site.clone(),
            message: message.into(),
        });
    }
}
