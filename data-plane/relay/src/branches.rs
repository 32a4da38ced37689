//! The instances of one BRANCH definition (companion.md section 9, rulings section 9 "Branches").

mod fingerprint;
mod groups;
mod idle;
mod instance;
mod key;
mod table;

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use arrow::array::ArrayRef;
use nervix_clock::{DomainClock, DomainDeadline};
use nspl_model::BranchDef;

use crate::line::Ticket;
use crate::state::MaterializedState;
pub use fingerprint::FingerprintKey;
pub use groups::Groups;
pub use instance::BranchRef;
use instance::Identity;
pub use key::{BranchKey, KEY_BYTES_MAX, KeyError};
use table::Table;
pub use table::UNDECLARED_INSTANCES_MAX;

/// How long [`Branches::keep`] rests at least between two looks, unless TTL is shorter: domain time.
const SWEEP_EACH: Duration = Duration::from_secs(1);

/// How long it rests at least, however fast the domain's time passes and however short TTL is: physical time.
const REST: Duration = Duration::from_millis(10);

/// All instances of one branch of a domain: relays that are BRANCHED BY it share this. Cheap to clone.
#[derive(Clone)]
pub struct Branches {
    def: Arc<BranchDef>,
    table: Arc<Table>,
}

impl Branches {
    /// A table without instances. TTL is domain time.
    pub fn new(def: Arc<BranchDef>, fingerprints: FingerprintKey, clock: DomainClock) -> Self {
        let table = Arc::new_cyclic(|table| {
            let identity = Identity::new(&def.name, fingerprints, table.clone());
            Table::new(&def, Arc::new(identity), clock)
        });
        Self { def, table }
    }

    /// The definition.
    pub fn def(&self) -> &Arc<BranchDef> {
        &self.def
    }

    /// Finds out which rows belong together: `keys` has one column per field of the branch's schema, in its order.
    pub fn group(&self, keys: &[ArrayRef]) -> Result<Groups, KeyError> {
        if keys.len() != self.def.schema.fields.len() {
            return Err(KeyError::Columns {
                expected: self.def.schema.fields.len(),
                found: keys.len(),
            });
        }
        Groups::of(keys)
    }

    /// The instance of `key`, made if there is none; nothing where the caller would have to wait.
    pub fn try_intern(&self, key: BranchKey<'_>) -> Option<BranchRef> {
        self.table.try_intern(key)
    }

    /// The instance of `key`, made if there is none, evicting the least recently used idle one at MAX INSTANCES.
    ///
    /// Where all MAX INSTANCES are busy it waits, in order of arrival, until one is idle. A caller that itself
    /// holds rows of other branches must let them go on meanwhile, else it may wait for itself. Cancel-safe.
    pub async fn intern(&self, key: BranchKey<'_>) -> BranchRef {
        let mut place = Place {
            table: &self.table,
            ticket: None,
        };
        poll_fn(
            |cx| match self.table.intern(key, place.ticket.take(), cx.waker()) {
                Ok(branch) => Poll::Ready(branch),
                Err(ticket) => {
                    place.ticket = Some(ticket);
                    Poll::Pending
                }
            },
        )
        .await
    }

    /// Instances that are forgotten take their part of `state` with them.
    pub(crate) fn keep_state(&self, state: &Arc<MaterializedState>) {
        self.table.keep_state(Arc::downgrade(state));
    }

    /// The instance of an encoded key, made if there is none; nothing where all MAX INSTANCES are busy.
    pub(crate) fn restore(&self, key: &[u8]) -> Option<BranchRef> {
        self.table.try_intern(BranchKey::new(key))
    }

    /// Forgets idle instances, the least recently used first, while `over` says so.
    pub(crate) fn forget_idle_while(&self, over: impl Fn() -> bool) {
        self.table.forget_idle_while(over);
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Instances that nobody refers to.
    pub fn idle(&self) -> usize {
        self.table.idle()
    }

    /// Forgets the instances whose TTL is over, and says how many.
    pub fn expire(&self) -> usize {
        self.table.expire()
    }

    /// When the next idle instance's TTL is over, if it stays idle.
    pub fn next_expiry(&self) -> Option<DomainDeadline> {
        self.table.next_expiry()
    }

    /// Forgets instances as their TTL ends, for ever; a task of the worker runs it. Without it they are forgotten
    /// when new ones are made.
    pub async fn keep(&self) {
        let clock = self.table.clock();
        loop {
            let soonest = clock.deadline_after(self.def.ttl.min(SWEEP_EACH));
            let next = self.next_expiry().map_or(soonest, |expiry| expiry.max(soonest));
            let rested = clock.physical().now().after(REST);
            clock.sleep_until(next).await;
            clock.physical().sleep_until(rested).await;
            self.expire();
        }
    }
}

/// A place in the line for a new instance, given up when the wait is dropped.
struct Place<'a> {
    table: &'a Table,
    ticket: Option<Ticket>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.table.leave(ticket);
        }
    }
}

impl fmt::Debug for Branches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Branches")
            .field("name", &self.def.name)
            .field("instances", &self.len())
            .field("idle", &self.idle())
            .finish()
    }
}

#[cfg(test)]
mod tests;
