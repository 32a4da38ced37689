//! The sentences.

use std::collections::BTreeSet;
use std::time::Duration;

use nervix_emitter::{DrainError, EmitterHandle, READ_AHEAD_BYTES};
use nervix_sink::{Failure, FailureKind, Outcome, RevokeReason};
use nervix_sink_testkit::{Deed, TriedMode};
use nspl_model::{Confirmation, DataType, EmitterDef};

use super::destination::{Attempt, Destination};
use crate::logs::Log;
use crate::model::{ACK_TIMEOUT, BACKOFF, failure_schema, input, positive, relay_def, send_to};
use crate::stage::{Stage, Written, stage};

/// A value of a record that may be seen at the destination alone. It is a target of requests, too.
const VALUE: &str = "/planted-value-of-a-record";

/// A destination behind an emitter, and what runs beside it.
struct Trial<D> {
    stage: Stage,
    beside: Vec<EmitterHandle>,
    of: std::marker::PhantomData<D>,
}

fn away() -> Failure {
    Failure::new(FailureKind::Unavailable, "the destination is away")
}

impl<D: Destination> Trial<D> {
    fn begin(mode: &str) -> Self {
        Self::begin_with(mode, |_| {})
    }

    fn begin_with(mode: &str, change: impl FnOnce(&mut EmitterDef)) -> Self {
        let stage = stage(|def| {
            D::define(def);
            def.mode = TriedMode::named(D::KIND, mode).clause(ACK_TIMEOUT, def.mode.retry);
            change(def);
        });
        Self {
            beside: D::beside(&stage),
            stage,
            of: std::marker::PhantomData,
        }
    }

    /// Writes records as one batch and lets every boundary pass.
    async fn write(&self, ids: &[i64]) -> Written {
        let written = self.stage.write_to(0, ids, VALUE).await;
        D::pass(&self.stage).await;
        written
    }

    /// Waits out retries until every one of these is done.
    async fn until_done(&self, written: Vec<(Written, usize)>) {
        for (written, rows) in written {
            let mut verdict = None;
            for _ in 0..100 {
                verdict = written.verdict();
                if verdict.is_some() {
                    break;
                }
                self.stage.clock.advance(Duration::from_secs(1)).await;
                D::pass(&self.stage).await;
            }
            assert_eq!(verdict.expect("it is answered").done as usize, rows);
        }
    }

    fn attempts(&self) -> Vec<Attempt> {
        D::attempts(&self.stage)
    }

    /// The ids that the destination has, in order, duplicates included.
    fn taken(&self) -> Vec<i64> {
        let taken = self.attempts().into_iter().filter(|attempt| attempt.is_taken);
        taken.flat_map(|attempt| attempt.ids).collect()
    }

    fn is_in_trouble(&self) -> bool {
        self.stage.handle.status().transient_error.is_some()
    }

    /// Nothing is held, here or beside.
    fn holds_nothing(&self) {
        for handle in self.beside.iter().chain([&self.stage.handle]) {
            let pending = handle.status().pending;
            assert_eq!(
                (pending.messages, pending.retained_batches, pending.lanes),
                (0, 0, 0)
            );
        }
        assert_eq!(self.stage.budget.used(), 0);
    }
}

/// A writer is answered when the destination has confirmed, and not before.
pub(super) async fn confirmed_is_acknowledged<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::next(&trial.stage, vec![Deed::Hold]);
    let written = trial.write(&[1]).await;
    assert_eq!(trial.attempts().len(), 1);
    assert!(written.verdict().is_none(), "it is not confirmed");
    assert!(D::answer(&trial.stage, Outcome::DELIVERED));
    trial.stage.clock.settle().await;
    assert!(written.is_done());
    assert_eq!(trial.stage.handle.status().counters.sent.messages, 1);
    trial.holds_nothing();
}

/// The order of one source and branch is the destination's.
pub(super) async fn order_is_kept_over_flushes<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    let ids: Vec<i64> = (0..60).collect();
    for chunk in ids.chunks(7) {
        let written = trial.write(chunk).await;
        trial.until_done(vec![(written, chunk.len())]).await;
    }
    assert_eq!(trial.taken(), ids);
    trial.holds_nothing();
}

/// No record, no write.
pub(super) async fn nothing_is_written_for_nothing<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin_with(mode, |def| def.sources[0].filter = Some(positive()));
    let nothing = trial.write(&[0, -7]).await;
    assert_eq!(nothing.verdict().expect("answered").done, 2);
    let written = trial.write(&[1]).await;
    trial.until_done(vec![(written, 1)]).await;
    assert_eq!(trial.attempts().len(), 1);
    assert_eq!(trial.taken(), [1]);
}

