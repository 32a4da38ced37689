//! The stages in their order; nothing else knows it (design section 4).
//!
//! relay batch -> admit -> collect -> materialized dependencies -> source WHERE -> construct, route WHERE -> flush buffer ->
//! pack and encode -> publish -> outcomes -> retained and retry -> settle. Nothing in this file waits.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::error::ArrowError;
use nervix_clock::{DomainClock, DomainDeadline};
use nervix_columns::arrow_kind;
use nervix_flush::{Due, FlushPolicy, Gatherings};
use nervix_relay::RelayBatch;
use nervix_sink::RevokeReason;
use nspl_model::Flush;

use crate::admit::{Admission, Admitted};
use crate::alarm::Alarm;
use crate::carrier::Carrier;
use crate::construct::{Built, Construction, construct};
use crate::counters::EmitterCounters;
use crate::dependencies::{Bound, Dependencies, Release};
use crate::errors::{ErrorBatch, Errors};
use crate::filter::{drops_all, filter_source};
use crate::flush::FlushBuffer;
use crate::lane::LaneKey;
use crate::plan::Plan;
use crate::publish::Driver;
use crate::publish::payload::Leftover;
use crate::publish::turn::{Turn, Verdict};
use crate::settle::Settle;

/// All stages of one run.
pub(crate) struct Pipeline {
    plan: Arc<Plan>,
    clock: DomainClock,
    counters: Arc<EmitterCounters>,
    pub(crate) admission: Admission,
    pub(crate) dependencies: Dependencies,
    /// COLLECT FOR, by source relay and concrete branch; empty without it.
    collected: Gatherings<LaneKey, Admitted, DomainDeadline>,
    /// What passed source WHERE and is not constructed yet. Empty but for the rest of a batch that had to be divided, and
    /// what came after it: that waits until there is room for what it unfolds to.
    unbuilt: VecDeque<Admitted>,
    flush: FlushBuffer<Carrier, Due>,
    policy: FlushPolicy,
    pub(crate) driver: Driver,
    pub(crate) settle: Settle,
    pub(crate) errors: Errors,
}

/// What a step moved, for rates.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Moved {
    pub(crate) received: u64,
    pub(crate) sent: u64,
    pub(crate) sent_bytes: u64,
}

impl Moved {
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            received: self.received + other.received,
            sent: self.sent + other.sent,
            sent_bytes: self.sent_bytes + other.sent_bytes,
        }
    }
}

impl Pipeline {
    pub(crate) fn new(
        plan: Arc<Plan>,
        driver: Driver,
        settle: Settle,
        (admission, dependencies, counters): (Admission, Dependencies, Arc<EmitterCounters>),
        (clock, flush): (DomainClock, Flush),
    ) -> Self {
        Self {
            collected: Gatherings::default(),
            unbuilt: VecDeque::new(),
            plan,
            counters,
            admission,
            dependencies,
            flush: FlushBuffer::default(),
            policy: FlushPolicy::new(clock.clone(), flush),
            clock,
            driver,
            settle,
            errors: Errors::default(),
        }
    }

    /// Takes a relay batch in.
    pub(crate) fn take(&mut self, source: usize, batch: RelayBatch) -> Moved {
        let mut admitted = self.admission.admit(source, batch);
        let rows = admitted.records.num_rows();
        self.settle.pending.admit(rows, admitted.bytes);
        match self.plan.collect {
            Some(policy) => {
                admitted.keep(&self.admission);
                let (key, bytes) = (admitted.lane.clone(), admitted.bytes);
                let due = || self.clock.deadline_after(policy.each);
                let released = self.collected.push(key, (admitted, bytes), due, policy.max_bytes);
                released
                    .into_iter()
                    .flatten()
                    .for_each(|admitted| self.execute(admitted));
            }
            None => self.execute(admitted),
        }
        Moved {
            received: rows as u64,
            ..Moved::default()
        }
    }

    /// Moves everything that can move now. True when there is more to move and the task should come back at once.
    pub(crate) fn advance(&mut self) -> (bool, Moved) {
        let now = self.clock.deadline_after(std::time::Duration::ZERO);
        self.execute_collected(|due| due <= now);
        self.execute_woken();
        if self.has_room_to_build() {
            self.build();
        }
        let policy = &self.policy;
        if let Some(released) = self.flush.take_due(|due| policy.passed(due)) {
            self.driver.release(released);
        }
        self.errors.release_due(&self.admission, &self.policy);
        self.relieve();
        let (more, moved) = self.publish();
        if let Some(route) = self.plan.policy.error_route() {
            self.errors.begin_publish(route.relay());
        }
        (more, moved)
    }

