use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nervix_sink::Outcome;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::testing::offer;
use super::{Answer, Machine};
use crate::consumers::ConsumerId;
use crate::event::SessionEvent;

const TIMEOUT: u64 = 20;
const CONSUMER_BYTES: u64 = 64;

#[derive(Debug, Clone)]
enum Step {
    Connect,
    Disconnect(usize),
    HalfClose(usize),
    Grant(usize, u32),
    Read(usize),
    Answer(usize, usize, u8),
    Offer(u64, usize),
    Wait(u64),
    Reoffer,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Connect),
        (0_usize..4).prop_map(Step::Disconnect),
        (0_usize..4).prop_map(Step::HalfClose),
        (0_usize..4, 0_u32..4).prop_map(|(consumer, batches)| Step::Grant(consumer, batches)),
        (0_usize..4).prop_map(Step::Read),
        (0_usize..4, any::<usize>(), 0_u8..3)
            .prop_map(|(consumer, index, how)| Step::Answer(consumer, index, how)),
        (0_u64..3, 1_usize..90).prop_map(|(lane, bytes)| Step::Offer(lane, bytes)),
        (0_u64..15).prop_map(Step::Wait),
        Just(Step::Reoffer),
    ]
}

/// What a test sees from outside of a machine.
struct World {
    machine: Machine<u64>,
    now: u64,
    consumers: Vec<ConsumerId>,
    /// Refs that were read, in order, with their batch.
    refs: Vec<(String, u64)>,
    /// Batches with their lane, bytes and attempts; gone when answered for good.
    open: BTreeMap<u64, (u64, usize, u32)>,
    away: BTreeSet<u64>,
    next: u64,
}

impl World {
    fn new() -> Self {
        let machine = Machine::new(3, CONSUMER_BYTES);
        let (consumers, refs, open, away) = (Vec::new(), Vec::new(), BTreeMap::new(), BTreeSet::new());
        Self {
            machine,
            now: 0,
            consumers,
            refs,
            open,
            away,
            next: 0,
        }
    }

    fn act(&mut self, step: Step) -> Result<(), proptest::test_runner::TestCaseError> {
        let consumer = |index: usize| self.consumers.get(index).copied();
        match step {
            Step::Connect if self.consumers.len() < 4 => self.consumers.push(self.machine.connect(false)),
            Step::Connect => {}
            Step::Disconnect(index) if index < self.consumers.len() => {
                self.machine.disconnect(self.consumers.remove(index));
            }
            Step::Disconnect(_) => {}
            Step::HalfClose(index) => consumer(index)
                .into_iter()
                .for_each(|id| self.machine.half_close(id)),
            Step::Grant(index, batches) => {
                consumer(index)
                    .into_iter()
                    .for_each(|id| self.machine.grant(id, batches));
            }
            Step::Read(index) => self.read(index)?,
            Step::Answer(index, which, how) => {
                if let (Some(id), false) = (consumer(index), self.refs.is_empty()) {
                    let (reference, _) = self.refs[which % self.refs.len()].clone();
                    let answer = match how {
                        0 => Answer::Ack,
                        1 => Answer::Retry,
                        _ => Answer::Reject { reason: "no".into() },
                    };
                    self.machine.answer(id, reference, answer);
                }
            }
            Step::Offer(lane, bytes) => {
                self.machine.offer(offer(lane, self.next, bytes, 1));
                self.open.insert(self.next, (lane, bytes, 1));
                self.next += 1;
            }
            Step::Wait(time) => self.now += time,
            Step::Reoffer => {
                for batch in std::mem::take(&mut self.away) {
                    let (lane, bytes, attempt) = self.open[&batch];
                    self.open.insert(batch, (lane, bytes, attempt + 1));
                    self.machine.offer(offer(lane, batch, bytes, attempt + 1));
                }
            }
        }
        self.machine.expire(self.now);
        self.machine.assign(
            self.now,
            |wait| self.now + wait.as_secs(),
            Duration::from_secs(TIMEOUT),
        );
        self.take_answers()?;
        self.check_bounds()
    }

    fn read(&mut self, index: usize) -> Result<(), proptest::test_runner::TestCaseError> {
        let Some(id) = self.consumers.get(index).copied() else {
            return Ok(());
        };
        while let Some(event) = self.machine.take_event(id) {
            if let SessionEvent::Deliver(delivery) = event {
                prop_assert!(
                    !self.refs.iter().any(|(seen, _)| *seen == delivery.reference),
                    "a ref is given once"
                );
                self.refs.push((delivery.reference, delivery.payload.sequence));
            }
        }
        Ok(())
    }

    fn take_answers(&mut self) -> Result<(), proptest::test_runner::TestCaseError> {
        while let Some(answer) = self.machine.take_answer() {
            let batch = u64::try_from(answer.payload.0).unwrap();
            prop_assert!(self.open.contains_key(&batch), "answered after it was settled");
            match answer.outcome {
                Outcome::Unresolved(_) => {
                    prop_assert!(self.away.insert(batch), "answered twice for one offer")
                }
                Outcome::Delivered(_) | Outcome::Rejected(_) => {
                    self.open.remove(&batch);
                    prop_assert!(!self.away.contains(&batch));
                }
            }
        }
        Ok(())
    }

    fn check_bounds(&mut self) -> Result<(), proptest::test_runner::TestCaseError> {
        for id in self.consumers.clone() {
            let Some(consumer) = self.machine.consumers.get_mut(id) else {
                continue;
            };
            let several = consumer.live.len() > 1;
            prop_assert!(!several || consumer.held_bytes <= CONSUMER_BYTES);
        }
        let open = self.open.len() - self.away.len();
        prop_assert_eq!(
            self.machine.live.len() + self.machine.lanes.unassigned(),
            open,
            "nothing lost, nothing doubled"
        );
        prop_assert_eq!(self.machine.deadlines.len(), self.machine.live.len());
        self.check_order()
    }

    /// What consumers hold of a lane is older than all of that lane that still waits for a consumer, except what came
    /// back and waits to be assigned again.
    fn check_order(&mut self) -> Result<(), proptest::test_runner::TestCaseError> {
        let newest_held = |lane: u64| {
            let held = self
                .machine
                .live
                .values()
                .filter(|live| live.offer.payload.lane.id.0 == lane);
            held.map(|live| live.offer.payload.sequence).max()
        };
        let first_attempts = self.open.iter().filter(|(batch, (_, _, attempt))| {
            let live = self
                .machine
                .live
                .values()
                .any(|live| live.offer.payload.sequence == **batch);
            *attempt == 1 && !live && !self.away.contains(batch)
        });
        for (batch, (lane, _, _)) in first_attempts {
            prop_assert!(
                newest_held(*lane).is_none_or(|held| held < *batch),
                "overtaken in its lane"
            );
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn every_offer_is_answered_once_bounds_hold_and_lanes_keep_their_order(
        steps in prop::collection::vec(step(), 0..150),
    ) {
        let mut world = World::new();
        for step in steps {
            world.act(step)?;
        }
        for id in world.consumers.clone() {
            world.machine.disconnect(id);
        }
        world.take_answers()?;
        prop_assert_eq!(world.machine.live.len(), 0);
        prop_assert_eq!(world.open.len(), world.away.len() + world.machine.lanes.unassigned());
    }
}
