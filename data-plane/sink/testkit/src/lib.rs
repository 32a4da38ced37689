//! Destinations in memory, one for each shape, that do what a test tells them: for tests of the emitter's drivers, of the
//! worker, and of the conformance suite itself.
//!
//! They keep the contract of `nervix-sink` as strictly as a real destination and remember everything that they were given,
//! in order, with its attempts. What they deliberately do not have: a wire, a clock, a delay of their own. A test that
//! wants one holds an answer back and gives it later.

mod attended;
mod broker;
mod deed;
mod endpoint;
mod lake;
mod place;
mod scope;
mod table;
mod tried_mode;

pub use attended::{Attempted, Attended};
pub use broker::{Broker, Received};
pub use deed::Deed;
pub use endpoint::Endpoint;
pub use lake::{Committed, Lake};
pub use place::Place;
pub use scope::{Named, Scope};
pub use table::Table;
pub use tried_mode::TriedMode;
