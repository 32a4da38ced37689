//! A seeded storm over the driver of payload sinks: writers of many branches, and a broker that takes, refuses, fails,
//! loses answers, stays silent and answers late. At the end every member is settled once, each lane was first sent in
//! order and sent again in order before anything newer, and nothing is held.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::FutureExt;
use nervix_sink::{Failure, FailureKind, LaneId, Outcome, PayloadId, Rejection};
use nervix_sink_testkit::{Deed, Received};
use nspl_model::{BatchLimits, Confirmation, ModeForm, Window};
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;

use crate::dice::Dice;
use crate::ledger::Ledger;
use crate::model::{ACK_TIMEOUT, mode};
use crate::outside::{UNWRITABLE, ids_of, to_kafka};
use crate::stage::{Stage, branched_stage};

/// The most bytes of a payload where there is BATCH.
const BYTES_MAX: u64 = 24;

struct Storm {
    stage: Stage,
    dice: Dice,
    window: usize,
    batched: bool,
    next: i64,
    ledger: Ledger,
    checked: usize,
    payloads: BTreeMap<PayloadId, Received>,
    /// By lane: the newest that was sent.
    newest: BTreeMap<LaneId, u64>,
}

impl Storm {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
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
        stage
            .broker
            .on_receipt(move |received| deed(&mut own, received, confirmed));
        Self {
            stage,
            dice,
            window: if confirmed { window as usize } else { usize::MAX },
            batched,
            next: 0,
            ledger: Ledger::default(),
            checked: 0,
            payloads: BTreeMap::new(),
            newest: BTreeMap::new(),
        }
    }

    async fn step(&mut self) {
        match self.dice.roll(10) {
            0..=3 => self.write().await,
            4 | 5 => self.answer().await,
            6 => self.stage.handle.kick().await,
            7 if self.dice.roll(20) == 0 => self.stage.clock.advance(ACK_TIMEOUT).await,
            _ => {
                let wait = Duration::from_micros(self.dice.roll(600_000));
                self.stage.clock.advance(wait).await;
            }
        }
        self.stage.clock.settle().await;
        self.check();
    }

    async fn write(&mut self) {
        let rows = 1 + self.dice.roll(12) as usize;
        let mut ids: Vec<i64> = (0..rows as i64).map(|row| self.next + row).collect();
        self.next += rows as i64;
        if self.dice.roll(4) == 0 {
            let row = self.dice.roll(rows as u64) as usize;
            ids[row] = UNWRITABLE;
        }
        let branch = format!("branch-{}", self.dice.roll(3));
        let (batch, written) = self.stage.batch(0, &ids, &branch).await;
        let published = self.stage.sources[0].publish(batch).now_or_never();
        assert!(matches!(published, Some(Ok(()))), "the relay has room");
        self.ledger.wrote(written, rows);
    }

    async fn answer(&mut self) {
        for id in self.stage.broker.held() {
            let outcome = match self.dice.roll(6) {
                0 => Outcome::Unresolved(failure()),
                1 => Outcome::Rejected(Rejection::new("no")),
                2 => continue,
                _ => Outcome::DELIVERED,
            };
            self.stage.broker.answer(id, outcome);
        }
    }

    fn check(&mut self) {
        let received = self.stage.broker.received();
        for attempt in &received[self.checked..] {
            self.attempt(attempt);
        }
        self.checked = received.len();
        self.ledger.check(&self.stage);
        let status = self.stage.handle.status();
        let kept = status.pending.retained_batches as usize;
        assert!(
            kept <= self.window.saturating_mul(2),
            "the window, and as many ahead of it: {kept}"
        );
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

    /// The broker is well again; everything ends.
    async fn finish(mut self) {
        self.stage.broker.on_receipt(|_| Deed::Take);
        for _ in 0..2_000 {
            for id in self.stage.broker.held() {
                self.stage.broker.answer(id, Outcome::DELIVERED);
            }
            self.stage.clock.advance(Duration::from_secs(1)).await;
            self.check();
            if self.ledger.is_settled() {
                break;
            }
        }
        self.ledger.close(&self.stage, self.next);
        self.order();
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

fn failure() -> Failure {
    Failure::new(FailureKind::Unavailable, "the broker is away")
}

fn deed(dice: &mut Dice, _received: &Received, confirmed: bool) -> Deed {
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
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut storm = Storm::new(seed);
            for _ in 0..120 {
                storm.step().await;
            }
            storm.finish().await;
        });
    }
}
