//! Speed and memory of Nervix beside their baselines, taken in one run. Prints the tables of `docs/benchmarks.md`.
//!
//! `nervix-bench [NAME ...]` runs all or the named measurements: throughput, latency, memory, away, emitters, branches,
//! codec, programs, http, kafka, postgres. The servers run on one core and this process on the other, for Nervix and for the baseline alike.
//! The server is the `nervix` executable beside this one. Ends with 1 when a bound is missed, with 2 when a name is unknown.

mod away;
mod bare;
mod bento;
mod bound;
mod branches;
mod codec;
mod emitters;
mod graph;
mod http;
mod kafka;
mod latency;
mod memory;
mod peer;
mod postgres;
mod programs;
mod report;
mod runs;
mod throughput;

use std::process::ExitCode;

use crate::report::{Report, say};

const NAMES: [&str; 11] = [
    "throughput",
    "latency",
    "memory",
    "away",
    "emitters",
    "branches",
    "codec",
    "programs",
    "http",
    "kafka",
    "postgres",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if names.first().map(String::as_str) == Some("bare-server") {
        bare::serve(names.get(1).map(String::as_str).unwrap_or_default()).await;
        return ExitCode::SUCCESS;
    }
    // The processes of `programs` are of this executable.
    if let [name, _, memory] = names.as_slice()
        && name == "extension-worker"
    {
        let served = memory.parse().map(nervix_extension::serve);
        return if matches!(served, Ok(Ok(()))) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    if let [first, address, file] = names.as_slice()
        && first == "bare-requests"
    {
        http::send_bare(address, file);
        return ExitCode::SUCCESS;
    }
    if let [first, address, topic, linger @ ..] = names.as_slice()
        && first == "bare-producer"
    {
        kafka::produce_bare(address, topic, linger.first().map(String::as_str)).await;
        return ExitCode::SUCCESS;
    }
    if let [first, how, port] = names.as_slice()
        && first == "bare-inserts"
    {
        postgres::insert_bare(how, port).await;
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = names.iter().find(|name| !NAMES.contains(&name.as_str())) {
        say(&format!(
            "there is no measurement '{unknown}'; there are {}",
            NAMES.join(", ")
        ));
        return ExitCode::from(2);
    }
    let mut report = Report::new();
    report::pin(std::process::id(), report::CLIENT_CORE);
    for name in NAMES {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        match name {
            "throughput" => throughput::measure(&mut report).await,
            "latency" => latency::measure(&mut report).await,
            "memory" => memory::measure(&mut report).await,
            "away" => away::measure(&mut report).await,
            "emitters" => emitters::measure(&mut report).await,
            "branches" => branches::measure(&mut report).await,
            "codec" => codec::measure(&mut report),
            "http" => http::measure(&mut report).await,
            "kafka" => kafka::measure(&mut report).await,
            "postgres" => postgres::measure(&mut report).await,
            _ => programs::measure(&mut report).await,
        }
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
