//! Packing: from the front of the flush under way to payloads with their members (`emitters.txt`, Batch payloads).
//!
//! Invariants: what is packed together is of one source relay, one concrete branch and one set of written headers, and
//! consecutive; rows that the encoder did not cover stay where they are. Which rows become a payload is the encoder's
//! decision, since it knows their sizes.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use nervix_codec::{Packed, Packing, Refused, Rows};
use nervix_sink::{Headers, Payload};

use super::{PayloadDriver, READY_MAX, State, Unit};
use crate::carrier::{Carrier, Members};
use crate::publish::encoded::encoded;
use crate::publish::refusal::refuse;
use crate::publish::turn::{TURN_ITEMS, Turn};
use crate::taking::Taking;

/// Payloads that one call of the encoder makes at most.
const PACK_MAX: usize = 256;
/// Bytes of payloads after which the task looks at its inputs and commands again.
const TURN_BYTES: u64 = 1024 * 1024;

impl PayloadDriver {
    /// Packs ahead of the window. True when there is more to pack at once.
    pub(super) fn pack(&mut self, turn: &mut Turn<'_>) -> bool {
        let before = self.retained_bytes;
        for _ in 0..TURN_ITEMS {
            if self.retained_bytes - before >= TURN_BYTES {
                break;
            }
            let room = self.room();
            let fails =
                self.outstanding.count(State::Failed) > 0 || self.outlet.setbacks.pace.holds(turn.now);
            if room == 0 || fails || !self.job.is_idle() {
                return false;
            }
            if self.flushes.current.is_empty() {
                return false;
            }
            let Some(encoder) = self.outlet.connection.encoder() else {
                return false;
            };
            let rows_max = room.saturating_mul(
                self.outlet
                    .plan
                    .limits
                    .map_or(1, |limits| limits.max_messages as usize),
            );
            match encoder.pack(&front_run(&self.flushes.current, rows_max), room) {
                Packing::Done(packed) => self.packed(Ok(packed), turn),
                Packing::Job(job) => {
                    self.job.begin(job);
                    return false;
                }
            }
        }
        true
    }

    /// How many payloads may be made now.
    fn room(&self) -> usize {
        let ready_max = (self.outlet.plan.window as usize).clamp(1, READY_MAX);
        let ready = self.outstanding.count(State::Ready);
        ready_max.saturating_sub(ready).min(PACK_MAX)
    }

    /// Takes what the encoder made.
    pub(super) fn packed(&mut self, packed: Result<Vec<Packed>, Refused>, turn: &mut Turn<'_>) {
        let packed = match encoded(packed) {
            Ok(packed) => packed,
            Err(failure) => return self.outlet.setbacks.stands(&failure, turn.now),
        };
        self.outlet.setbacks.trouble.lifted();
        let mut flush = std::mem::take(&mut self.flushes.current);
        let headers = flush
            .front()
            .map(|carrier| carrier.written.front())
            .unwrap_or_default();
        let mut taking = Taking::new(&mut flush, self.outlet.plan.policy.reads_partial());
        for packed in packed {
            let (rows, left_out, made) = match packed {
                Packed::Payload {
                    rows,
                    left_out,
                    bytes,
                } => (rows, left_out, Ok(bytes)),
                Packed::Rejected {
                    rows,
                    left_out,
                    fault,
                } => (rows, left_out, Err(fault)),
            };
            let mut members: Option<Members> = None;
            let mut at = 0;
            for left_out in left_out {
                join(&mut members, &mut taking, left_out.row.saturating_sub(at));
                if let Some(alone) = taking.take(1) {
                    refuse(&self.outlet.plan, alone, &left_out.fault, turn);
                }
                at = left_out.row + 1;
            }
            join(&mut members, &mut taking, rows.saturating_sub(at));
            match (members, made) {
                (Some(members), Ok(bytes)) => self.keep(members, bytes, headers.clone(), turn),
                (Some(members), Err(fault)) => refuse(&self.outlet.plan, members, &fault, turn),
                (None, _) => {}
            }
        }
        drop(taking);
        self.flushes.current = flush;
    }

    fn keep(&mut self, members: Members, bytes: Bytes, headers: Headers, turn: &Turn<'_>) {
        let (id, sequence) = self.outlet.next_id();
        let size = bytes.len() as u64;
        let payload = Payload {
            id,
            lane: self.outlet.lanes.enter(&members.lane, &self.outlet.plan),
            sequence,
            rows: u32::try_from(members.rows()).unwrap_or(u32::MAX),
            head: Bytes::new(),
            body: bytes,
            held: turn.admission.charge(size + headers.size_bytes()),
            headers,
        };
        self.retained_bytes += size;
        let unit = Unit {
            payload: Arc::new(payload),
            members,
            note: None,
            awaited: None,
        };
        self.outstanding.insert(sequence, unit);
    }
}

/// Adds the next `rows` rows to the members of a payload.
fn join(members: &mut Option<Members>, taking: &mut Taking<'_>, rows: usize) {
    if rows == 0 {
        return;
    }
    match members {
        Some(members) => taking.extend(members, rows),
        None => *members = taking.take(rows),
    }
}

/// The rows at the front that may share payloads, at most about `rows_max` of them.
fn front_run(flush: &VecDeque<Carrier>, rows_max: usize) -> Vec<Rows> {
    let Some(first) = flush.front() else {
        return Vec::new();
    };
    let headers = first.written.front();
    let mut run = Vec::new();
    let mut rows = 0;
    for carrier in flush {
        if carrier.lane != first.lane || carrier.written.front() != headers {
            break;
        }
        let alike = carrier.written.front_rows(carrier.rows());
        run.push(Rows {
            records: carrier.records.slice(0, alike),
            snapshot_ns: carrier.snapshot.domain_time.0,
        });
        rows += alike;
        if alike < carrier.rows() || rows >= rows_max {
            break;
        }
    }
    run
}
