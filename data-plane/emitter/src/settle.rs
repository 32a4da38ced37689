//! Settlement: the only stage that touches acknowledgements.
//!
//! Invariants: every member is settled exactly once: done when delivered, filtered, skipped, or dealt with by its message error
//! policy; taken over by its error record under SEND TO; refused when its error record cannot be built (companion
//! section 6). Whatever is dropped without coming here resolves as unresolved.

use std::sync::Arc;

use nervix_ack::{Fate, Reason, Share};
use nervix_clock::{Allowance, DomainClock, PhysicalInstant, Snapshot};
use nervix_columns::arrow_kind;
use nervix_expr::{Failure, FailureSite, error_reference};
use nervix_sink::Note;
use nspl_model::MessagePolicy;

use crate::carrier::Members;
use crate::counters::EmitterCounters;
use crate::error_route::{ErrorRoute, FailedRows};
use crate::errors::ErrorBatch;
use crate::event::{EmitterEvent, EmitterEventKind, EmitterEvents};
use crate::failed::Failed;
use crate::lane::LaneKey;
use crate::pending::Pending;
use crate::plan::{Plan, Policy};
use crate::rejections::Rejections;

/// Settles members.
pub(crate) struct Settle {
    plan: Arc<Plan>,
    clock: DomainClock,
    counters: Arc<EmitterCounters>,
    events: Arc<dyn EmitterEvents>,
    rejections: Rejections,
    /// Lines about records that were rejected, or whose error record could not be built.
    lines: Allowance,
    /// Lines about what destinations remark.
    remarks: Allowance,
    pub(crate) pending: Pending,
}

impl Settle {
    pub(crate) fn new(
        plan: Arc<Plan>,
        clock: DomainClock,
        counters: Arc<EmitterCounters>,
        events: Arc<dyn EmitterEvents>,
    ) -> Self {
        let pending = Pending::new(counters.clone());
        let allowance = || Allowance::new(MessagePolicy::LOG_LINES_MAX, MessagePolicy::LOG_PERIOD);
        Self {
            plan,
            clock,
            counters,
            events,
            rejections: Rejections::default(),
            lines: allowance(),
            remarks: allowance(),
            pending,
        }
    }

    /// Rows that a WHERE dropped.
    pub(crate) fn filtered(&mut self, share: Share) {
        self.counters.filtered(self.pending.settle(share.len()));
        share.settle(Fate::Done);
    }

    /// Rows that REQUIRED SKIP dropped, because a state was not there.
    pub(crate) fn skipped(&mut self, share: Share) {
        self.counters.skipped(self.pending.settle(share.len()));
        share.settle(Fate::Done);
    }

    /// Rows whose shares a stage dropped, which resolved them as unresolved.
    pub(crate) fn lost(&mut self, rows: usize) {
        self.counters.unresolved(self.pending.settle(rows));
    }

    /// Members of a payload that reached its completion point; gives how many they were.
    pub(crate) fn delivered(
        &mut self,
        members: Members,
        note: Option<&Note>,
        now: PhysicalInstant,
    ) -> (u64, u64) {
        let messages = self.pending.settle(members.rows());
        self.counters.sent(messages, members.bytes, now.since(members.at));
        if let Some(Note(note)) = note
            && let Some(passed_over) = self.remarks.take(now, messages)
        {
            let Plan { domain, emitter, .. } = &*self.plan;
            tracing::warn!(%domain, %emitter, messages, %note, passed_over, "the destination remarked about a payload that it took");
        }
        let bytes = members.bytes;
        members.share.settle(Fate::Done);
        (messages, bytes)
    }

    /// Members of a payload that was refused, or that could not be made: one reference for all of them.
    pub(crate) fn rejected(
        &mut self,
        members: Members,
        site: &Arc<FailureSite>,
        message: &str,
    ) -> Vec<ErrorBatch> {
        let Members {
            lane,
            mut share,
            spans,
            ..
        } = members;
        self.count(site, share.len(), message);
        let plan = self.plan.clone();
        let route = match &plan.policy {
            Policy::SendTo(route) => route,
            Policy::Log => {
                let reference = spans
                    .front()
                    .map(|span| error_reference(&span.snapshot))
                    .unwrap_or_default();
                self.log(site, share.len(), message, &reference);
                return settle_as_dealt_with(share);
            }
            Policy::Ignore => return settle_as_dealt_with(share),
        };
        let shared = spans
            .front()
            .map(|span| error_reference(&span.snapshot))
            .unwrap_or_default();
        let mut batches = Vec::new();
        for span in spans {
            let failures: Vec<Failure> = (0..span.rows)
                .map(|row| Failure::new(row as u32, site.clone(), message.to_owned()))
                .collect();
            let kept = span.records.as_ref().map(|records| route.keep_partial(records));
            // What cannot be projected reads as nulls; the records were built in this very schema, so it does not happen.
            let partial = kept.and_then(Result::ok).flatten();
            let snapshot = self.own_snapshot(&span.snapshot);
            let rows = FailedRows {
                input: span.input.as_ref(),
                partial: partial.as_ref(),
                failures: &failures,
                references: &vec![shared.clone(); span.rows],
                snapshot: &snapshot,
                bound: &span.bound,
            };
            let context = (lane.clone(), snapshot.clone());
            batches.extend(self.route(route, &rows, share.split_to(span.rows), context));
        }
        batches
    }

