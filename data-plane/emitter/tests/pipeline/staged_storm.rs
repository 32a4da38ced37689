//! A seeded storm over the driver of staged sinks: writers of many branches, and a lake that stages or not, refuses rows,
//! commits, fails, loses answers, refuses and stays silent. At the end every member is settled once, what readers see is
//! each record that was acknowledged as delivered, once and in the order of its branch, and nothing is held.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use futures::FutureExt;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection};
use nervix_sink_testkit::Deed;
use parking_lot::Mutex;
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;

use crate::dice::Dice;
use crate::ledger::Ledger;
use crate::outside::{STAGED_ROW_BYTES, ids_in, to_iceberg};
use crate::stage::{Stage, branched_stage};

/// Rows of one write at most.
const ROWS_MAX: u64 = 12;

struct Storm {
    stage: Stage,
    dice: Dice,
    rows_max: usize,
    next: i64,
    ledger: Ledger,
    /// The ids of rows that the table cannot hold.
    unfit: Arc<Mutex<BTreeSet<i64>>>,
    /// The ids of commits that were refused.
    refused: BTreeSet<i64>,
    checked: usize,
}

fn failure() -> Failure {
    Failure::new(FailureKind::Unavailable, "the catalog is away")
}

impl Storm {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let rows_max = 1 + dice.roll(40) as usize;
        let stage = branched_stage(|def| to_iceberg(def, rows_max as u64 * STAGED_ROW_BYTES));
        let (mut stagings, mut rows) = (Dice::new(seed.rotate_left(7)), Dice::new(seed.rotate_left(11)));
        let mut commits = Dice::new(seed.rotate_left(17));
        stage
            .lake
            .on_stage(move |_| (stagings.roll(4) == 0).then(failure));
        let unfit: Arc<Mutex<BTreeSet<i64>>> = Arc::default();
        let noted = Arc::clone(&unfit);
        stage.lake.on_row(move |records, row| {
            let is_unfit = rows.roll(15) == 0;
            is_unfit.then(|| {
                let id = records.column(0).as_primitive::<Int64Type>().value(row);
                noted.lock().insert(id);
                Rejection::new("the table cannot hold the row")
            })
        });
        stage.lake.on_commit(move |_| match commits.roll(10) {
            0 => Deed::Refuse(Rejection::new("no")),
            1 | 2 => Deed::Fail(failure()),
            3 | 4 => Deed::TakeInSilence(failure()),
            5 => Deed::Hold,
            _ => Deed::Take,
        });
        Self {
            stage,
            dice,
            rows_max,
            next: 0,
            ledger: Ledger::default(),
            unfit,
            refused: BTreeSet::new(),
            checked: 0,
        }
    }

    async fn step(&mut self) {
        match self.dice.roll(10) {
            0..=3 => self.write().await,
            4 => self.answer(),
            5 => self.stage.handle.kick().await,
            6 => self.stage.clock.advance(Duration::from_secs(20)).await,
            _ => {
                let wait = Duration::from_micros(self.dice.roll(600_000));
                self.stage.clock.advance(wait).await;
            }
        }
        self.stage.clock.settle().await;
        self.check();
    }

    async fn write(&mut self) {
        let rows = 1 + self.dice.roll(ROWS_MAX) as usize;
        let ids: Vec<i64> = (0..rows as i64).map(|row| self.next + row).collect();
        self.next += rows as i64;
        let branch = format!("branch-{}", self.dice.roll(3));
        let (batch, written) = self.stage.batch(0, &ids, &branch).await;
        self.ledger.wrote(written, rows);
        let published = self.stage.sources[0].publish(batch).now_or_never();
        assert!(matches!(published, Some(Ok(()))), "the relay has room");
    }

    fn answer(&mut self) {
        let outcome = match self.dice.roll(4) {
            0 => Outcome::Unresolved(failure()),
            _ => Outcome::DELIVERED,
        };
        self.stage.lake.answer(outcome);
    }

    fn check(&mut self) {
        let attempts = self.stage.lake.attempts();
        for attempt in &attempts[self.checked..] {
            let rows = ids_in(&attempt.records);
            assert!(!rows.is_empty(), "no empty commit");
            assert!(
                rows.len() < self.rows_max + ROWS_MAX as usize,
                "MAX SIZE and one write more: {}",
                rows.len()
            );
            if matches!(attempt.deed, Deed::Refuse(_)) {
                self.refused.extend(rows);
            }
        }
        for pair in attempts.windows(2) {
            assert!(
                pair[0].id != pair[1].id || ids_in(&pair[0].records) == ids_in(&pair[1].records),
                "the same commit has the same rows"
            );
            let is_unresolved = matches!(pair[0].deed, Deed::Fail(_) | Deed::TakeInSilence(_));
            assert!(
                !is_unresolved || pair[0].id == pair[1].id,
                "nothing comes before an unresolved commit"
            );
        }
        self.checked = attempts.len();
        self.ledger.check(&self.stage);
        let status = self.stage.handle.status();
        let seen: usize = self
            .stage
            .lake
            .visible()
            .iter()
            .map(|records| ids_in(records).len())
            .sum();
        assert!(
            status.counters.sent.messages as usize <= seen,
            "none is delivered unseen"
        );
    }

    /// The lake is well again; everything ends.
    async fn finish(mut self) {
        self.stage.lake.on_stage(|_| None);
        self.stage.lake.on_commit(|_| Deed::Take);
        for _ in 0..200 {
            self.stage.lake.answer(Outcome::DELIVERED);
            self.stage.clock.advance(Duration::from_secs(1)).await;
            self.check();
            if self.ledger.is_settled() {
                break;
            }
        }
        self.ledger.close(&self.stage, self.next);
        assert_eq!(self.stage.lake.staged_rows(), 0);
        self.what_is_seen();
    }

    /// Each row once, in the order of its branch, but for those that were refused.
    fn what_is_seen(&self) {
        let visible: Vec<RecordBatch> = self.stage.lake.visible().concat();
        let seen = ids_in(&visible);
        let distinct: BTreeSet<i64> = seen.iter().copied().collect();
        assert_eq!(seen.len(), distinct.len(), "none twice");
        let rejected: BTreeSet<i64> = self.unfit.lock().union(&self.refused).copied().collect();
        let missing: BTreeSet<i64> = (0..self.next).filter(|id| !distinct.contains(id)).collect();
        assert_eq!(missing, rejected, "none is lost");
        for branch in 0..3 {
            let name = format!("branch-{branch}");
            let of = visible
                .iter()
                .filter(|records| records.column(1).as_string::<i32>().value(0) == name);
            let of: Vec<RecordBatch> = of.cloned().collect();
            assert!(ids_in(&of).is_sorted(), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn every_member_is_settled_once_and_none_is_seen_twice_in_any_weather(seed in any::<u64>()) {
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
