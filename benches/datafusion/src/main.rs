//! The engine beside DataFusion's physical expressions over the same arrays. Prints a table of `docs/benchmarks.md`.
//!
//! Both sides run in this process, in turns, on one core and with one allocator; before anything is measured both must
//! give the same column. Where DataFusion does less, its figure is told, and the bound holds beside the same work there.
//! Ends with 1 when the engine is slower anywhere.

#[path = "../../src/bound.rs"]
#[allow(dead_code, reason = "a table has the bounds that it needs")]
mod bound;
mod cases;
mod plan;
#[path = "../../src/report.rs"]
#[allow(dead_code, reason = "no server is pinned here")]
mod report;
#[path = "../../src/runs.rs"]
mod runs;
#[path = "../../engine/src/subject.rs"]
mod subject;
#[path = "../../engine/src/timing.rs"]
#[allow(dead_code, reason = "everything is measured in turns")]
mod timing;

use std::hint::black_box;
use std::process::ExitCode;

use nervix_expr::{Frame, Program};
use nspl::model::Step;

use crate::bound::Bound;
use crate::cases::{ALIKE, CASES, Case, Theirs};
use crate::report::{Report, Row, say};
use crate::subject::Subject;
use crate::timing::{figure, in_turns};

/// The allocator of the executable: what a column costs is also what its memory costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// No slower in any; the margin is how far two runs of one kernel are apart.
const BOUND: Bound = Bound::AtMost(1.05);

fn main() -> ExitCode {
    let mut report = Report::new();
    report::pin(std::process::id(), report::CLIENT_CORE);
    for case in &CASES {
        measure(&mut report, case);
    }
    for case in &ALIKE {
        measure(&mut report, case);
    }
    let missed = report.print();
    for what in &missed {
        say(&format!("misses its bound: {what}"));
    }
    if missed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The bound where both sides do the same work.
fn bound(case: &Case) -> Bound {
    match case.theirs {
        Theirs::DoesLess => Bound::Reported,
        Theirs::Same | Theirs::FailsPastTheRange | Theirs::LooksAtItsText => BOUND,
    }
}

fn measure(report: &mut Report, case: &Case) {
    let subject = Subject::new(
        "",
        &format!("c {}", case.data_type),
        &format!("SET c = {}", case.text),
    );
    let steps = &subject.emitter.construction.steps;
    let [Step::Set(assignment)] = steps.as_slice() else {
        panic!("one SET was written");
    };
    let program = match Program::compile(&assignment.expr) {
        Ok(program) => program,
        Err(error) => panic!("what the checker let through does not compile: {error}"),
    };
    let batch = &subject.batch;
    let physical = plan::physical(&(case.expr)(), batch.schema_ref(), case.theirs);
    let engine = || {
        let frame = Frame::of_input(black_box(batch), &subject.snapshot);
        program.evaluate(&frame)
    };
    let datafusion = || {
        let column = plan::evaluate(&physical, black_box(batch));
        match case.theirs {
            Theirs::LooksAtItsText => plan::looked_at(&column),
            _ => column,
        }
    };
    let ours = engine();
    assert!(ours.errors.is_empty(), "{}: a row fails", case.text);
    plan::assert_same(case.text, &ours.array, &datafusion());
    let pair = in_turns(|| drop(black_box(engine())), || drop(black_box(datafusion())));
    report.row(Row {
        what: &format!("`{}`{}", case.text, case.theirs.words()),
        nervix: figure(&pair.ours),
        beside: format!("DataFusion: {}", figure(&pair.theirs)),
        ratio: Some(pair.ratio),
        bound: bound(case),
    });
}
