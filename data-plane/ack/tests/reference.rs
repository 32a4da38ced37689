//! Shares against a slow model that keeps every path of every row in a list.
//!
//! After each step the roots that have resolved, and with what verdict, must be the same in both.

#![allow(clippy::unwrap_used, reason = "a test may panic, also in its own functions")]

use std::sync::{Arc, Mutex};

use nervix_ack::{Fate, Share, Verdict, root};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::{proptest, test_runner::Config};

/// One thing that happens. Numbers choose among what there is, by remainder.
#[derive(Clone, Debug)]
enum Step {
    Open { rows: u32 },
    Fork { share: usize },
    Split { share: usize, rows: usize },
    Append { share: usize, to: usize },
    Partition { share: usize, groups: Vec<u32> },
    Filter { share: usize, keep: Vec<bool> },
    Settle { share: usize, fate: Fate },
    Drop { share: usize },
}

/// (root, row) in record order.
type Paths = Vec<(usize, usize)>;

#[derive(Default)]
struct Model {
    shares: Vec<Paths>,
    roots: Vec<ModelRoot>,
}

struct ModelRoot {
    open: Vec<usize>,
    fates: Vec<Fate>,
}

impl Model {
    fn settle(&mut self, paths: Paths, fate: Fate) {
        for (root, row) in paths {
            let root = &mut self.roots[root];
            root.open[row] -= 1;
            root.fates[row] = root.fates[row].max(fate);
        }
    }

    /// What each root has said so far: (done, refused, unresolved).
    fn verdicts(&self) -> Vec<Option<(u32, u32, u32)>> {
        let said = |root: &ModelRoot| {
            let count = |fate: Fate| root.fates.iter().filter(|known| **known == fate).count() as u32;
            let resolved = root.open.iter().all(|open| *open == 0);
            resolved.then(|| (count(Fate::Done), count(Fate::Refused), count(Fate::Unresolved)))
        };
        self.roots.iter().map(said).collect()
    }
}

#[derive(Default)]
struct Real {
    shares: Vec<Share>,
    heard: Vec<Arc<Mutex<Vec<Verdict>>>>,
}

impl Real {
    fn verdicts(&self) -> Vec<Option<(u32, u32, u32)>> {
        let said = |heard: &Arc<Mutex<Vec<Verdict>>>| {
            let heard = heard.lock().unwrap();
            assert!(heard.len() <= 1, "a root resolves once");
            heard.first().map(|verdict| {
                assert_eq!(verdict.rows, verdict.done + verdict.refused + verdict.unresolved);
                (verdict.done, verdict.refused, verdict.unresolved)
            })
        };
        self.heard.iter().map(said).collect()
    }
}

impl Real {
    /// Takes one share out of both; their places stay the same.
    fn take(&mut self, model: &mut Model, share: usize) -> (Share, Paths) {
        let share = share % self.shares.len();
        (self.shares.swap_remove(share), model.shares.swap_remove(share))
    }

    fn open(&mut self, model: &mut Model, rows: u32) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&heard);
        self.shares
            .push(root(rows, move |verdict| tell.lock().unwrap().push(verdict)));
        self.heard.push(heard);
        let rows = rows as usize;
        model
            .shares
            .push((0..rows).map(|row| (model.roots.len(), row)).collect());
        model.roots.push(ModelRoot {
            open: vec![1; rows],
            fates: vec![Fate::Done; rows],
        });
    }

    fn partition(&mut self, model: &mut Model, (share, paths): (Share, Paths), groups: &[u32]) {
        let of_row: Vec<u32> = (0..paths.len()).map(|row| groups[row % groups.len()]).collect();
        self.shares.extend(share.partition(&of_row, 3));
        for group in 0..3 {
            let chosen = paths.iter().zip(&of_row).filter(|(_, of)| **of == group);
            model.shares.push(chosen.map(|(path, _)| *path).collect());
        }
        let lost = paths
            .iter()
            .zip(&of_row)
            .filter(|(_, of)| **of >= 3)
            .map(|(path, _)| *path);
        model.settle(lost.collect(), Fate::Unresolved);
    }

    fn filter(&mut self, model: &mut Model, (share, paths): (Share, Paths), keep: &[bool]) {
        let keep: Vec<bool> = (0..paths.len()).map(|row| keep[row % keep.len()]).collect();
        let (kept, others) = share.filter(&keep);
        self.shares.extend([kept, others]);
        for wanted in [true, false] {
            let chosen = paths.iter().zip(&keep).filter(|(_, keep)| **keep == wanted);
            model.shares.push(chosen.map(|(path, _)| *path).collect());
        }
    }
}