    /// A full read-ahead is let go of before its time when nothing of it is with the driver: waiting for that time would
    /// stall the emitter instead. First what is buffered, and the oldest of the rest when nothing is: until there is room,
    /// the driver has something, or there is no more.
    fn relieve(&mut self) {
        let mut is_more = true;
        while is_more && !self.admission.has_room() && self.driver.is_empty() {
            is_more = !self.flush.is_empty() || self.execute_oldest();
            self.force_flush();
        }
    }

    /// Goes on with the oldest of what waits only for room or its time: of collections with half of the read-ahead at once, since
    /// one at a time would leave a destination that takes many with one. False when nothing waits so.
    fn execute_oldest(&mut self) -> bool {
        if !self.unbuilt.is_empty() {
            self.build();
            return true;
        }
        let mut executed = 0;
        while executed < self.admission.load_limit() / 2
            && let Some((_, batches)) = self.collected.take_due(|_| true)
        {
            for admitted in batches {
                executed += admitted.load.bytes();
                self.execute(admitted);
            }
        }
        executed > 0
    }

    /// Whether anything waits for FLUSH or COLLECT FOR.
    fn gathers(&self) -> bool {
        !(self.flush.is_empty() && self.collected.is_empty())
    }

    /// What is read ahead, if a part of it waits for nothing but a boundary; else 0. What a destination is busy with keeps
    /// the rest waiting, whatever its boundary.
    pub(crate) fn deferred_bytes(&self) -> u64 {
        let gathers = self.driver.is_empty() && self.gathers();
        let defers = gathers || self.driver.defers() || self.errors.defers();
        if defers { self.admission.load_bytes() } else { 0 }
    }

    /// Flushes what is pending, and sends again what waits: an ALTER of FLUSH, or the begin of a drain.
    pub(crate) fn kick(&mut self) {
        self.force_flush();
        self.driver.hurry();
    }

    fn force_flush(&mut self) {
        let released = self.flush.take();
        self.driver.release(released);
        self.errors.release_all(&self.admission);
    }

    /// Executes what is collected, flushes everything, and waits for no commit to be due.
    pub(crate) fn force_all(&mut self) {
        self.execute_collected(|_| true);
        self.force_flush();
        self.driver.complete();
    }

    /// Installs another FLUSH policy; what is pending stays, and leaves by a kick.
    pub(crate) fn install_flush(&mut self, flush: Flush) {
        self.policy.install(flush);
        self.kick();
    }

    /// When something is due next.
    pub(crate) fn alarm(&mut self) -> Alarm {
        let mut alarm = Alarm::default();
        alarm.domain(self.collected.next_due());
        alarm.domain(self.driver.commit_due());
        alarm.due(self.flush.due());
        alarm.due(self.errors.due());
        alarm.physical(self.driver.next_due());
        alarm.physical(self.driver.trouble().changes_due());
        alarm.physical(self.settle.rejections_due());
        alarm
    }

    /// Gives everything back unresolved; consumers are told why.
    pub(crate) fn close(self, reason: RevokeReason) -> Option<Leftover> {
        self.driver.close(reason)
    }

