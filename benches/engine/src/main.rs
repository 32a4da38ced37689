//! The expression engine beside the Arrow kernels called by hand for the same work over the same columns, and what a row
//! costs in the acknowledgement tree and on its way through an emitter that only inherits. Prints a table of
//! `docs/benchmarks.md`.
//!
//! Both sides run in this process, in turns, on one core and with the allocator of the executable; the text of an emitter
//! becomes its program as in a worker. Ends with 1 when a bound is missed.

#[path = "../../src/bound.rs"]
#[allow(dead_code, reason = "a table has the bounds that it needs")]
mod bound;
mod cases;
mod inheriting;
#[path = "../../src/report.rs"]
#[allow(dead_code, reason = "no server is pinned here")]
mod report;
#[path = "../../src/runs.rs"]
mod runs;
mod subject;
mod timing;
mod tree;

use std::process::ExitCode;

use crate::report::{Report, say};

/// The allocator of the executable: what a column costs is also what its memory costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut report = Report::new();
    report::pin(std::process::id(), report::CLIENT_CORE);
    cases::measure(&mut report);
    tree::measure(&mut report);
    inheriting::measure(&mut report).await;
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
