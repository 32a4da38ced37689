//! Preparing: from the front of the flush under way to requests with their members (`emitters.txt`, HTTP requests).
//!
//! Invariants: methods, targets and headers were evaluated when the records were constructed; here each meets its body,
//! which is exactly what the codec wrote, or none at all. A record without a body that the codec could write is rejected
//! alone.

use std::sync::Arc;

use bytes::Bytes;
use nervix_codec::{Packed, Packing, RecordFault, Refused, Rows};
use nervix_sink::PreparedRequest;
use nspl_model::record_error::ErrorCode;

use super::{PREPARED_BYTES, PREPARED_MAX, PREPARED_MIN, RequestDriver, Unit};
use crate::carrier::{Carrier, Members};
use crate::publish::encoded::encoded;
use crate::publish::refusal::refuse;
use crate::publish::turn::{TURN_ITEMS, Turn};
use crate::taking::Taking;
use crate::written::Request;

impl RequestDriver {
    /// Whether there is room for what waits to be prepared.
    pub(super) fn may_prepare(&self) -> bool {
        self.prepared.len() <= PREPARED_MIN && self.job.is_idle() && !self.flushes.current.is_empty()
    }

    /// Prepares ahead. True when there is more to prepare at once.
    pub(super) fn prepare(&mut self, turn: &mut Turn<'_>) -> bool {
        for _ in 0..TURN_ITEMS {
            if !self.may_prepare() {
                return false;
            }
            let Some(front) = self.flushes.current.front() else {
                return false;
            };
            let rows = rows_at_once(front, PREPARED_MAX - self.prepared.len());
            if self.outlet.plan.codec.is_none() {
                self.take(rows, std::iter::repeat_n(Ok(None), rows), turn);
                continue;
            }
            let Some(encoder) = self.outlet.connection.encoder() else {
                return false;
            };
            let records = Rows {
                records: front.records.slice(0, rows),
                snapshot_ns: front.snapshot.domain_time.0,
            };
            match encoder.pack(&[records], rows) {
                Packing::Done(packed) => self.packed(Ok(packed), turn),
                Packing::Job(job) => {
                    self.job.begin(job);
                    return false;
                }
            }
        }
        true
    }

    /// Takes what the encoder made.
    pub(super) fn packed(&mut self, packed: Result<Vec<Packed>, Refused>, turn: &mut Turn<'_>) {
        let packed = match encoded(packed) {
            Ok(packed) => packed,
            Err(failure) => return self.outlet.setbacks.stands(&failure, turn.now),
        };
        self.outlet.setbacks.trouble.lifted();
        let rows = packed.iter().map(Packed::rows).sum();
        self.take(rows, packed.into_iter().flat_map(bodies), turn);
    }

    /// Takes `rows` rows from the front, each with its body or the reason why it has none.
    fn take(
        &mut self,
        rows: usize,
        bodies: impl Iterator<Item = Result<Option<Bytes>, RecordFault>>,
        turn: &mut Turn<'_>,
    ) {
        let mut flush = std::mem::take(&mut self.flushes.current);
        let requests = flush.front().map(|carrier| carrier.written.requests(rows));
        let mut taking = Taking::new(&mut flush, self.outlet.plan.policy.reads_partial());
        for (request, body) in requests.unwrap_or_default().into_iter().zip(bodies) {
            let Some(members) = taking.take(1) else { break };
            match body {
                Ok(body) => self.keep(members, request, body, turn),
                Err(fault) => refuse(&self.outlet.plan, members, &fault, turn),
            }
        }
        drop(taking);
        self.flushes.current = flush;
    }

    fn keep(&mut self, members: Members, request: Request, body: Option<Bytes>, turn: &Turn<'_>) {
        let Request {
            method,
            target,
            headers,
        } = request;
        let (id, _) = self.outlet.next_id();
        let body_bytes = body.as_ref().map_or(0, Bytes::len);
        let size = (method.len() + target.len() + body_bytes) as u64 + headers.size_bytes();
        self.retained_bytes += size;
        self.outlet.lanes.enter(&members.lane, &self.outlet.plan);
        self.prepared.push_back(Unit {
            id,
            request: Arc::new(PreparedRequest {
                method,
                target,
                headers,
                body,
            }),
            members,
            attempts: 0,
            failed: false,
            size,
            _held: turn.admission.charge(size),
        });
    }
}

/// How many rows of a carrier are prepared at once, of `room` at most.
fn rows_at_once(carrier: &Carrier, room: usize) -> usize {
    let rows = carrier.rows();
    let fitting = (rows as u64).saturating_mul(PREPARED_BYTES) / carrier.bytes.max(1);
    let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
    rows.min(room).min(fitting.max(1))
}

/// The body of each row that a result covers. Without BATCH every record has a payload of its own.
fn bodies(packed: Packed) -> Vec<Result<Option<Bytes>, RecordFault>> {
    match packed {
        Packed::Payload { rows: 1, bytes, .. } => vec![Ok(Some(bytes))],
        Packed::Payload { rows, .. } => vec![Err(joined()); rows],
        Packed::Rejected { rows, fault, .. } => vec![Err(fault); rows],
    }
}

/// A codec that joins records cannot say whose body it made.
fn joined() -> RecordFault {
    RecordFault {
        code: ErrorCode::Validation,
        fields: Vec::new(),
        cause: "made one payload of several records, and a request carries one".into(),
    }
}
