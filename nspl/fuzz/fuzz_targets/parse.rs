//! `cargo +nightly fuzz run parse corpus ../tests/corpus ../syntax/tests/corpus` in nspl/fuzz.

#![no_main]

#[path = "../targets.rs"]
mod targets;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| (targets::TARGETS[0].1)(text));
