//! ON MESSAGE ERROR of one route (companion.md section 6).
//!
//! Invariant: a row that its policy has dealt with is done: ignored, logged, or handed to an error record that takes
//! over its share. Error relays of an ingestor are unbranched. A row whose error record could not be built is logged and
//! refused. Lines of log are bounded, and none quotes a value.

use std::sync::Arc;

use arrow::{array::RecordBatch, datatypes::Schema, error::ArrowError};
use nervix_ack::{Fate, Reason, Share};
use nervix_budget::{Budget, Held};
use nervix_clock::{Allowance, DomainClock, PhysicalInstant, Snapshot};
use nervix_columns::{arrow_kind, held_bytes};
use nervix_expr::{CompileError, Constructor, Failure, Frame, error_records, error_reference};
use nervix_relay::Timestamps;
use nspl_model::{Assignment, Flush, MessagePolicy, Scope};

use crate::{
    ingestor::Relays,
    outgoing::{Outgoing, OutgoingError},
    piece::Piece,
    traffic::IngestorTraffic,
};

const UNBUILT: &str = "the error record of a record could not be built";

/// Rows that failed, row for row: what failed, what was read, what had been built, and who waits.
pub(crate) struct Failed {
    pub(crate) failures: Vec<Failure>,
    pub(crate) input: RecordBatch,
    /// Where the policy [reads it](ErrorPolicy::reads_partial).
    pub(crate) partial_output: Option<RecordBatch>,
    pub(crate) share: Share,
}

/// The policy of one route.
pub(crate) struct ErrorPolicy {
    title: Arc<str>,
    answer: Answer,
    clock: DomainClock,
    budget: Budget,
    traffic: Arc<IngestorTraffic>,
    lines: Allowance,
}

enum Answer {
    Ignore,
    Log,
    SendTo(Box<ErrorRecords>),
}

struct ErrorRecords {
    constructor: Constructor,
    reads_partial: bool,
    outgoing: Outgoing,
}

/// What every policy of an ingestor shares.
pub(crate) struct PolicyParts<'a> {
    pub(crate) title: &'a Arc<str>,
    pub(crate) clock: &'a DomainClock,
    pub(crate) budget: &'a Budget,
    pub(crate) traffic: &'a Arc<IngestorTraffic>,
    pub(crate) relays: &'a dyn Relays,
}

impl ErrorPolicy {
    /// # Errors
    /// When an expression of SET does not compile.
    pub(crate) fn compile(
        policy: &MessagePolicy,
        flush: Flush,
        parts: &PolicyParts<'_>,
    ) -> Result<Self, CompileError> {
        let answer = match policy {
            MessagePolicy::Ignore => Answer::Ignore,
            MessagePolicy::Log => Answer::Log,
            MessagePolicy::SendTo(route) => {
                let relay = parts.relays.relay(&route.relay);
                Answer::SendTo(Box::new(ErrorRecords {
                    constructor: Constructor::assignments(&route.set, &route.relay.schema)?
                        .without_partial_output(),
                    reads_partial: reads_partial(&route.set),
                    outgoing: Outgoing::new(relay, flush, parts.clock.clone(), parts.budget.clone()),
                }))
            }
        };
        Ok(Self {
            title: Arc::clone(parts.title),
            answer,
            clock: parts.clock.clone(),
            budget: parts.budget.clone(),
            traffic: Arc::clone(parts.traffic),
            lines: Allowance::new(MessagePolicy::LOG_LINES_MAX, MessagePolicy::LOG_PERIOD),
        })
    }

    /// Whether SET reads anything of `partial_output`.
    pub(crate) fn reads_partial(&self) -> bool {
        matches!(&self.answer, Answer::SendTo(records) if records.reads_partial)
    }

