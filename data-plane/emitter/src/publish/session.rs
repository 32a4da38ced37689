//! The driver of session sinks (`emitters.txt`, Client emitters).
//!
//! Invariants: a payload is packed when its lane has room in its window and nothing of the lane waits to be sent again;
//! from then on it is retained, byte for byte and with its members, until it is delivered or rejected. Nothing here
//! settles a member: members are handed to whoever does.

use std::sync::Arc;
use std::time::Duration;

use nervix_clock::PhysicalInstant;
use nervix_codec::{Front, pack};
use nervix_columns::ipc::IpcMessage;
use nervix_expr::FailureSite;
use nervix_sink::{
    Failure, Lane, LaneId, Note, Offer, Outcome, Payload, PayloadId, Rejection, RevokeReason, SessionAnswer,
    SessionSink, SessionWatch,
};
use nspl_model::SizeText;
use nspl_model::record_error::{ErrorCode, Operation};
use uuid::Uuid;

use crate::admit::Admission;
use crate::carrier::{Carrier, Members};
use crate::encode::Encoder;
use crate::lane::LaneKey;
use crate::lanes::Lanes;
use crate::plan::Plan;
use crate::publish::trouble::Trouble;
use crate::retained::Retained;
use crate::retry::Retry;

/// Drives one session sink.
pub(crate) struct SessionDriver {
    plan: Arc<Plan>,
    sink: Box<dyn SessionSink>,
    lanes: Lanes<LaneKey, Carrier>,
    retained: Retained<Out, PhysicalInstant>,
    retained_bytes: u64,
    sequence: u64,
    pub(crate) trouble: Trouble,
    too_large: Arc<FailureSite>,
}

/// A payload that is out, or waits to be sent again.
struct Out {
    payload: Arc<Payload>,
    members: Members,
    attempt: u32,
    retry: Retry,
}

/// What one turn of packing did.
pub(crate) enum Sent {
    /// A payload was offered.
    Offered,
    /// The first row of a lane cannot be sent at all: its members follow ON MESSAGE ERROR.
    Refused(Members, Arc<FailureSite>, String),
    /// No lane may send.
    Nothing,
}

/// What an answer of the sink means for members.
pub(crate) enum Answered {
    Delivered(Members, Option<Note>),
    Rejected(Members, Rejection),
    /// Retained; sent again after the backoff.
    Retained {
        failure: Failure,
        backoff: Duration,
    },
    /// The payload is not retained (any more).
    Unknown,
}

impl SessionDriver {
    pub(crate) fn new(plan: Arc<Plan>, sink: Box<dyn SessionSink>) -> Self {
        let too_large = FailureSite {
            code: ErrorCode::Validation,
            operation: Operation::Encode,
            operation_index: None,
            fields: Vec::new(),
        };
        Self {
            lanes: Lanes::new(plan.window),
            plan,
            sink,
            retained: Retained::default(),
            retained_bytes: 0,
            sequence: 0,
            trouble: Trouble::default(),
            too_large: Arc::new(too_large),
        }
    }

    pub(crate) fn watch(&self) -> Arc<dyn SessionWatch> {
        self.sink.watch()
    }