    /// Whether nothing is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.collected.is_empty()
            && self.dependencies.is_empty()
            && self.unbuilt.is_empty()
            && self.flush.is_empty()
            && self.driver.is_empty()
            && self.errors.is_empty()
    }

    /// Executes what is collected and `passed`, oldest first.
    fn execute_collected(&mut self, passed: impl Fn(DomainDeadline) -> bool) {
        while let Some((_, batches)) = self.collected.take_due(&passed) {
            batches.into_iter().for_each(|admitted| self.execute(admitted));
        }
    }

    /// Binds a batch to its states, or has it wait or skips it.
    fn execute(&mut self, mut admitted: Admitted) {
        if let Some(release) = self.dependencies.decide(&admitted.lane) {
            return self.go_on(admitted, release);
        }
        let source = self.plan.sources.get(admitted.lane.source);
        let filter = source.and_then(|source| source.filter.as_ref());
        if filter.is_some_and(|predicate| drops_all(&admitted, predicate)) {
            return self.settle.filtered(admitted.share);
        }
        admitted.keep(&self.admission);
        self.dependencies.park(admitted);
    }

    /// Goes on with the batches whose state has come.
    fn execute_woken(&mut self) {
        let mut lanes = self.dependencies.take_woken();
        while let Some(lane) = lanes.pop() {
            while let Some((admitted, release)) = self.dependencies.release(lane) {
                self.go_on(admitted, release);
            }
            // A state may have come while its lane began to wait again.
            lanes.extend(self.dependencies.take_woken());
        }
    }

    fn go_on(&mut self, admitted: Admitted, release: Release) {
        match release {
            Release::Run(bound) => self.execute_bound(admitted, bound),
            Release::Skip => self.settle.skipped(admitted.share),
        }
    }

    fn execute_bound(&mut self, mut admitted: Admitted, bound: Bound) {
        admitted.bound = bound;
        let rows = admitted.records.num_rows();
        match self.filter(admitted) {
            Ok(Some(kept)) => {
                let others_wait = !self.unbuilt.is_empty();
                self.unbuilt.push_back(kept);
                if !others_wait {
                    self.build();
                }
            }
            Ok(None) => {}
            Err(error) => self.lose(rows, &error),
        }
    }

    /// Applies source WHERE; gives what is left.
    fn filter(&mut self, admitted: Admitted) -> Result<Option<Admitted>, ArrowError> {
        let plan = self.plan.clone();
        let source = plan.sources.get(admitted.lane.source);
        let kept = match source.and_then(|source| source.filter.as_ref()) {
            None => Some(admitted),
            Some(predicate) => {
                let filtered = filter_source(admitted, predicate, &plan.policy, &self.admission)?;
                self.settle.filtered(filtered.dropped);
                let failed = filtered.failed.map(|failed| self.settle.failed(failed));
                self.push_errors(failed.unwrap_or_default());
                filtered.kept
            }
        };
        Ok(kept.filter(|kept| kept.records.num_rows() > 0))
    }

    /// Constructs what waits for it, in order; the first at once, the others while there is room.
    fn build(&mut self) {
        let plan = self.plan.clone();
        while let Some(next) = self.unbuilt.pop_front() {
            let rows = next.records.num_rows();
            match construct(next, &plan, &self.admission) {
                Ok(Construction::Halved(front, rest)) => {
                    self.unbuilt.push_front(rest);
                    self.unbuilt.push_front(front);
                    continue;
                }
                Ok(Construction::Built(built)) => self.take_built(built),
                Err(error) => self.lose(rows, &error),
            }
            if !self.has_room_to_build() {
                return;
            }
        }
    }

    /// Whether what is built already leaves room below the read-ahead bound.
    fn has_room_to_build(&self) -> bool {
        let waiting = self.unbuilt.iter().map(|admitted| admitted.load.bytes());
        self.admission.has_room_without(waiting.sum())
    }

    fn take_built(&mut self, built: Built) {
        self.settle.filtered(built.dropped);
        for failed in built.failed {
            let batches = self.settle.failed(failed);
            self.push_errors(batches);
        }
        if let Some(mut carrier) = built.carrier {
            carrier.keep(&self.admission);
            let bytes = carrier.bytes;
            let released = self
                .flush
                .push(carrier, bytes, self.policy.due(), self.policy.bytes_max());
            self.driver.release(released.unwrap_or_default());
        }
    }

    /// A defect of this engine, not of the records, dropped their shares: their writer is told so and may send them again.
    fn lose(&mut self, rows: usize, error: &ArrowError) {
        let Plan { domain, emitter, .. } = &*self.plan;
        let what = arrow_kind(error);
        tracing::error!(%domain, %emitter, rows, what, "a batch could not be executed");
        self.settle.lost(rows);
    }

    /// Gives the driver its turn, and settles what it found out.
    fn publish(&mut self) -> (bool, Moved) {
        let now = self.clock.physical().now();
        let mut turn = Turn::new(&self.admission, now);
        let more = self.driver.advance(&mut turn);
        let Turn {
            verdicts, retried, ..
        } = turn;
        for _ in 0..retried {
            self.counters.retried();
        }
        let mut moved = Moved::default();
        for verdict in verdicts {
            match verdict {
                Verdict::Delivered(members, note) => {
                    let (sent, sent_bytes) = self.settle.delivered(members, note.as_ref(), now);
                    moved.sent += sent;
                    moved.sent_bytes += sent_bytes;
                }
                Verdict::Rejected {
                    members,
                    site,
                    message,
                } => {
                    let batches = self.settle.rejected(members, &site, &message);
                    self.push_errors(batches);
                }
            }
        }
        (more, moved)
    }

    fn push_errors(&mut self, batches: Vec<ErrorBatch>) {
        for batch in batches {
            self.errors.push(batch, &self.admission, &self.policy);
        }
    }
}