    /// Rows that failed before they were packed: one reference for each.
    pub(crate) fn failed(&mut self, failed: Failed) -> Vec<ErrorBatch> {
        let Failed {
            lane,
            share,
            snapshot,
            bound,
            input,
            partial,
            failures,
        } = failed;
        for group in by_cause(&failures) {
            self.count(&group.first.site, group.rows, &group.message);
            if matches!(self.plan.policy, Policy::Log) {
                self.log(
                    &group.first.site,
                    group.rows,
                    &group.message,
                    &error_reference(&snapshot),
                );
            }
        }
        let plan = self.plan.clone();
        let Policy::SendTo(route) = &plan.policy else {
            return settle_as_dealt_with(share);
        };
        let references: Vec<String> = failures.iter().map(|_| error_reference(&snapshot)).collect();
        let snapshot = self.own_snapshot(&snapshot);
        let rows = FailedRows {
            input: input.as_ref(),
            partial: partial.as_ref(),
            failures: &failures,
            references: &references,
            snapshot: &snapshot,
            bound: &bound,
        };
        self.route(route, &rows, share, (lane, snapshot.clone()))
            .into_iter()
            .collect()
    }

    /// Builds error records; those that cannot be built are logged and refused.
    fn route(
        &mut self,
        route: &ErrorRoute,
        rows: &FailedRows<'_>,
        share: Share,
        (lane, snapshot): (LaneKey, Arc<Snapshot>),
    ) -> Option<ErrorBatch> {
        let built = match route.build(rows) {
            Ok(built) => built,
            Err(error) => {
                self.unbuilt(share, route, arrow_kind(&error));
                return None;
            }
        };
        let share = match &built.kept {
            None => share,
            Some(kept) => {
                let (share, unbuilt) = share.filter_by(|row| kept.value(row));
                let why = built.failures.first().map(Failure::message).unwrap_or_default();
                self.unbuilt(unbuilt, route, &why);
                share
            }
        };
        if share.is_empty() {
            return None;
        }
        self.counters.error_records(share.len() as u64);
        let branch = route.relay().def().branch.as_ref().and(lane.branch);
        Some(ErrorBatch {
            branch,
            records: built.batch,
            share,
            snapshot,
        })
    }

    /// A snapshot for one evaluation of the error route: the domain time of the failed rows and a seed of its own, so
    /// that two evaluations never make the same uuid.
    fn own_snapshot(&self, of: &Snapshot) -> Arc<Snapshot> {
        let seed = self.clock.snapshot().seed;
        Arc::new(Snapshot {
            domain_time: of.domain_time,
            seed,
        })
    }

    fn unbuilt(&mut self, share: Share, route: &ErrorRoute, why: &str) {
        if share.is_empty() {
            return;
        }
        let Plan { domain, emitter, .. } = &*self.plan;
        let (rows, relay) = (share.len(), route.relay().name());
        if let Some(passed_over) = self.lines.take(self.clock.physical().now(), rows as u64) {
            tracing::error!(
                %domain, %emitter, relay, rows, why, passed_over,
                "error records could not be built; their writer is told REFUSED"
            );
        }
        let message = format!("the error record for relay {relay} could not be built: {why}");
        share.settle_with(Fate::Refused, Reason::new("evaluation", message));
    }

    /// Reports rejections, at most once in a while.
    pub(crate) fn tell_rejections(&mut self, now: PhysicalInstant) {
        if let Some(message) = self.rejections.take(now) {
            self.events.report(EmitterEvent {
                kind: EmitterEventKind::Rejected,
                message,
            });
        }
    }

    /// When rejections may be reported next, if there are any to report.
    pub(crate) fn rejections_due(&self) -> Option<PhysicalInstant> {
        self.rejections.due()
    }

    fn count(&mut self, site: &FailureSite, rows: usize, message: &str) {
        let rows = self.pending.settle(rows);
        self.counters.rejected(site.code, site.operation, rows);
        self.rejections.add(rows, site, message);
    }

    fn log(&mut self, site: &FailureSite, rows: usize, message: &str, reference: &str) {
        let Some(passed_over) = self.lines.take(self.clock.physical().now(), rows as u64) else {
            return;
        };
        let Plan { domain, emitter, .. } = &*self.plan;
        let (code, operation, fields) = (site.code, site.operation, site.fields.join(","));
        let index = site.operation_index;
        tracing::warn!(
            %domain, %emitter, %code, %operation, operation_index = index, fields, rows, reference, message, passed_over,
            "records rejected"
        );
    }
}

/// The policy is done with these rows (LOG, IGNORE): acknowledged upstream.
fn settle_as_dealt_with(share: Share) -> Vec<ErrorBatch> {
    share.settle(Fate::Done);
    Vec::new()
}

/// Rows that failed for one cause.
struct CauseGroup<'a> {
    first: &'a Failure,
    message: String,
    rows: usize,
}

/// Failures by site and message, in the order of their first rows.
fn by_cause(failures: &[Failure]) -> Vec<CauseGroup<'_>> {
    let mut groups: Vec<CauseGroup<'_>> = Vec::new();
    for failure in failures {
        let message = failure.message();
        let same = |group: &&mut CauseGroup<'_>| {
            Arc::ptr_eq(&group.first.site, &failure.site) && group.message == message
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.rows += 1,
            None => groups.push(CauseGroup {
                first: failure,
                message,
                rows: 1,
            }),
        }
    }
    groups
}
