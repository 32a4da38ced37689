//! A storm over the driver of staged sinks, whose lake does not stage, refuses rows and loses commits, too. What readers see
//! in the end is each record that was acknowledged as delivered, once and in the order of its branch.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use nervix_sink::{Failure, FailureKind, Outcome, Rejection};
use nervix_sink_testkit::{Committed, Deed};
use parking_lot::Mutex;
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;

use crate::dice::Dice;
use crate::outside::{STAGED_ROW_BYTES, ids_in, to_iceberg};
use crate::stage::{Stage, branched_stage};
use crate::weather::{ROWS_MAX, Weather, rage};

struct AtLake {
    stage: Stage,
    rows_max: usize,
    /// The ids of rows that the table cannot hold.
    unfit: Arc<Mutex<BTreeSet<i64>>>,
    /// The ids of commits that were refused.
    refused: BTreeSet<i64>,
    checked: usize,
}

fn failure() -> Failure {
    Failure::new(FailureKind::Unavailable, "the catalog is away")
}

impl AtLake {
    fn new(dice: &mut Dice, seed: u64) -> Self {
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
            rows_max,
            unfit,
            refused: BTreeSet::new(),
            checked: 0,
        }
    }

    fn attempt(&mut self, attempt: &Committed) {
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

    /// Each row below `next` once, in the order of its branch, but for those that were refused.
    fn what_is_seen(&self, next: i64) {
        let visible: Vec<RecordBatch> = self.stage.lake.visible().concat();
        let seen = ids_in(&visible);
        let distinct: BTreeSet<i64> = seen.iter().copied().collect();
        assert_eq!(seen.len(), distinct.len(), "none twice");
        let rejected: BTreeSet<i64> = self.unfit.lock().union(&self.refused).copied().collect();
        let missing: BTreeSet<i64> = (0..next).filter(|id| !distinct.contains(id)).collect();
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

impl Weather for AtLake {
    fn stage(&self) -> &Stage {
        &self.stage
    }

    fn answer(&self, dice: &mut Dice) {
        let outcome = match dice.roll(4) {
            0 => Outcome::Unresolved(failure()),
            _ => Outcome::DELIVERED,
        };
        self.stage.lake.answer(outcome);
    }

    fn long_wait(&self, _dice: &mut Dice) -> Option<Duration> {
        Some(Duration::from_secs(20))
    }

    fn check(&mut self) {
        let attempts = self.stage.lake.attempts();
        for attempt in &attempts[self.checked..] {
            self.attempt(attempt);
        }
        self.checked = attempts.len();
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
        let visible = self.stage.lake.visible();
        let seen: usize = visible.iter().map(|records| ids_in(records).len()).sum();
        let sent = self.stage.handle.status().counters.sent.messages as usize;
        assert!(sent <= seen, "none is delivered unseen");
    }

    fn clear(&self) {
        self.stage.lake.on_stage(|_| None);
        self.stage.lake.on_commit(|_| Deed::Take);
    }

    fn release(&self) {
        self.stage.lake.answer(Outcome::DELIVERED);
    }

    fn close(&self, next: i64) {
        assert_eq!(self.stage.lake.staged_rows(), 0);
        self.what_is_seen(next);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn every_member_is_settled_once_and_none_is_seen_twice_in_any_weather(seed in any::<u64>()) {
        rage(seed, AtLake::new);
    }
}
