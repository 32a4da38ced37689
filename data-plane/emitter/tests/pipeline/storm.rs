//! A seeded storm: writers, consumers that ack, retry, reject, sit, leave and come back, timeouts, flushes. At the end
//! every row is accounted for, none positively before its time, and each lane was delivered in order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::FutureExt;
use nervix_sink_client::{ConsumerSession, Delivery, SessionEvent};
use nspl_model::{BatchLimits, Window};
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;

use crate::dice::Dice;
use crate::model::{ACK_TIMEOUT, mode};
use crate::stage::{Stage, Written, branched_stage, ids};

struct Storm {
    stage: Stage,
    dice: Dice,
    window: u32,
    next: i64,
    written: Vec<(Written, Vec<i64>)>,
    consumers: Vec<ConsumerSession>,
    held: Vec<(usize, Delivery)>,
    /// Bytes of each batch, by its name.
    bytes: BTreeMap<String, (Vec<u8>, Vec<i64>)>,
    settled: BTreeSet<i64>,
    /// Ids in the order in which batches of a branch were first delivered.
    first: BTreeMap<String, Vec<i64>>,
}

impl Storm {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let window = 1 + u32::try_from(dice.roll(3)).unwrap();
        let limits = BatchLimits {
            max_messages: 1 + u32::try_from(dice.roll(9)).unwrap(),
            max_bytes: 2_048,
        };
        let stage = branched_stage(|def| {
            def.mode = mode(Window::Parallel(window));
            def.batch = Some(limits);
        });
        Self {
            stage,
            dice,
            window,
            next: 0,
            written: Vec::new(),
            consumers: Vec::new(),
            held: Vec::new(),
            bytes: BTreeMap::new(),
            settled: BTreeSet::new(),
            first: BTreeMap::new(),
        }
    }

    async fn step(&mut self) {
        match self.dice.roll(12) {
            0..=3 => self.write().await,
            4 if self.consumers.len() < 4 => {
                let credit = u32::try_from(self.dice.roll(5)).unwrap();
                self.consumers.push(self.stage.consumer(credit));
            }
            4 | 5 => self.grant(),
            6..=8 => self.answer().await,
            9 => self.leave(),
            10 => {
                self.stage
                    .clock
                    .advance(Duration::from_micros(self.dice.roll(400_000)))
                    .await
            }
            _ if self.dice.roll(10) == 0 => self.stage.clock.advance(ACK_TIMEOUT).await,
            _ => self.stage.flow().await,
        }
        self.read();
        self.check();
    }

    async fn write(&mut self) {
        let rows: Vec<i64> = (0..1 + self.dice.roll(12))
            .map(|row| self.next + row as i64)
            .collect();
        self.next += rows.len() as i64;
        let branch = format!("branch-{}", self.dice.roll(4));
        let (batch, written) = self.stage.batch(0, &rows, &branch).await;
        assert!(
            matches!(self.stage.sources[0].publish(batch).now_or_never(), Some(Ok(()))),
            "the relay has room"
        );
        self.stage.clock.settle().await;
        self.written.push((written, rows));
    }

    fn grant(&mut self) {
        let sides = self.consumers.len().max(1) as u64;
        let index = self.dice.roll(sides) as usize;
        let batches = u32::try_from(self.dice.roll(5)).unwrap();
        if let Some(consumer) = self.consumers.get(index) {
            consumer.grant(batches);
        }
    }

    async fn answer(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let index = self.dice.roll(self.held.len() as u64) as usize;
        let (who, delivery) = self.held.swap_remove(index);
        let refs = std::slice::from_ref(&delivery.reference);
        let consumer = &self.consumers[who];
        match self.dice.roll(6) {
            0 => consumer.retry(refs).await.unwrap(),
            1 => consumer.reject(refs, "no").await.unwrap(),
            _ => consumer.ack(refs).await.unwrap(),
        }
        self.stage.clock.settle().await;
    }

    fn leave(&mut self) {
        if self.consumers.is_empty() {
            return;
        }
        let who = self.dice.roll(self.consumers.len() as u64) as usize;
        drop(self.consumers.remove(who));
        self.held.retain(|(holder, _)| *holder != who);
        for (holder, _) in &mut self.held {
            *holder -= usize::from(*holder > who);
        }
    }

    fn read(&mut self) {
        let mut read = Vec::new();
        for who in 0..self.consumers.len() {
            while let Some(Some(event)) = self.consumers[who].recv().now_or_never() {
                if let SessionEvent::Deliver(delivery) = event {
                    read.push((assigned(&delivery), who, delivery));
                }
            }
        }
        // Consumers are read one after the other; what was assigned first counts as delivered first.
        read.sort_by_key(|(assigned, ..)| *assigned);
        for (_, who, delivery) in read {
            self.note(&delivery);
            self.held.push((who, delivery));
        }
    }

    fn note(&mut self, delivery: &Delivery) {
        let bytes = [&*delivery.payload.head, &*delivery.payload.body].concat();
        let ids = ids(delivery);
        let known = self.bytes.entry(delivery.batch.clone());
        let known = known.or_insert_with(|| (bytes.clone(), ids.clone()));
        assert_eq!(known.0, bytes, "a resend is byte for byte");
        if delivery.attempt == 1 {
            self.first
                .entry(delivery.branch.to_string())
                .or_default()
                .extend(ids);
        }
    }

    fn check(&mut self) {
        self.written.retain(|(written, rows)| {
            let Some(verdict) = written.verdict() else {
                return true;
            };
            assert_eq!(
                verdict.done as usize,
                rows.len(),
                "nothing is refused or unresolved"
            );
            assert!(rows.iter().all(|row| self.settled.insert(*row)), "settled once");
            false
        });
        for ids in self.first.values() {
            assert!(
                ids.is_sorted(),
                "first deliveries of a lane keep its order: {ids:?}"
            );
        }
        let status = self.stage.handle.status();
        let counters = &status.counters;
        let accounted = counters.sent.messages
            + counters.rejected_messages()
            + counters.filtered
            + status.pending.messages;
        assert_eq!(counters.received.messages, accounted);
        let lanes = status.pending.lanes;
        assert!(status.pending.retained_batches <= lanes * u64::from(self.window));
    }

    /// Lets one patient consumer finish everything.
    async fn finish(mut self) {
        self.consumers.clear();
        self.held.clear();
        self.consumers.push(self.stage.consumer(u32::MAX));
        for _ in 0..10_000 {
            if self.written.is_empty() {
                break;
            }
            self.stage.clock.advance(Duration::from_millis(50)).await;
            self.read();
            for (who, delivery) in std::mem::take(&mut self.held) {
                self.consumers[who]
                    .ack(std::slice::from_ref(&delivery.reference))
                    .await
                    .unwrap();
            }
            self.stage.clock.settle().await;
            self.check();
        }
        assert!(self.written.is_empty(), "everything is resolved");
        assert_eq!(self.settled.len() as i64, self.next);
        let pending = self.stage.handle.status().pending;
        assert_eq!(
            (pending.messages, pending.retained_batches, pending.lanes),
            (0, 0, 0)
        );
        drop(self.consumers);
        assert_eq!(self.stage.budget.used(), 0);
    }
}

/// The number of an assignment, which its ref ends with.
fn assigned(delivery: &Delivery) -> u64 {
    let (_, number) = delivery.reference.split_once('-').unwrap();
    u64::from_str_radix(number, 16).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn every_row_is_accounted_for_in_any_weather(seed in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut storm = Storm::new(seed);
            for _ in 0..250 {
                storm.step().await;
            }
            storm.finish().await;
        });
    }
}
