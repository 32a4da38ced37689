use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use futures::FutureExt;
use nervix_ack::{Share, Verdict, root};
use nervix_budget::{Budget, Held};
use nervix_clock::{DomainTime, ManualClock, Snapshot};
use nspl_model::{BranchDef, DataType, Field, RelayDef, Schema};
use proptest::prelude::{prop, prop_assert_eq, proptest};

use super::{Journal, Latest, MaterializedState, Restored, StateBudget, StateSize, StateWrite, Wakes};
use crate::{BranchRef, Branches, FingerprintKey, Relay, RelayBatch, Timestamps, UNWRITTEN_BATCHES_MAX};

const TTL: Duration = Duration::from_secs(60);

/// Keeps what is put until the test makes it durable.
#[derive(Default)]
struct Kept {
    writes: Mutex<Vec<StateWrite>>,
    forgotten: Mutex<Vec<Arc<[u8]>>>,
}

impl Journal for Kept {
    fn put(&self, write: StateWrite) -> Result<(), StateWrite> {
        self.writes.lock().unwrap().push(write);
        Ok(())
    }

    fn forget(&self, key: &Arc<[u8]>) {
        self.forgotten.lock().unwrap().push(Arc::clone(key));
    }
}

impl Kept {
    fn make_durable(&self) -> usize {
        let writes = std::mem::take(&mut *self.writes.lock().unwrap());
        let count = writes.len();
        writes.into_iter().for_each(|write| write.receipt.durable());
        count
    }
}

struct Stage {
    clock: ManualClock,
    journal: Arc<Kept>,
    budget: Budget,
    branches: Branches,
    relay: Arc<Relay>,
}

fn field(name: &str, data_type: DataType) -> Field {
    Field {
        name: name.into(),
        data_type,
        optional: false,
        sensitive: false,
    }
}

/// A materialized relay, branched by tenant.
fn stage(max_instances: Option<u32>, budget_bytes: u64) -> Stage {
    let clock = ManualClock::new();
    let schema = |name: &str, field| {
        let (name, fields) = (name.into(), vec![field]);
        Arc::new(Schema { name, fields })
    };
    let branch = Arc::new(BranchDef {
        name: "by_tenant".into(),
        schema: schema("key", field("tenant", DataType::String)),
        ttl: TTL,
        max_instances,
    });
    let key = FingerprintKey::new("shop", [3; 32]);
    let branches = Branches::new(Arc::clone(&branch), key, clock.domain());
    let (journal, budget) = (Arc::new(Kept::default()), Budget::new(budget_bytes));
    let state = MaterializedState::new(
        Arc::clone(&journal) as Arc<dyn Journal>,
        StateBudget::of(budget.clone()),
        Some(branches.clone()),
    );
    let def = RelayDef {
        name: "latest".into(),
        schema: schema("numbers", field("n", DataType::I64)),
        branch: Some(branch),
        capacity: 64,
        materialized: true,
    };
    let relay = Relay::with_state(Arc::new(def), Some(state));
    Stage {
        clock,
        journal,
        budget,
        branches,
        relay,
    }
}

impl Stage {
    fn state(&self) -> &Arc<MaterializedState> {
        self.relay.materialized().unwrap()
    }

    fn branch(&self, tenant: &str) -> Option<BranchRef> {
        let column: ArrayRef = Arc::new(StringArray::from(vec![tenant]));
        let groups = self.branches.group(&[column]).unwrap();
        self.branches.try_intern(groups.key(0))
    }

    fn batch(&self, tenant: &str, rows: &[(i64, i64)]) -> (RelayBatch, Receiver<Verdict>) {
        let (told, verdicts) = sync_channel(1);
        let share = root(rows.len() as u32, move |verdict| told.send(verdict).unwrap_or(()));
        let mut timestamps = Timestamps::uniform(0, DomainTime(0));
        for (_, time) in rows {
            timestamps.append(&Timestamps::uniform(1, DomainTime(*time)));
        }
        let numbers: Vec<i64> = rows.iter().map(|(number, _)| *number).collect();
        let column = Arc::new(Int64Array::from(numbers));
        let batch = RelayBatch {
            records: RecordBatch::try_from_iter([("n", column as _)]).unwrap(),
            share,
            branch: self.branch(tenant),
            snapshot: Arc::new(Snapshot {
                domain_time: DomainTime(0),
                seed: [0; 32],
            }),
            timestamps,
            held: Arc::new(Held::nothing()),
        };
        (batch, verdicts)
    }

    /// A state as it was durable, of a tenant whose instance is idle.
    fn restored(&self, tenant: &str, value: i64, time: i64) -> Restored {
        let key = self.branch(tenant).unwrap().key_encoding().to_vec();
        let column = Arc::new(Int64Array::from(vec![value]));
        let record = RecordBatch::try_from_iter([("n", column as _)]).unwrap();
        let latest = Latest::new(record, DomainTime(time));
        Restored { key, latest }
    }

