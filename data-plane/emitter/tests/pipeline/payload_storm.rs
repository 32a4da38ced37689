//! A storm over the driver of payload sinks. Each lane is first sent in order and sent again in order before anything newer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nervix_sink::{Failure, FailureKind, LaneId, Outcome, PayloadId, Rejection};
use nervix_sink_testkit::{Deed, Received};
use nspl_model::{BatchLimits, Confirmation, ModeForm, Window};
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;

use crate::dice::Dice;
use crate::model::{ACK_TIMEOUT, mode};
use crate::outside::{UNWRITABLE, ids_of, to_kafka};
use crate::stage::{Stage, branched_stage};
use crate::weather::{Weather, rage};

/// The most bytes of a payload where there is BATCH.
const BYTES_MAX: u64 = 24;

struct AtBroker {
    stage: Stage,
    window: usize,
    batched: bool,
    checked: usize,
    payloads: BTreeMap<PayloadId, Received>,
    /// By lane: the newest that was sent.
    newest: BTreeMap<LaneId, u64>,
}

impl AtBroker {
    fn new(dice: &mut Dice, seed: u64) -> Self {
        let window = 1 + u32::try_from(dice.roll(4)).unwrap();
        let batched = dice.roll(2) == 0;
        let confirmed = dice.roll(3) > 0;
        let messages = 1 + u32::try_from(dice.roll(6)).unwrap();
        let stage = branched_stage(|def| {
            to_kafka(def);
            def.mode = mode(Window::Parallel(window));
            if !confirmed {
                def.mode.form = ModeForm::NoAck;
                def.mode.confirmation = Confirmation::None;
            }
            def.batch = batched.then_some(BatchLimits {
                max_messages: messages,
                max_bytes: BYTES_MAX,
            });
        });
        if dice.roll(3) == 0 {
            let takes = 1 + usize::try_from(dice.roll(2)).unwrap();
            stage.broker.take_at_most(Some(takes));
        }
        let mut own = Dice::new(seed.rotate_left(17));
        stage.broker.on_receipt(move |_| deed(&mut own, confirmed));
        Self {
            stage,
            window: if confirmed { window as usize } else { usize::MAX },
            batched,
            checked: 0,
            payloads: BTreeMap::new(),
            newest: BTreeMap::new(),
        }
    }

    fn attempt(&mut self, attempt: &Received) {
        if self.batched {
            assert!(
                attempt.bytes.len() as u64 <= BYTES_MAX,
                "no payload is above the limit"
            );
        } else {
            assert_eq!(attempt.rows, 1);
        }
        assert_eq!(ids_of(&attempt.bytes).len(), attempt.rows as usize);
        let newest = self.newest.entry(attempt.lane).or_default();
        match self.payloads.get(&attempt.id) {
            Some(known) => {
                assert_eq!(
                    (&known.bytes, known.rows),
                    (&attempt.bytes, attempt.rows),
                    "byte for byte"
                );
                assert_eq!((known.lane, known.sequence), (attempt.lane, attempt.sequence));
            }
            None => {
                let ids = ids_of(&attempt.bytes);
                assert!(ids.is_sorted(), "{ids:?}");
                assert!(
                    attempt.attempt == 1 && attempt.sequence >= *newest,
                    "first sent in order"
                );
                *newest = attempt.sequence;
                self.payloads.insert(attempt.id, attempt.clone());
            }
        }
    }

    /// A write that sends again has everything of its lanes that failed before, in order; what is new is in no such write.
    fn order(&self) {
        let received = self.stage.broker.received();
        let mut failed: BTreeMap<LaneId, BTreeSet<u64>> = BTreeMap::new();
        let mut at = 0;
        for size in self.stage.broker.writes() {
            let write = &received[at..at + size];
            at += size;
            assert!(write.is_sorted_by_key(|attempt| attempt.sequence), "{write:?}");
            let again = write.iter().filter(|attempt| attempt.attempt > 1).count();
            assert!(again == 0 || again == size, "{write:?}");
            for attempt in write {
                let failed = failed.entry(attempt.lane).or_default();
                failed.remove(&attempt.sequence);
                let older = failed.range(..attempt.sequence).next();
                assert!(
                    again == 0 || older.is_none(),
                    "{older:?} was not sent again before {attempt:?}"
                );
            }
            for attempt in write {
                if matches!(attempt.deed, Deed::Fail(_) | Deed::TakeInSilence(_)) {
                    failed.entry(attempt.lane).or_default().insert(attempt.sequence);
                }
            }
            let waiting: usize = failed.values().map(BTreeSet::len).sum();
            assert!(waiting <= self.window, "no more waits than the window has");
        }
    }
}

impl Weather for AtBroker {
    fn stage(&self) -> &Stage {
        &self.stage
    }

    fn spoil(&self, dice: &mut Dice, ids: &mut [i64]) {
        if dice.roll(4) == 0 {
            ids[dice.roll(ids.len() as u64) as usize] = UNWRITABLE;
        }
    }

    fn answer(&self, dice: &mut Dice) {
        for id in self.stage.broker.held() {
            let outcome = match dice.roll(6) {
                0 => Outcome::Unresolved(failure()),
                1 => Outcome::Rejected(Rejection::new("no")),
                2 => continue,
                _ => Outcome::DELIVERED,
            };
            self.stage.broker.answer(id, outcome);
        }
    }

    fn long_wait(&self, dice: &mut Dice) -> Option<Duration> {
        (dice.roll(20) == 0).then_some(ACK_TIMEOUT)
    }

    fn check(&mut self) {
        let received = self.stage.broker.received();
        for attempt in &received[self.checked..] {
            self.attempt(attempt);
        }
        self.checked = received.len();
        let kept = self.stage.handle.status().pending.retained_batches as usize;
        assert!(
            kept <= self.window.saturating_mul(2),
            "the window, and as many ahead of it: {kept}"
        );
    }

    fn clear(&self) {
        self.stage.broker.on_receipt(|_| Deed::Take);
    }

    fn release(&self) {
        for id in self.stage.broker.held() {
            self.stage.broker.answer(id, Outcome::DELIVERED);
        }
    }

    fn close(&self, _next: i64) {
        self.order();
    }
}

fn failure() -> Failure {
    Failure::new(FailureKind::Unavailable, "the broker is away")
}

fn deed(dice: &mut Dice, confirmed: bool) -> Deed {
    match dice.roll(12) {
        0 => Deed::Refuse(Rejection::new("no")),
        1 | 2 => Deed::Fail(failure()),
        3 => Deed::TakeInSilence(failure()),
        4 | 5 if confirmed => Deed::Hold,
        _ => Deed::Take,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn every_member_is_settled_once_and_order_is_kept_in_any_weather(seed in any::<u64>()) {
        rage(seed, AtBroker::new);
    }
}