fn apply(step: &Step, real: &mut Real, model: &mut Model) {
    if let Step::Open { rows } = *step {
        return real.open(model, rows);
    }
    if real.shares.is_empty() {
        return;
    }
    match step {
        Step::Open { .. } => {}
        Step::Fork { share } => {
            let (share, paths) = real.take(model, *share);
            for &(root, row) in &paths {
                model.roots[root].open[row] += 1;
            }
            real.shares.push(share.fork());
            real.shares.push(share);
            model.shares.extend([paths.clone(), paths]);
        }
        Step::Split { share, rows } => {
            let (mut share, mut paths) = real.take(model, *share);
            let rows = rows % (paths.len() + 2);
            real.shares.push(share.split_to(rows));
            real.shares.push(share);
            let rest = paths.split_off(rows.min(paths.len()));
            model.shares.extend([paths, rest]);
        }
        Step::Append { share, to } => {
            let (share, paths) = real.take(model, *share);
            if real.shares.is_empty() {
                real.shares.push(share);
                model.shares.push(paths);
            } else {
                let to = to % real.shares.len();
                real.shares[to].append(share);
                model.shares[to].extend(paths);
            }
        }
        Step::Partition { share, groups } => {
            let taken = real.take(model, *share);
            real.partition(model, taken, groups);
        }
        Step::Filter { share, keep } => {
            let taken = real.take(model, *share);
            real.filter(model, taken, keep);
        }
        Step::Settle { share, fate } => {
            let (share, paths) = real.take(model, *share);
            share.settle(*fate);
            model.settle(paths, *fate);
        }
        Step::Drop { share } => {
            let (share, paths) = real.take(model, *share);
            drop(share);
            model.settle(paths, Fate::Unresolved);
        }
    }
}

fn compare(real: &Real, model: &Model) {
    assert_eq!(real.verdicts(), model.verdicts());
    let lengths: Vec<usize> = real.shares.iter().map(Share::len).collect();
    assert_eq!(lengths, model.shares.iter().map(Vec::len).collect::<Vec<_>>());
}

fn a_step() -> impl Strategy<Value = Step> {
    let fate = prop_oneof![6 => Just(Fate::Done), 1 => Just(Fate::Refused), 1 => Just(Fate::Unresolved)];
    let any_share = any::<usize>;
    prop_oneof![
        3 => (0_u32..12).prop_map(|rows| Step::Open { rows }),
        2 => any_share().prop_map(|share| Step::Fork { share }),
        3 => (any_share(), any::<usize>()).prop_map(|(share, rows)| Step::Split { share, rows }),
        3 => (any_share(), any::<usize>()).prop_map(|(share, to)| Step::Append { share, to }),
        3 => (any_share(), vec(0_u32..4, 1..9)).prop_map(|(share, groups)| Step::Partition { share, groups }),
        3 => (any_share(), vec(any::<bool>(), 1..9)).prop_map(|(share, keep)| Step::Filter { share, keep }),
        4 => (any_share(), fate).prop_map(|(share, fate)| Step::Settle { share, fate }),
        1 => any_share().prop_map(|share| Step::Drop { share }),
    ]
}

proptest! {
    #![proptest_config(Config { cases: 512, ..Config::default() })]

    #[test]
    fn every_root_resolves_once_with_the_worst_fates_and_never_before_its_last_share(
        steps in vec(a_step(), 1..80),
    ) {
        let (mut real, mut model) = (Real::default(), Model::default());
        for step in &steps {
            apply(step, &mut real, &mut model);
            compare(&real, &model);
        }
        while let (Some(share), Some(paths)) = (real.shares.pop(), model.shares.pop()) {
            drop(share);
            model.settle(paths, Fate::Unresolved);
        }
        assert_eq!(real.verdicts(), model.verdicts());
        assert!(real.verdicts().iter().all(Option::is_some), "no root stays open without shares");
    }
}
