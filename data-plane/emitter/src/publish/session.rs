//! The driver of session sinks (`emitters.txt`, Client emitters).
//!
//! Invariants: a payload is packed when its lane has room in its window and nothing of the lane waits to be sent again;
//! from then on it is retained, byte for byte and with its members, until it is delivered or rejected. Nothing here
//! settles a member: members are handed to whoever does.

use std::sync::Arc;

use nervix_clock::PhysicalInstant;
use nervix_codec::{Front, pack};
use nervix_columns::ipc::IpcMessage;
use nervix_expr::FailureSite;
use nervix_sink::{
    Failure, Headers, Lane, LaneId, Offer, Outcome, Payload, PayloadId, RevokeReason, SessionAnswer,
    SessionSink, SessionWatch,
};
use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{BatchLimits, SizeText};
use uuid::Uuid;

use crate::admit::Admission;
use crate::carrier::{Carrier, Members};
use crate::encode::Encoder;
use crate::lane::LaneKey;
use crate::lanes::Lanes;
use crate::plan::{Plan, StartError};
use crate::publish::Retention;
use crate::publish::trouble::Trouble;
use crate::publish::turn::{TURN_ITEMS, Turn};
use crate::retained::Retained;
use crate::retry::Retry;
use crate::taking::Taking;

/// Drives one session sink.
pub(crate) struct SessionDriver {
    plan: Arc<Plan>,
    limits: BatchLimits,
    sink: Box<dyn SessionSink>,
    /// An answer that has come and is not acted on yet.
    answer: Option<SessionAnswer>,
    lanes: Lanes<LaneKey, Carrier>,
    retained: Retained<Out, PhysicalInstant>,
    retained_bytes: u64,
    sequence: u64,
    pub(crate) trouble: Trouble,
    unwritable: Arc<FailureSite>,
}

/// A payload that is out, or waits to be sent again.
struct Out {
    payload: Arc<Payload>,
    members: Members,
    attempt: u32,
    retry: Retry,
}

/// What one step of packing did.
enum Sent {
    /// A payload was offered.
    Offered,
    /// The first row of a lane cannot be sent at all: its members follow ON MESSAGE ERROR.
    Refused(Members, String),
    /// No lane may send.
    Nothing,
}

impl SessionDriver {
    pub(crate) fn new(plan: Arc<Plan>, sink: Box<dyn SessionSink>) -> Result<Self, StartError> {
        let limits = plan.limits.ok_or_else(|| StartError::Unsupported {
            emitter: plan.emitter.to_string(),
            what: "a session sink without BATCH",
        })?;
        let unwritable = FailureSite {
            code: ErrorCode::Validation,
            operation: Operation::Encode,
            operation_index: None,
            fields: Vec::new(),
        };
        Ok(Self {
            lanes: Lanes::new(plan.window),
            plan,
            limits,
            sink,
            answer: None,
            retained: Retained::default(),
            retained_bytes: 0,
            sequence: 0,
            trouble: Trouble::default(),
            unwritable: Arc::new(unwritable),
        })
    }

    pub(crate) fn watch(&self) -> Arc<dyn SessionWatch> {
        self.sink.watch()
    }

    /// Takes what a flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        for carrier in carriers {
            let plan = &self.plan;
            let key = carrier.lane.clone();
            let describe = |id: LaneId| plan.lane(id, &key);
            self.lanes.push(key.clone(), carrier, describe);
        }
    }

    /// Acts on answers, offers again what has waited long enough, and packs.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        for _ in 0..TURN_ITEMS {
            match self.answer.take().or_else(|| self.sink.take_answer()) {
                Some(answer) => self.answered(answer, turn),
                None => break,
            }
        }
        turn.retried += self.resend_due(turn.now) as u64;
        for _ in 0..TURN_ITEMS {
            match self.send_next(turn.admission) {
                Sent::Offered => {}
                Sent::Refused(members, message) => turn.rejected(members, &self.unwritable, message),
                Sent::Nothing => return false,
            }
        }
        true
    }

    /// Packs and offers the next payload of the lane whose turn it is.
    fn send_next(&mut self, admission: &Admission) -> Sent {
        let retained = &self.retained;
        let Some(id) = self.lanes.take_turn(|lane| !retained.waits(lane)) else {
            return Sent::Nothing;
        };
        let Some(work) = self.lanes.get_mut(id) else {
            return Sent::Nothing;
        };
        let messages_max = self.limits.max_messages;
        let mut available = 0;
        for carrier in &work.waiting {
            available += carrier.rows();
            if available >= messages_max as usize {
                break;
            }
        }
        let mut encoder = Encoder::new(&work.waiting, self.limits.max_bytes);
        let packed = pack(available, messages_max, |rows| encoder.encode(rows));
        let failed = encoder.failed.take();
        let (rows, message) = match packed {
            Front::Payload { rows, payload } => (rows, Some(payload)),
            Front::RowTooLarge => (1, None),
        };
        let keep_records = self.plan.policy.reads_partial();
        let lane = work.lane.clone();
        let mut taking = Taking::new(&mut work.waiting, keep_records);
        let Some(members) = taking.take(rows) else {
            return Sent::Nothing;
        };
        drop(taking);
        let sent = match message {
            Some(message) => {
                self.offer(&lane, members, message, admission);
                Sent::Offered
            }
            None => Sent::Refused(members, self.refusal(failed.as_ref())),
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
            headers: Headers::default(),
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
                let limit = SizeText(self.limits.max_bytes);
                format!("emitter '{emitter}' Arrow IPC payload exceeds MAX SIZE {limit}")
            }
        }
    }

    /// Offers again what has waited long enough; gives how many payloads.
    fn resend_due(&mut self, now: PhysicalInstant) -> usize {
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

    /// Waits for an answer of the sink.
    pub(crate) async fn ready(&mut self) {
        if self.answer.is_none() {
            self.answer = Some(self.sink.next_answer().await);
        }
    }

    fn answered(&mut self, answer: SessionAnswer, turn: &mut Turn<'_>) {
        let id = answer.payload;
        match answer.outcome {
            Outcome::Delivered(note) => {
                if let Some(members) = self.resolve(id) {
                    turn.delivered(members, note);
                }
            }
            Outcome::Rejected(rejection) => {
                if let Some(members) = self.resolve(id) {
                    turn.rejected(members, &self.plan.rejected, rejection.message.as_str());
                }
            }
            Outcome::Unresolved(failure) => self.failed(id, &failure, turn.now),
        }
    }

    fn failed(&mut self, id: PayloadId, failure: &Failure, now: PhysicalInstant) {
        let Some(out) = self.retained.get_mut(id) else {
            return;
        };
        let backoff = out.retry.after_failure(failure.retry_after);
        let due = now.after(backoff);
        self.retained.fail(id, due);
        self.trouble.failed(id, failure, backoff, due);
        let Plan { domain, emitter, .. } = &*self.plan;
        let (kind, backoff_ms) = (failure.kind.word(), backoff.as_millis());
        tracing::debug!(%domain, %emitter, kind, backoff_ms, "a payload waits to be sent again");
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

    pub(crate) fn retention(&self) -> Retention {
        Retention {
            units: self.retained.len(),
            bytes: self.retained_bytes,
            awaiting_retry: self.retained.waiting(),
            lanes: self.lanes.len(),
        }
    }

    /// Whether nothing waits and nothing is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }
}
