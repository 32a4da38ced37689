//! Domain, physical and manual clocks as distinct types.
//!
//! Purpose: the only place that reads time (companion.md section 10). A [`PhysicalClock`] measures what the
//! outside world is promised (retry delays, ACK TIMEOUT, the window of FLUSH IMMEDIATE); a [`DomainClock`] measures
//! what a model declares (COLLECT FOR, FLUSH EACH, COMMIT EACH, the TTL of a branch). Their instants and deadlines
//! are different types, so one cannot be compared with, or slept on, the other. A [`ManualClock`] gives clocks of
//! both kinds whose time moves only when a test says so.
//!
//! Invariants: monotonic instants never go back; domain time never goes back within a process; a sleep never
//! ends before its deadline.
//!
//! What it deliberately does not do: no schedules, no retry policies, no formatting of time.

mod domain;
mod fine;
mod instant;
mod manual;
mod physical;
mod seed;
mod sleep;
mod snapshot;

pub use domain::{DomainClock, TimeRate};
pub use instant::{DomainDeadline, DomainTime, PhysicalInstant, UtcTime};
pub use manual::ManualClock;
pub use physical::{PhysicalClock, TimedOut};
pub use sleep::Sleep;
pub use snapshot::Snapshot;