    /// Takes what a flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        for carrier in carriers {
            let plan = &self.plan;
            let key = carrier.lane.clone();
            let (source, branch) = (key.source, key.branch.clone());
            let describe = |id: LaneId| Lane {
                id,
                source: plan
                    .sources
                    .get(source)
                    .map_or_else(|| "".into(), |source| source.relay.clone()),
                branch: branch.map_or_else(|| "".into(), |branch| branch.fingerprint().clone()),
            };
            self.lanes.push(key, carrier, describe);
        }
    }

    /// Packs and offers the next payload of the lane whose turn it is.
    pub(crate) fn send_next(&mut self, admission: &Admission) -> Sent {
        let retained = &self.retained;
        let Some(id) = self.lanes.take_turn(|lane| !retained.waits(lane)) else {
            return Sent::Nothing;
        };
        let Some(work) = self.lanes.get_mut(id) else {
            return Sent::Nothing;
        };
        let messages_max = self.plan.limits.max_messages;
        let mut available = 0;
        for carrier in &work.waiting {
            available += carrier.rows();
            if available >= messages_max as usize {
                break;
            }
        }
        let mut encoder = Encoder::new(&work.waiting, self.plan.limits.max_bytes);
        let packed = pack(available, messages_max, |rows| encoder.encode(rows));
        let failed = encoder.failed.take();
        let (rows, message) = match packed {
            Front::Payload { rows, payload } => (rows, Some(payload)),
            Front::RowTooLarge => (1, None),
        };
        let keep_records = self
            .plan
            .policy
            .error_route()
            .is_some_and(crate::error_route::ErrorRoute::reads_partial);
        let lane = work.lane.clone();
        let members = Members::of(take_rows(&mut work.waiting, rows), keep_records);
        let Some(members) = members else {
            return Sent::Nothing;
        };
        let sent = match message {
            Some(message) => {
                self.offer(&lane, members, message, admission);
                Sent::Offered
            }
            None => Sent::Refused(members, self.too_large.clone(), self.refusal(failed.as_ref())),
        };
        self.lanes.give_back(id);
        sent
    }

    fn offer(&mut self, lane: &Arc<Lane>, members: Members, message: IpcMessage, admission: &Admission) {
        let id = PayloadId(Uuid::new_v4().as_u128());
        let sequence = self.sequence;
        self.sequence += 1;
        let size = message.len() as u64;
        let payload = Arc::new(Payload {
            id,
            lane: lane.clone(),
            sequence,
            rows: u32::try_from(members.rows()).unwrap_or(u32::MAX),
            head: message.header,
            body: message.body,
            held: admission.charge(size),
        });
        self.retained_bytes += size;
        self.lanes.sent(lane.id);
        let out = Out {
            payload: payload.clone(),
            members,
            attempt: 1,
            retry: Retry::new(self.plan.retry),
        };
        self.retained.retain(id, lane.id, sequence, out);
        self.sink.offer(Offer { payload, attempt: 1 });
    }

    fn refusal(&self, failed: Option<&arrow::error::ArrowError>) -> String {
        let emitter = &self.plan.emitter;
        match failed {
            // The text of an Arrow error may quote a value.
            Some(_) => format!("emitter '{emitter}' record cannot be written as Arrow IPC"),
            None => {
                let limit = SizeText(self.plan.limits.max_bytes);
                format!("emitter '{emitter}' Arrow IPC payload exceeds MAX SIZE {limit}")
            }
        }
    }

    /// Offers again what has waited long enough; gives how many payloads.
    pub(crate) fn resend_due(&mut self, now: PhysicalInstant) -> usize {
        let due = self.retained.take_due(now);
        for id in &due {
            if let Some(out) = self.retained.get_mut(*id) {
                out.attempt = out.attempt.saturating_add(1);
                self.sink.offer(Offer {
                    payload: out.payload.clone(),
                    attempt: out.attempt,
                });
                let lane = out.payload.lane.id;
                self.lanes.give_back(lane);
            }
        }
        due.len()
    }

    /// When something waits long enough.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        self.retained.next_due()
    }

    /// The next answer of the sink; cancel-safe.
    pub(crate) async fn next_answer(&mut self) -> SessionAnswer {
        self.sink.next_answer().await
    }

    /// An answer that is there already.
    pub(crate) fn take_answer(&mut self) -> Option<SessionAnswer> {
        self.sink.take_answer()
    }

    pub(crate) fn answered(&mut self, answer: SessionAnswer, now: PhysicalInstant) -> Answered {
        let id = answer.payload;
        match answer.outcome {
            Outcome::Delivered(note) => match self.resolve(id) {
                Some(members) => Answered::Delivered(members, note),
                None => Answered::Unknown,
            },
            Outcome::Rejected(rejection) => match self.resolve(id) {
                Some(members) => Answered::Rejected(members, rejection),
                None => Answered::Unknown,
            },
            Outcome::Unresolved(failure) => {
                let Some(out) = self.retained.get_mut(id) else {
                    return Answered::Unknown;
                };
                let backoff = out.retry.after_failure(failure.retry_after);
                let due = now.after(backoff);
                self.retained.fail(id, due);
                self.trouble.failed(id, &failure, backoff, due);
                Answered::Retained { failure, backoff }
            }
        }
    }

    fn resolve(&mut self, id: PayloadId) -> Option<Members> {
        let out = self.retained.resolve(id)?;
        self.retained_bytes -= out.payload.size_bytes();
        self.lanes.resolved(out.payload.lane.id);
        self.trouble.resolved(id);
        Some(out.members)
    }

    /// Takes everything back from consumers.
    pub(crate) fn close(&mut self, reason: RevokeReason) {
        self.sink.close(reason);
    }

    pub(crate) fn retained(&self) -> (usize, u64) {
        (self.retained.len(), self.retained_bytes)
    }

    /// Payloads that wait for their backoff.
    pub(crate) fn awaiting_retry(&self) -> usize {
        self.retained.waiting()
    }

    pub(crate) fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Whether nothing waits and nothing is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }
}

/// Takes the first `rows` rows.
fn take_rows(waiting: &mut std::collections::VecDeque<Carrier>, rows: usize) -> Vec<Carrier> {
    let mut taken = Vec::new();
    let mut rest = rows;
    while rest > 0 {
        match waiting.front_mut() {
            None => break,
            Some(front) if front.rows() > rest => {
                taken.push(front.split_to(rest));
                rest = 0;
            }
            Some(_) => {
                if let Some(front) = waiting.pop_front() {
                    rest -= front.rows();
                    taken.push(front);
                }
            }
        }
    }
    taken
}
