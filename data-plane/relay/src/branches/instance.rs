//! One concrete branch, and the references that keep it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use super::fingerprint::FingerprintKey;
use super::table::Table;

/// What all instances of a branch have in common.
pub(super) struct Identity {
    name: Box<str>,
    fingerprints: FingerprintKey,
    table: Weak<Table>,
}

impl Identity {
    pub(super) fn new(name: &str, fingerprints: FingerprintKey, table: Weak<Table>) -> Self {
        Self {
            name: name.into(),
            fingerprints: fingerprints.of_branch(name),
            table,
        }
    }
}

/// One combination of key values. `users` counts the [`BranchRef`]s; at zero it waits in the table for use,
/// eviction or the end of its TTL.
pub(super) struct Instance {
    identity: Arc<Identity>,
    key: Box<[u8]>,
    slot: u32,
    users: AtomicU32,
    fingerprint: OnceLock<Arc<str>>,
}

impl Instance {
    pub(super) fn new(identity: &Arc<Identity>, key: &[u8], slot: u32) -> Arc<Self> {
        Arc::new(Self {
            identity: Arc::clone(identity),
            key: key.into(),
            slot,
            users: AtomicU32::new(0),
            fingerprint: OnceLock::new(),
        })
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    pub(super) fn slot(&self) -> u32 {
        self.slot
    }

    pub(super) fn is_idle(&self) -> bool {
        self.users.load(Ordering::Acquire) == 0
    }

    /// One more user. From zero only under the table's lock.
    pub(super) fn refer(self: &Arc<Self>) -> BranchRef {
        self.users.fetch_add(1, Ordering::Relaxed);
        BranchRef {
            instance: Arc::clone(self),
        }
    }
}

/// A concrete branch in use: its name and key values. While any reference lives, it is the same instance for
/// everybody, and it is neither evicted nor expired (rulings section 9 "Branches").
///
/// Equality and hash are those of the instance, so it serves as the key of a lane.
pub struct BranchRef {
    instance: Arc<Instance>,
}

impl BranchRef {
    /// The declared name of the branch.
    pub fn name(&self) -> &str {
        &self.instance.identity.name
    }

    /// The opaque name that consumers see: the same for the same domain, branch and key values in every relay and
    /// after a restart with the same stored key; 64 hexadecimal digits. Computed once.
    pub fn fingerprint(&self) -> &Arc<str> {
        let instance = &self.instance;
        instance
            .fingerprint
            .get_or_init(|| instance.identity.fingerprints.of(&instance.key).into())
    }

    /// The key values in the encoding of [`super::BranchKey`]. Never to be shown.
    pub fn key_encoding(&self) -> &[u8] {
        &self.instance.key
    }
}

impl Clone for BranchRef {
    fn clone(&self) -> Self {
        self.instance.refer()
    }
}

impl Drop for BranchRef {
    fn drop(&mut self) {
        if self.instance.users.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(table) = self.instance.identity.table.upgrade()
        {
            table.rest(&self.instance);
        }
    }
}

impl PartialEq for BranchRef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.instance, &other.instance)
    }
}

impl Eq for BranchRef {}

impl Hash for BranchRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(Arc::as_ptr(&self.instance), state);
    }
}

impl fmt::Debug for BranchRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(***)", self.name())
    }
}
