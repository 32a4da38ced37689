//! The acknowledgement tree: shares of a writer's batch and how they resolve.
//!
//! Purpose: a way in opens one root per batch and gets a [`Share`] of its rows. The share is split,
//! forked, joined with shares of other batches, filtered and grouped as the records travel, and every
//! piece is settled once with a [`Fate`]. When the last open piece of a root settles, the root resolves:
//! its callback hears one [`Verdict`].
//!
//! Invariants:
//! - A root resolves exactly once, and never before every path of every row has settled (flight.md
//!   "Writing": no positive answer is ever early; none is ever taken back).
//! - The fate of a row is the worst that any of its paths settled with.
//! - A piece that is dropped unsettled (panic, cancelled task) settles as [`Fate::Unresolved`].
//! - Where the rows of a root agree in fate, nothing is allocated per row.
//!
//! What it deliberately does not do: no I/O, no time, no retry, no knowledge of relays or records.

mod fate;
mod root;
mod rope;
mod rows;
mod share;
mod sync;

pub use fate::{Fate, REASON_MESSAGE_BYTES_MAX, Reason, Verdict};
pub use share::{Share, root};
