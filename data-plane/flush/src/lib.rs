//! When gathered rows leave: the boundaries of FLUSH and COLLECT (companion.md section 11).
//!
//! [`FlushPolicy`] is a FLUSH clause with its clock, and [`Due`] one boundary of it; [`Gatherings`] keeps what is gathered
//! apart by key until its boundary. Ways in and ways out flush by the same rules, so both take them from here. What is
//! deliberately not here: relays, records, and waiting for anything but a boundary.

mod gathering;
mod policy;

pub use gathering::Gatherings;
pub use policy::{Due, FlushPolicy, IMMEDIATE_WINDOW};
