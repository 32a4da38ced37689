//! How long a work over a batch takes, by row.

use tokio::time::Instant;

use crate::runs::Runs;
use crate::subject::ROWS;

/// Batches of one run: enough that the clock's own cost is lost.
const BATCHES: usize = 20;
/// Runs of each side, taken in turns.
const RUNS: usize = 25;

/// Nanoseconds a row of a work over all rows of a batch.
fn nanoseconds(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..BATCHES {
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / (BATCHES * ROWS) as f64
}

/// Nanoseconds a row of one work.
pub(crate) fn alone(mut work: impl FnMut()) -> Runs {
    Runs::of((0..RUNS).map(|_| nanoseconds(&mut work)))
}

/// Two works in turns.
pub(crate) struct Pair {
    /// Nanoseconds a row of the first.
    pub(crate) ours: Runs,
    /// Nanoseconds a row of the second.
    pub(crate) theirs: Runs,
    /// The first by the second, run by run.
    pub(crate) ratio: Runs,
}

/// Takes both in turns; which comes first alternates, so that neither always finds the caches that the other left.
pub(crate) fn in_turns(mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Pair {
    let (mut our_runs, mut their_runs) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        if run % 2 == 0 {
            our_runs.push(nanoseconds(&mut ours));
            their_runs.push(nanoseconds(&mut theirs));
        } else {
            their_runs.push(nanoseconds(&mut theirs));
            our_runs.push(nanoseconds(&mut ours));
        }
    }
    let ratios = our_runs
        .iter()
        .zip(&their_runs)
        .map(|(ours, theirs)| ours / theirs);
    Pair {
        ratio: Runs::of(ratios),
        ours: Runs::of(our_runs),
        theirs: Runs::of(their_runs),
    }
}

/// The median, with its unit.
pub(crate) fn figure(runs: &Runs) -> String {
    format!("{:.3} ns/row", runs.median())
}