    /// Deals with rows that failed.
    pub(crate) async fn take(&mut self, failed: Failed, snapshot: &Snapshot) -> Result<(), OutgoingError> {
        self.count(&failed.failures);
        let mut log = Log {
            title: &self.title,
            lines: &mut self.lines,
            now: self.clock.physical().now(),
        };
        let reference = |_: &Failure| error_reference(snapshot);
        let references = || failed.failures.iter().map(reference).collect::<Vec<_>>();
        match &mut self.answer {
            Answer::Ignore => failed.share.settle(Fate::Done),
            Answer::Log => {
                log.write(
                    failed.failures.iter().zip(references()),
                    ("a record failed", None),
                );
                failed.share.settle(Fate::Done);
            }
            Answer::SendTo(records) => {
                let references = references();
                // A seed of its own: groups of failures of one batch must not share the values of volatile functions.
                let seed = self.clock.snapshot().seed;
                let snapshot = Snapshot { seed, ..*snapshot };
                let built = records.build(&failed, &references, &snapshot);
                let built = match built {
                    Ok(built) => built,
                    Err(error) => {
                        let named = failed.failures.iter().zip(references);
                        log.write(named, (UNBUILT, Some(arrow_kind(&error))));
                        refuse(failed.share);
                        return Ok(());
                    }
                };
                let share = settle_unbuilt(&mut log, &failed.failures, &references, (failed.share, &built));
                let times = Timestamps::uniform(built.batch.num_rows(), self.clock.now());
                let held = Arc::new(self.budget.charge(held_bytes(&built.batch)));
                let piece = Piece::new(built.batch, share, times, held);
                if piece.records.num_rows() > 0 {
                    records.outgoing.push(None, piece, &self.traffic.errors).await?;
                }
            }
        }
        Ok(())
    }

    /// Deals with rows that failed, of which nothing can be handed to the error route: refused, counted and logged.
    pub(crate) fn take_unbuildable(
        &mut self,
        (failures, share): (Vec<Failure>, Share),
        why: &str,
        snapshot: &Snapshot,
    ) {
        self.count(&failures);
        let named = failures
            .iter()
            .map(|failure| (failure, error_reference(snapshot)));
        let mut log = Log {
            title: &self.title,
            lines: &mut self.lines,
            now: self.clock.physical().now(),
        };
        log.write(named, (UNBUILT, Some(why)));
        refuse(share);
    }

    fn count(&self, failures: &[Failure]) {
        for failure in failures {
            self.traffic
                .count_rejected(failure.site.code, failure.site.operation);
        }
    }

    /// Holds bytes of the node's budget for what the route has copied.
    pub(crate) fn charge(&self, bytes: u64) -> Held {
        self.budget.charge(bytes)
    }

    /// The buffers of error records, where there are some.
    pub(crate) fn outgoing(&self) -> Option<&Outgoing> {
        match &self.answer {
            Answer::SendTo(records) => Some(&records.outgoing),
            Answer::Ignore | Answer::Log => None,
        }
    }

    /// The same, to flush them.
    pub(crate) fn outgoing_mut(&mut self) -> Option<&mut Outgoing> {
        match &mut self.answer {
            Answer::SendTo(records) => Some(&mut records.outgoing),
            Answer::Ignore | Answer::Log => None,
        }
    }
}

impl ErrorRecords {
    fn build(
        &self,
        failed: &Failed,
        references: &[String],
        snapshot: &Snapshot,
    ) -> Result<nervix_expr::Constructed, ArrowError> {
        let pairs = failed.failures.iter().zip(references.iter().map(String::as_str));
        let errors = error_records(pairs, snapshot)?;
        let unread = RecordBatch::new_empty(Arc::new(Schema::empty()));
        let partial = failed.partial_output.as_ref().unwrap_or(&unread);
        let frame = Frame::of_input(&failed.input, snapshot).with_error(&errors, partial);
        self.constructor.construct(&frame)
    }
}

fn reads_partial(set: &[Assignment]) -> bool {
    let mut fields = set.iter().flat_map(|assignment| assignment.expr.fields());
    fields.any(|field| field.scope == Scope::PartialOutput)
}

