//! One batch on its way from a source into an ingestor.

use std::sync::Arc;

use arrow::array::RecordBatch;
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_columns::Rejected;

/// One admitted batch; exactly the ingestor's schema.
#[derive(Debug)]
pub struct Arrival {
    /// The rows that could be taken.
    pub batch: RecordBatch,
    /// The rows that could not.
    pub rejected: Option<Rejected>,
    /// All of the source's rows, in order.
    pub share: Share,
    /// The part of the budget that the batch occupies.
    pub held: Arc<Held>,
    /// Its room in the queue before the ingestor, until its rows have left for their relays.
    pub room: Held,
}
