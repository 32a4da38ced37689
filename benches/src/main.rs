//! Speed and memory of Nervix beside their baselines, taken in one run. Prints the tables of `docs/benchmarks.md`.
//!
//! `nervix-bench [NAME ...]` runs all or the named measurements: throughput, latency, memory, emitters, branches. The
//! servers run on one core and this process on the other, for Nervix and for the baseline alike.

mod bare;
mod costs;
mod graph;
mod latency;
mod memory;
mod peer;
mod report;
mod throughput;

use crate::report::Report;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if names.first().map(String::as_str) == Some("bare-server") {
        bare::serve(names.get(1).map(String::as_str).unwrap_or_default()).await;
        return;
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let mut report = Report::new();
    report::pin(std::process::id(), report::CLIENT_CORE);
    if wanted("throughput") {
        throughput::measure(&mut report).await;
    }
    if wanted("latency") {
        latency::measure(&mut report).await;
    }
    if wanted("memory") {
        memory::measure(&mut report).await;
    }
    if wanted("emitters") {
        costs::emitters(&mut report).await;
    }
    if wanted("branches") {
        costs::branches(&mut report).await;
    }
    report.print();
}
