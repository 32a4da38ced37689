//! The node's byte budget: what is held, and who waits for it.
//!
//! Purpose: every queue of a worker bounds bytes as well as items (design.md section 6). Ways in ask
//! [`Budget::admit`] and wait; what the worker makes of admitted records (payloads, retained batches) is
//! counted by [`Budget::charge`], which never waits, so that work on its way out cannot be stopped by its own
//! weight. Either gives a [`Held`] that travels with the bytes and frees them when it is dropped. Whoever gathers until a
//! boundary asks [`Budget::defer`] meanwhile, so that what waits for time does not keep ways in waiting.
//!
//! Invariants: [`Budget::used`] is the sum of all live [`Held`]; ways in are admitted first come, first served,
//! so a large batch is not starved by small ones; a cancelled wait leaves nothing behind.
//!
//! What it deliberately does not do: it allocates nothing, measures nothing, and knows no clock.

mod admit;
mod budget;
mod defer;
mod held;

pub use admit::Admit;
pub use budget::{Budget, QUEUE_SHARE};
pub use defer::{Defer, LetGo};
pub use held::Held;
