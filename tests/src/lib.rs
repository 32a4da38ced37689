//! Harness of the end-to-end tests: starts the built `nervix` executable and real servers on free loopback ports, talks
//! Arrow Flight as a stock client would, waits on conditions with a bound, and ends exactly what it started.
//!
//! It holds no assertion about Nervix's behaviour: those are in `tests/tests`, but for the suite in [`mod@conformance`], which
//! every destination runs.

pub mod authority;
pub mod conformance;
pub mod door;
pub mod error_records;
pub mod etcd;
pub mod flight;
pub mod http_endpoint;
pub mod kafka;
pub mod names;
pub mod ports;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod rows;
pub mod server;
pub mod terminal;
pub mod wait;
