//! Error records on their way to the error relay (`emitters.txt`, Branch Semantics): buffered apart from the output and
//! delivered by the same FLUSH.
//!
//! Invariants: an error record carries the share of its source row until the error relay has taken it over; a full error
//! relay makes this buffer wait, never the deliveries beside it; what waits counts against the read-ahead bound. One
//! publish is under way at a time, so the order of error records is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use ahash::AHashMap;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_clock::Snapshot;
use nervix_columns::{arrow_kind, concat, logical_bytes};
use nervix_flush::{Due, FlushPolicy};
use nervix_relay::{BranchRef, Relay, RelayBatch, Timestamps};

use crate::admit::Admission;
use crate::flush::FlushBuffer;

/// Error records of one branch and one snapshot.
pub(crate) struct ErrorBatch {
    pub(crate) branch: Option<BranchRef>,
    pub(crate) records: RecordBatch,
    pub(crate) share: Share,
    pub(crate) snapshot: Arc<Snapshot>,
}

/// Error records that the error relay has not taken yet.
#[derive(Default)]
pub(crate) struct Errors {
    buffer: FlushBuffer<(ErrorBatch, Held), Due>,
    outgoing: VecDeque<Outgoing>,
    publishing: Option<BoxFuture<'static, bool>>,
}

struct Outgoing {
    batch: RelayBatch,
    load: Vec<Held>,
}

impl Errors {
    /// Buffers error records; what the size boundary releases goes on its way.
    pub(crate) fn push(&mut self, batch: ErrorBatch, admission: &Admission, policy: &FlushPolicy) {
        let bytes = logical_bytes(&batch.records);
        let item = (batch, admission.load(bytes));
        if let Some(released) = self.buffer.push(item, bytes, policy.due(), policy.bytes_max()) {
            self.release(released, admission);
        }
    }

    /// Releases what the time boundary releases.
    pub(crate) fn release_due(&mut self, admission: &Admission, policy: &FlushPolicy) {
        if let Some(released) = self.buffer.take_due(|due| policy.passed(due)) {
            self.release(released, admission);
        }
    }

    /// Releases everything: a drain or a kick.
    pub(crate) fn release_all(&mut self, admission: &Admission) {
        let released = self.buffer.take();
        self.release(released, admission);
    }

    /// Begins the next publish to `relay` if none is under way.
    pub(crate) fn begin_publish(&mut self, relay: &Arc<Relay>) {
        if self.publishing.is_none()
            && let Some(Outgoing { batch, load }) = self.outgoing.pop_front()
        {
            let relay = relay.clone();
            let publish = async move {
                let published = relay.publish(batch).await.is_ok();
                drop(load);
                published
            };
            self.publishing = Some(publish.boxed());
        }
    }

    /// Ends when the publish under way ends: true when the error relay has taken the records, false when it is closed.
    /// Pending while no publish is under way. Cancel-safe.
    pub(crate) async fn published(&mut self) -> bool {
        match self.publishing.as_mut() {
            None => std::future::pending().await,
            Some(publishing) => {
                let published = publishing.await;
                self.publishing = None;
                published
            }
        }
    }

    pub(crate) fn due(&self) -> Option<Due> {
        self.buffer.due()
    }

    /// Whether any wait for a boundary.
    pub(crate) fn defers(&self) -> bool {
        !self.buffer.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.outgoing.is_empty() && self.publishing.is_none()
    }

    /// Joins what is released by branch, in the order of first arrival.
    fn release(&mut self, released: Vec<(ErrorBatch, Held)>, admission: &Admission) {
        let mut places: AHashMap<Option<BranchRef>, usize> = AHashMap::new();
        let mut groups: Vec<Vec<(ErrorBatch, Held)>> = Vec::new();
        for item in released {
            let place = *places.entry(item.0.branch.clone()).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.get_mut(place) {
                group.push(item);
            }
        }
        for group in groups {
            match join(group, admission) {
                Ok(outgoing) => self.outgoing.extend(outgoing),
                // Their shares are dropped: unresolved. Records of one relay's schema join unless they pass 2 GiB.
                Err(error) => tracing::error!(what = arrow_kind(&error), "error records could not be joined"),
            }
        }
    }
}

fn join(group: Vec<(ErrorBatch, Held)>, admission: &Admission) -> Result<Option<Outgoing>, ArrowError> {
    let records: Vec<RecordBatch> = group.iter().map(|(batch, _)| batch.records.clone()).collect();
    let mut load = Vec::with_capacity(group.len());
    let mut joined: Option<RelayBatch> = None;
    let records = concat(&records)?;
    for (
        ErrorBatch {
            branch,
            records: own,
            share,
            snapshot,
        },
        held,
    ) in group
    {
        load.push(held);
        let times = Timestamps::uniform(own.num_rows(), snapshot.domain_time);
        match &mut joined {
            Some(batch) => {
                batch.share.append(share);
                batch.timestamps.append(&times);
            }
            None => {
                let held = Arc::new(admission.charge(logical_bytes(&records)));
                let records = records.clone();
                joined = Some(RelayBatch {
                    records,
                    share,
                    branch,
                    snapshot,
                    timestamps: times,
                    held,
                });
            }
        }
    }
    Ok(joined.map(|batch| Outgoing { batch, load }))
}
