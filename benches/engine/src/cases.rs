//! WHERE, SET and INHERIT beside the kernels that one would call by hand for the same work.

use std::hint::black_box;

use arrow::array::RecordBatch;
use nervix_expr::{Constructor, Frame, Predicate};
use nspl::model::record_error::Operation;

use crate::bound::Bound;
use crate::report::{Report, Row};
use crate::subject::Subject;
use crate::timing::{figure, in_turns};

mod kernels;

/// Times as long as the kernels by hand that the engine may take.
const BOUND: Bound = Bound::AtMost(1.3);

/// The kernels that do by hand what the text says.
type ByHand = fn(&RecordBatch) -> RecordBatch;

/// A clause and the kernels for it.
struct Case {
    /// Behind FROM; where it stands, it alone is measured.
    filter: &'static str,
    /// Fields of the output.
    target: &'static str,
    /// Behind the sink.
    construction: &'static str,
    by_hand: ByHand,
    bound: Bound,
}

/// Every field of the source.
const ALL: &str = "n I64, x F64, t STRING, o I64 OPTIONAL";

const fn of_filter(filter: &'static str, by_hand: ByHand) -> Case {
    Case {
        filter,
        target: ALL,
        construction: "INHERIT ALL",
        by_hand,
        bound: BOUND,
    }
}

const fn set(target: &'static str, construction: &'static str, by_hand: ByHand) -> Case {
    Case {
        filter: "",
        target,
        construction,
        by_hand,
        bound: BOUND,
    }
}

const CASES: [Case; 16] = [
    of_filter("WHERE n > 500000 AND x < 0.5", kernels::two_comparisons),
    of_filter("WHERE n > 500000", kernels::comparison),
    of_filter("WHERE t = 'Name-77'", kernels::equal_text),
    of_filter("WHERE contains(t, '77')", kernels::contains),
    of_filter("WHERE starts_with(t, 'Name-7')", kernels::starts_with),
    of_filter("WHERE regexp_like(t, '^N.*-7+$')", kernels::matches),
    set("n I64", "SET n = n * 3 + n", kernels::integers),
    set("o I64 OPTIONAL", "SET o = o + n", kernels::nullable_sum),
    set("x F64", "SET x = x * 2.5 - x", kernels::floats),
    set("n I32", "SET n = input.n AS I32", kernels::narrowed),
    set("t STRING", "SET t = input.n AS STRING", kernels::digits),
    set("n I64", "SET n = coalesce(o, n)", kernels::coalesced),
    set("n I64", "SET n = IF x < 0.5 THEN n ELSE 0 END", kernels::chosen),
    // No kernel does it: a text is made for each row, as one would without thinking of it.
    set("t STRING", "SET t = lower(t)", kernels::lower),
    set(ALL, "INHERIT ALL WHERE n > 750000", kernels::filtered),
    Case {
        // A handful of reference counts on both sides, whatever the number of rows.
        bound: Bound::Reported,
        ..set(ALL, "INHERIT ALL", kernels::shared)
    },
];

/// Measures every case.
pub(crate) fn measure(report: &mut Report) {
    for case in &CASES {
        measure_case(report, case);
    }
}

fn measure_case(report: &mut Report, case: &Case) {
    let subject = Subject::new(case.filter, case.target, case.construction);
    let (emitter, batch) = (&subject.emitter, &subject.batch);
    let filter = emitter.sources[0].filter.as_ref();
    let predicate = filter.map(|expr| compiled(Predicate::compile(expr, Operation::Filter)));
    let constructor = compiled(Constructor::compile(&emitter.construction, &emitter.output));
    let engine = || {
        let frame = Frame::of_input(black_box(batch), &subject.snapshot);
        match &predicate {
            Some(predicate) => drop(black_box(predicate.keep(&frame))),
            None => drop(black_box(constructor.construct(&frame))),
        }
    };
    let pair = in_turns(engine, || drop(black_box((case.by_hand)(black_box(batch)))));
    let text = if case.filter.is_empty() {
        case.construction
    } else {
        case.filter
    };
    report.row(Row {
        what: &format!("`{text}`"),
        nervix: figure(&pair.ours),
        beside: format!("kernels by hand: {}", figure(&pair.theirs)),
        ratio: Some(pair.ratio),
        bound: case.bound,
    });
}

fn compiled<T>(result: Result<T, nervix_expr::CompileError>) -> T {
    match result {
        Ok(compiled) => compiled,
        Err(error) => panic!("what the checker let through does not compile: {error}"),
    }
}
