//! Relay batches, branches and bounded fan-out (companion.md section 9).
//!
//! Purpose: a [`Relay`] hands every [`RelayBatch`] that is published to it to all of its consumers, in one order,
//! and makes publishers wait for the slowest. [`Branches`] turns key values into shared [`BranchRef`]s.
//!
//! Invariants:
//! - A batch reaches every consumer's queue or none; all consumers see the same order.
//! - No queue grows past CAPACITY; nothing is dropped because a queue was full.
//! - Each ATTACHED consumer settles a share of its own; a DETACHED one gets a share that nobody waits for.
//! - A branch instance that anybody refers to is neither evicted nor expired.
//! - A materialized state ([`MaterializedState`]) lives beside a branch instance, under the same lifetime; the rows that
//!   made it are acknowledged once a [`Journal`] has made it durable.
//! - Nothing that can be printed shows a key value or a payload value.
//!
//! What it deliberately does not do: it evaluates nothing, writes nothing, talks to no other worker and spawns no task.

mod batch;
mod branches;
mod consumer;
mod line;
mod relay;
mod state;
mod timestamps;

pub use batch::RelayBatch;
pub use branches::{
    BranchKey, BranchRef, Branches, FingerprintKey, Groups, KEY_BYTES_MAX, KeyError, UNDECLARED_INSTANCES_MAX,
};
pub use consumer::Consumer;
pub use relay::{Closed, Gate, Publish, Relay, SeatStatus, UNWRITTEN_BATCHES_MAX};
pub use state::{
    Journal, Latest, MaterializedState, Receipt, Restored, STATE_SHARE, StateBudget, StateSize, StateWrite,
    Wakes,
};
pub use timestamps::Timestamps;