/// The emitter starts without its destination, says so, and delivers when it comes.
pub(super) async fn absent_at_start<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::refuse_to_open(&trial.stage, vec![away(); 3 * (1 + trial.beside.len())]);
    let written = trial.write(&[1, 2]).await;
    assert!(written.verdict().is_none());
    assert!(trial.taken().is_empty());
    trial.until_done(vec![(written, 2)]).await;
    assert_eq!(trial.taken(), [1, 2]);
    assert!(!trial.is_in_trouble());
    trial.holds_nothing();
}

/// What waits during an outage arrives in its order afterwards, and nothing is acknowledged before.
pub(super) async fn order_is_kept_over_an_outage<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::next(&trial.stage, vec![Deed::Fail(away()); 5]);
    let mut written = Vec::new();
    for id in 0..12 {
        let write = trial.stage.write_to(0, &[id], VALUE).await;
        trial.stage.flow().await;
        written.push((write, 1));
    }
    assert!(trial.taken().is_empty());
    D::pass(&trial.stage).await;
    trial.until_done(written).await;
    assert_eq!(trial.taken(), (0..12).collect::<Vec<_>>());
    assert!(!trial.is_in_trouble());
    trial.holds_nothing();
}

/// An answer that is lost leaves the records unacknowledged, and what is sent again is the same, byte for byte.
pub(super) async fn ambiguous_is_sent_again_with_the_same_bytes<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::next(&trial.stage, vec![Deed::TakeInSilence(away())]);
    let written = trial.write(&[1, 2]).await;
    assert!(trial.is_in_trouble());
    assert!(written.verdict().is_none());
    trial.until_done(vec![(written, 2)]).await;
    let attempts = trial.attempts();
    let again = attempts[1..]
        .iter()
        .find(|attempt| attempt.ids == attempts[0].ids);
    assert_eq!(again.expect("it is sent again").bytes, attempts[0].bytes);
    let distinct: BTreeSet<&[i64]> = attempts.iter().map(|attempt| &*attempt.ids).collect();
    assert_eq!(distinct.iter().map(|ids| ids.len()).sum::<usize>(), 2);
    trial.holds_nothing();
}

/// A destination that goes silent: the bound passes, nothing is acknowledged, and the work goes on when it speaks again. The
/// bound is ACK TIMEOUT, or else the destination's own client tells that its request timed out.
pub(super) async fn silent_until_the_timeout<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    let is_bounded = matches!(
        trial.stage.def.mode.confirmation,
        Confirmation::Acked { timeout: Some(_), .. }
    );
    let timed_out = Failure::new(FailureKind::TimedOut, "no answer came in time");
    let deed = if is_bounded {
        Deed::Hold
    } else {
        Deed::Fail(timed_out)
    };
    D::next(&trial.stage, vec![deed]);
    let written = trial.write(&[1]).await;
    if is_bounded {
        assert!(!trial.is_in_trouble());
        trial.stage.clock.advance(ACK_TIMEOUT).await;
    }
    assert!(trial.is_in_trouble());
    assert!(written.verdict().is_none(), "a bound that passed is no answer");
    trial.until_done(vec![(written, 1)]).await;
    assert_eq!(trial.taken(), [1]);
    trial.holds_nothing();
}

/// A destination that goes and comes back in the middle: what was acknowledged stays, and what waits follows in its order.
pub(super) async fn restarted_in_the_middle<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    let first = trial.write(&[1, 2]).await;
    trial.until_done(vec![(first, 2)]).await;
    D::next(&trial.stage, vec![Deed::Fail(away()); 2]);
    D::refuse_to_open(&trial.stage, vec![away(); 2]);
    let second = trial.write(&[3, 4]).await;
    assert!(trial.is_in_trouble());
    assert!(second.verdict().is_none());
    trial.until_done(vec![(second, 2)]).await;
    assert_eq!(trial.taken(), [1, 2, 3, 4]);
    assert!(!trial.is_in_trouble());
    trial.holds_nothing();
}

/// A record that is above the destination's limit is never sent and follows ON MESSAGE ERROR alone.
pub(super) async fn oversize_is_rejected_alone<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    let oversize = D::limit(&trial.stage);
    let written = trial.write(&[1, oversize, 3]).await;
    trial.until_done(vec![(written, 3)]).await;
    assert_eq!(trial.taken(), [1, 3]);
    let counters = trial.stage.handle.status().counters;
    assert_eq!((counters.sent.messages, counters.rejected_messages()), (2, 1));
    trial.holds_nothing();
}

