//! What a row costs in the acknowledgement tree.

use std::hint::black_box;

use nervix_ack::{Fate, Share, root};

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::subject::ROWS;
use crate::timing::{alone, figure};

/// Rows that are settled together where a batch is settled in pieces.
const PIECE: usize = 1_000;

/// Measures the tree of one batch from its root to its verdict.
pub(crate) fn measure(report: &mut Report) {
    settle(report, "settled whole", |share| share.settle(Fate::Done));
    settle(
        report,
        "forked for two consumers, settled in pieces of 1,000",
        |share| {
            for mut path in [share.fork(), share] {
                while !path.is_empty() {
                    path.split_to(PIECE).settle(Fate::Done);
                }
            }
        },
    );
    settle(report, "every other row dropped by WHERE", |share| {
        let (kept, dropped) = share.filter_by(|row| row % 2 == 0);
        dropped.settle(Fate::Done);
        kept.settle(Fate::Done);
    });
    settle(report, "each row settled alone", |mut share| {
        while !share.is_empty() {
            share.split_to(1).settle(Fate::Done);
        }
    });
}

fn settle(report: &mut Report, what: &str, settle: impl Fn(Share)) {
    let rows = u32::try_from(ROWS).unwrap_or(u32::MAX);
    let runs = alone(|| settle(root(rows, |verdict| drop(black_box(verdict)))));
    report.row(Row {
        what: &format!("acknowledgement tree of a batch, {what}"),
        nervix: figure(&runs),
        beside: String::new(),
        ratio: None,
        bound: Bound::Reported,
    });
}
