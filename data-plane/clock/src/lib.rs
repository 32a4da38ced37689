//! Domain, physical and manual clocks as distinct types.
//!
//! Purpose: the only place that reads time (companion.md section 10). A [`PhysicalClock`] measures what the
//! outside world is promised (retry delays, ACK TIMEOUT, the window of FLUSH IMMEDIATE); a [`DomainClock`] measures
//! what a model declares (COLLECT FOR, FLUSH EACH, COMMIT EACH, the TTL of a branch). Their instants and deadlines
//! are different types, so one cannot be compared with, or slept on, the other. A [`ManualClock`] gives clocks of
//! both kinds whose time moves only when a test says so.
//!
//! Each clock sleeps on what it made itself:
//!
//! ```
//! # let hands = nervix_clock::ManualClock::new();
//! # let (physical, domain, second) = (hands.physical(), hands.domain(), std::time::Duration::from_secs(1));
//! drop(physical.sleep_until(physical.now().after(second)));
//! drop(domain.sleep_until(domain.deadline_after(second)));
//! ```
//!
//! What one clock made is nothing to the other, neither to sleep on nor to compare:
//!
//! ```compile_fail,E0308
//! # let hands = nervix_clock::ManualClock::new();
//! # let (physical, domain, second) = (hands.physical(), hands.domain(), std::time::Duration::from_secs(1));
//! drop(physical.sleep_until(domain.deadline_after(second)));
//! ```
//!
//! ```compile_fail,E0308
//! # let hands = nervix_clock::ManualClock::new();
//! # let (physical, domain, second) = (hands.physical(), hands.domain(), std::time::Duration::from_secs(1));
//! drop(domain.sleep_until(physical.now().after(second)));
//! ```
//!
//! ```compile_fail,E0308
//! # let hands = nervix_clock::ManualClock::new();
//! # let (physical, domain, second) = (hands.physical(), hands.domain(), std::time::Duration::from_secs(1));
//! assert!(physical.now() < domain.deadline_after(second));
//! ```
//!
//! Invariants: monotonic instants never go back; domain time never goes back within a process; a sleep never
//! ends before its deadline.
//!
//! What it deliberately does not do: no schedules, no retry policies, no formatting of time.

mod allowance;
mod domain;
mod fine;
mod instant;
mod manual;
mod physical;
mod seed;
mod sleep;
mod snapshot;

pub use allowance::Allowance;
pub use domain::{DomainClock, TimeRate};
pub use instant::{DomainDeadline, DomainTime, PhysicalInstant, UtcTime};
pub use manual::ManualClock;
pub use physical::{PhysicalClock, TimedOut};
pub use sleep::Sleep;
pub use snapshot::Snapshot;
