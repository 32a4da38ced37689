//! The ingestor, from admitted batches to relays (companion.md section 8).
//!
//! [`Ingestor::compile`] makes one run of a definition ready; [`Ingestor::run`] is the run's task, which its supervisor
//! runs; [`IngestorHandle`] asks of it. A source hands over [`Arrival`]s through a bounded queue: batches of exactly the
//! ingestor's schema, with the share that answers for their rows. What is deliberately not here: any source, gates,
//! answers to writers, spawning, reading a clock that was not handed over.

mod arrival;
mod error_policy;
mod handle;
mod ingestor;
mod outgoing;
mod parts;
mod piece;
mod route;
mod traffic;

pub use arrival::Arrival;
pub use handle::{IngestorHandle, IngestorRequests};
pub use ingestor::{Ingestor, IngestorParts, Relays};
pub use traffic::{Flow, IngestorTraffic, ROWS_BUCKETS, RowsHistogram};