/// A record that the destination refuses follows ON MESSAGE ERROR alone; its neighbours arrive, once and in order.
pub(super) async fn refused_is_rejected_alone<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::refuse(&trial.stage, 2);
    let written = trial.write(&[1, 2, 3]).await;
    trial.until_done(vec![(written, 3)]).await;
    let taken: Vec<i64> = trial.taken().into_iter().filter(|id| *id != 2).collect();
    assert_eq!(taken, [1, 3]);
    let counters = trial.stage.handle.status().counters;
    assert_eq!((counters.sent.messages, counters.rejected_messages()), (2, 1));
    trial.holds_nothing();
}

/// A value of a record is in no status, no event and no line of the log: not in an outage, not after a rejection.
pub(super) async fn nothing_is_leaked<D: Destination>(mode: &str) {
    let log = Log::begin();
    let trial = Trial::<D>::begin_with(mode, |def| def.on_message_error = nspl_model::MessagePolicy::Log);
    D::next(&trial.stage, vec![Deed::Fail(away())]);
    let written = trial.write(&[1]).await;
    let troubled = format!("{:?}", trial.stage.handle.status());
    trial.until_done(vec![(written, 1)]).await;
    D::refuse(&trial.stage, 1);
    let written = trial.write(&[1]).await;
    trial.until_done(vec![(written, 1)]).await;
    assert_eq!(trial.stage.handle.status().counters.rejected_messages(), 1);
    let status = format!("{:?}", trial.stage.handle.status());
    let text = log.text();
    assert!(text.contains("the destination is away"), "{text}");
    for text in [troubled, status, text] {
        assert!(!text.contains(VALUE), "{text}");
    }
}

/// A drain ends by its bound when the destination does not answer, and the emitter goes on as it was.
pub(super) async fn a_drain_is_bounded_and_changes_nothing_when_it_fails<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::next(&trial.stage, vec![Deed::Hold]);
    let written = trial.write(&[1]).await;
    let handle = trial.stage.handle.clone();
    let second = Duration::from_secs(1);
    let deadline = trial.stage.clock.physical().now().after(second);
    let drain = tokio::spawn(async move { handle.drain(deadline).await });
    trial.stage.clock.settle().await;
    trial.stage.clock.advance(second).await;
    let drained = drain.await.expect("no panic");
    assert!(
        matches!(drained, Err(DrainError::TimedOut { messages: 1, .. })),
        "{drained:?}"
    );
    assert!(written.verdict().is_none());
    assert!(D::answer(&trial.stage, Outcome::DELIVERED));
    trial.stage.clock.settle().await;
    assert!(written.is_done());
    let next = trial.write(&[2]).await;
    trial.until_done(vec![(next, 1)]).await;
    trial.holds_nothing();
}

/// STOP gives what is out back unresolved.
pub(super) async fn stopping_gives_back_unresolved<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin(mode);
    D::next(&trial.stage, vec![Deed::Hold]);
    let written = trial.write(&[1]).await;
    trial.stage.handle.stop(RevokeReason::Changed).await;
    trial.stage.clock.settle().await;
    let verdict = written.verdict().expect("answered");
    assert_eq!((verdict.done, verdict.unresolved), (0, 1));
    trial.holds_nothing();
}

/// While nothing is taken, the emitter reads as far ahead as it may and no further, whatever is written.
pub(super) async fn memory_is_flat_while_the_destination_is_away<D: Destination>(mode: &str) {
    let trial = Trial::<D>::begin_with(mode, |def| {
        let failures = relay_def("failures", failure_schema(), None, 64);
        def.on_message_error = send_to(failures, input("id", 0, DataType::I64));
    });
    // More than a window of many could be tried meanwhile.
    D::next(&trial.stage, vec![Deed::Fail(away()); 200_000]);
    let ids: Vec<i64> = (0..150).collect();
    let name = format!("/{}", "x".repeat(7_000));
    for _ in 0..40 {
        // The relay takes as many as it has room for; what does not fit is the writer's to wait with.
        let (batch, _written) = trial.stage.batch(0, &ids, &name).await;
        let published = trial.stage.sources[0].publish(batch);
        if futures::FutureExt::now_or_never(published).is_none() {
            break;
        }
        trial.stage.flow().await;
        trial.stage.clock.advance(BACKOFF).await;
        let buffered = trial.stage.handle.status().pending.buffered_bytes;
        let one_more = 2 * 1024 * 1024;
        assert!(buffered <= READ_AHEAD_BYTES + one_more, "{buffered}");
    }
    assert!(trial.taken().is_empty());
}