    /// Publishes rows of (number, time).
    fn publish(&self, tenant: &str, rows: &[(i64, i64)]) -> Receiver<Verdict> {
        let (batch, verdicts) = self.batch(tenant, rows);
        self.relay.publish(batch).now_or_never().unwrap().unwrap();
        verdicts
    }

    fn known(&self, tenant: &str) -> Option<i64> {
        let branch = self.branch(tenant);
        self.state().known(branch.as_ref()).map(|latest| number(&latest))
    }
}

fn number(latest: &Latest) -> i64 {
    assert_eq!(latest.record().num_rows(), 1);
    latest.record().column(0).as_primitive::<Int64Type>().value(0)
}

#[test]
fn the_latest_row_is_the_state_and_a_later_arrival_wins_a_tie() {
    let stage = stage(None, u64::MAX);
    stage.publish("a", &[(1, 10), (2, 20), (3, 20), (4, 15)]);
    assert_eq!(stage.known("a"), Some(3));
    stage.publish("a", &[(5, 19)]);
    assert_eq!(stage.known("a"), Some(3), "an earlier time loses");
    stage.publish("a", &[(6, 20)]);
    assert_eq!(stage.known("a"), Some(6), "the same time wins by arriving later");
    assert_eq!(stage.known("b"), None, "branches are apart");
}

#[test]
fn rows_are_done_only_once_their_state_is_durable_and_losers_wait_for_what_beat_them() {
    let stage = stage(None, u64::MAX);
    let (winner, loser) = (stage.publish("a", &[(1, 20)]), stage.publish("a", &[(2, 10)]));
    assert!(winner.try_recv().is_err() && loser.try_recv().is_err());
    assert_eq!(stage.journal.make_durable(), 2);
    assert_eq!(winner.try_recv().unwrap().done, 1);
    assert_eq!(loser.try_recv().unwrap().done, 1);
    let lost = stage.publish("a", &[(3, 30)]);
    stage.journal.writes.lock().unwrap().clear();
    assert_eq!(lost.try_recv().unwrap().unresolved, 1, "a write that is given up");
}

#[test]
fn what_is_kept_is_one_row_of_its_own_and_counted() {
    let stage = stage(None, u64::MAX);
    let many: Vec<(i64, i64)> = (0..100_000).map(|number| (number, number)).collect();
    drop(stage.publish("a", &many));
    stage.journal.make_durable();
    let size = stage.state().size();
    assert_eq!((size.rows, size.bytes), (1, stage.budget.used()));
    assert!(size.bytes < 2_048, "{size:?}");
}

#[test]
fn a_state_goes_with_its_instance_and_not_while_it_is_being_written() {
    let stage = stage(Some(2), u64::MAX);
    stage.publish("a", &[(1, 1)]);
    stage.publish("b", &[(2, 2)]);
    assert!(
        stage.branch("c").is_none(),
        "both are busy until their states are durable"
    );
    stage.journal.make_durable();
    stage.publish("c", &[(3, 3)]);
    stage.journal.make_durable();
    assert_eq!(stage.state().size().rows, 2);
    assert_eq!(
        stage.journal.forgotten.lock().unwrap().len(),
        1,
        "the least recently used one"
    );
    assert_eq!((stage.known("b"), stage.known("c")), (Some(2), Some(3)));
    assert_eq!(stage.known("a"), None);
}

#[tokio::test]
async fn a_state_goes_when_the_ttl_of_its_instance_is_over() {
    let stage = stage(None, u64::MAX);
    drop(stage.publish("a", &[(1, 1)]));
    stage.journal.make_durable();
    stage.clock.advance(TTL - Duration::from_secs(1)).await;
    assert_eq!(stage.known("a"), Some(1), "reading it uses it");
    stage.clock.advance(TTL).await;
    assert_eq!(stage.branches.expire(), 1);
    let expected = StateSize {
        rows: 0,
        bytes: 0,
        forgotten: 1,
    };
    assert_eq!(stage.state().size(), expected);
    assert_eq!(stage.budget.used(), 0);
}

#[test]
fn past_the_share_of_the_budget_idle_states_are_forgotten_and_busy_ones_are_not() {
    let stage = stage(None, 64 * 1024);
    for tenant in 0..200 {
        drop(stage.publish(&format!("t{tenant}"), &[(tenant, tenant)]));
        stage.journal.make_durable();
    }
    let size = stage.state().size();
    assert!(size.bytes <= 32 * 1024 + 2_048 && size.rows > 10, "{size:?}");
    assert_eq!(size.rows + size.forgotten, 200);
    assert_eq!(stage.known("t199"), Some(199), "the newest are kept");
    assert_eq!(stage.known("t0"), None);
}