/// Refuses the rows whose error record could not be built, and gives the share of the others.
fn settle_unbuilt(
    log: &mut Log<'_>,
    failures: &[Failure],
    references: &[String],
    (share, built): (Share, &nervix_expr::Constructed),
) -> Share {
    if built.failures.is_empty() {
        return share;
    }
    let unbuilt = built.failed();
    let (lost, kept) = share.filter_by(|row| unbuilt.value(row));
    let named = failures.iter().zip(references.iter().cloned()).enumerate();
    let named = named.filter(|(row, _)| unbuilt.value(*row)).map(|(_, pair)| pair);
    log.write(named, (UNBUILT, None));
    refuse(lost);
    kept
}

fn refuse(share: Share) {
    let why = Reason::new(
        "evaluation",
        "the record failed, and its error record could not be built",
    );
    share.settle_with(Fate::Refused, why);
}

/// Lines about failed rows.
struct Log<'a> {
    title: &'a str,
    lines: &'a mut Allowance,
    now: PhysicalInstant,
}

impl Log<'_> {
    /// A line a row, as long as there are lines: what became of it, and why, where its own error does not say so.
    fn write<'f>(
        &mut self,
        failures: impl Iterator<Item = (&'f Failure, String)>,
        (what, why): (&str, Option<&str>),
    ) {
        for (failure, reference) in failures {
            let Some(passed_over) = self.lines.take(self.now, 1) else {
                continue;
            };
            let site = &failure.site;
            tracing::warn!(
                entity = %self.title,
                reference,
                code = %site.code,
                operation = %site.operation,
                operation_index = site.operation_index,
                fields = %site.fields.join(","),
                error = %failure.message(),
                why,
                passed_over,
                "{what}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    use nervix_ack::{Verdict, root};
    use nervix_budget::Budget;
    use nervix_clock::ManualClock;
    use nervix_expr::{Failure, FailureSite};
    use nervix_relay::{Branches, Relay};
    use nspl_model::record_error::{ErrorCode, Operation};
    use nspl_model::{BranchDef, Flush, MessagePolicy, RelayDef};
    use tracing::{Event, Metadata, Subscriber, span, subscriber::with_default};

    use super::{ErrorPolicy, PolicyParts};
    use crate::{ingestor::Relays, traffic::IngestorTraffic};

    /// Counts the lines of the log.
    struct Lines(Arc<AtomicU64>);

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, _: &Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    #[derive(Debug)]
    struct NoRelays;

    impl Relays for NoRelays {
        fn relay(&self, def: &Arc<RelayDef>) -> Arc<Relay> {
            panic!("there is no {}", def.name)
        }

        fn branches(&self, def: &Arc<BranchDef>) -> Branches {
            panic!("there is no {}", def.name)
        }
    }

    #[test]
    fn batches_whose_error_records_cannot_be_built_write_a_bounded_number_of_lines() {
        let clock = ManualClock::new().domain();
        let parts = PolicyParts {
            title: &"i".into(),
            clock: &clock,
            budget: &Budget::new(1 << 20),
            traffic: &Arc::new(IngestorTraffic::default()),
            relays: &NoRelays,
        };
        let mut policy = ErrorPolicy::compile(&MessagePolicy::Log, Flush::Immediate, &parts).unwrap();
        let site = Arc::new(FailureSite {
            code: ErrorCode::Evaluation,
            operation: Operation::Construct,
            operation_index: Some(0),
            fields: Vec::new(),
        });
        let lines = Arc::<AtomicU64>::default();
        with_default(Lines(Arc::clone(&lines)), || {
            for _ in 0..10 * MessagePolicy::LOG_LINES_MAX {
                let failure = Failure::new(0, Arc::clone(&site), "it failed");
                let share = root(1, |verdict: Verdict| assert_eq!(verdict.refused, 1));
                policy.take_unbuildable((vec![failure], share), "it is too large", &clock.snapshot());
            }
        });
        assert_eq!(
            lines.load(Ordering::Relaxed),
            u64::from(MessagePolicy::LOG_LINES_MAX)
        );
    }
}