#[tokio::test]
async fn publishers_wait_when_too_much_is_not_durable() {
    let stage = stage(None, u64::MAX);
    for number in 0..UNWRITTEN_BATCHES_MAX {
        drop(stage.publish("a", &[(number as i64, 1)]));
    }
    let (batch, _verdicts) = stage.batch("a", &[(-1, 1)]);
    let mut waits = std::pin::pin!(stage.relay.publish(batch));
    assert!(futures::poll!(&mut waits).is_pending());
    stage.journal.make_durable();
    waits.await.unwrap();
    assert_eq!(stage.known("a"), Some(-1));
}

#[tokio::test]
async fn who_watches_a_branch_is_told_once_when_its_state_comes() {
    let stage = stage(None, u64::MAX);
    let (wakes, a) = (Arc::new(Wakes::default()), stage.branch("a"));
    assert!(stage.state().watch(a.as_ref(), &wakes, 7).is_none());
    stage.publish("b", &[(1, 1)]);
    assert!(wakes.any().now_or_never().is_none());
    stage.publish("a", &[(2, 1)]);
    stage.publish("a", &[(3, 1)]);
    wakes.any().await;
    assert_eq!(wakes.take(), [7]);
    assert!(wakes.take().is_empty());
    let known = stage.state().watch(a.as_ref(), &wakes, 8);
    assert_eq!(known.map(|latest| number(&latest)), Some(3));
}

#[test]
fn restored_states_are_those_of_the_newest_and_none_lies_in_the_future() {
    let stage = stage(Some(2), u64::MAX);
    let states = vec![
        stage.restored("late", 1, 900),
        stage.restored("old", 2, 5),
        stage.restored("mid", 3, 10),
    ];
    stage.state().restore(states, DomainTime(100));
    assert_eq!(stage.state().size().rows, 2);
    assert_eq!((stage.known("late"), stage.known("mid")), (Some(1), Some(3)));
    stage.publish("late", &[(4, 100)]);
    assert_eq!(
        stage.known("late"),
        Some(4),
        "a state of the future gives way to the next row"
    );
}

#[test]
fn a_restored_state_that_finds_all_instances_busy_is_forgotten_where_it_is_kept() {
    let stage = stage(Some(2), u64::MAX);
    let states = vec![stage.restored("c", 1, 5)];
    let _busy = [stage.branch("a"), stage.branch("b")].map(Option::unwrap);
    stage.state().restore(states, DomainTime(100));
    assert_eq!(stage.state().size().rows, 0);
    assert_eq!(stage.journal.forgotten.lock().unwrap().len(), 1);
    assert_eq!(stage.budget.used(), 0);
}

#[test]
fn a_share_that_nobody_waits_for_makes_a_state_too() {
    let stage = stage(None, u64::MAX);
    let (mut batch, _verdicts) = stage.batch("a", &[(1, 1)]);
    batch.share = Share::untracked(1);
    stage.relay.publish(batch).now_or_never().unwrap().unwrap();
    assert_eq!(stage.known("a"), Some(1));
}

proptest! {
    /// Batches of few branches with times out of order, against a model that looks at row after row.
    #[test]
    fn the_state_of_each_branch_is_that_of_a_reference(
        batches in prop::collection::vec((0..3_usize, prop::collection::vec(0..6_i64, 1..5)), 1..30),
    ) {
        let stage = stage(None, u64::MAX);
        let mut reference: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
        let mut written: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
        let mut number = 0;
        for (tenant, times) in &batches {
            let rows: Vec<(i64, i64)> = times
                .iter()
                .map(|time| {
                    number += 1;
                    (number, *time)
                })
                .collect();
            for (number, time) in &rows {
                let state = reference.entry(*tenant).or_insert((*number, *time));
                if *time >= state.1 {
                    *state = (*number, *time);
                }
            }
            drop(stage.publish(&tenant.to_string(), &rows));
        }
        for write in stage.journal.writes.lock().unwrap().iter() {
            if let Some(latest) = &write.latest {
                written.insert(write.key.to_vec(), self::number(latest));
            }
        }
        stage.journal.make_durable();
        let known: Vec<Option<i64>> = (0..3).map(|tenant| stage.known(&tenant.to_string())).collect();
        let expected: Vec<Option<i64>> =
            (0..3).map(|tenant| reference.get(&tenant).map(|(number, _)| *number)).collect();
        prop_assert_eq!(known, expected);
        let mut last: Vec<i64> = written.into_values().collect();
        last.sort_unstable();
        let mut states: Vec<i64> = reference.into_values().map(|(number, _)| number).collect();
        states.sort_unstable();
        prop_assert_eq!(last, states, "the last write of each branch is its state");
    }
}
