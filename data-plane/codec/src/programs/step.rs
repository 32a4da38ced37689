//! One step of a job: a program over one value, and what is done with its output.
//!
//! A step that was struck is not run. A panic below (in the interpreter of programs, or in a reader) is the failure of its
//! step, and of nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jaq_json::Val;
use nspl_jaq::Program;

use super::request::Struck;
use crate::fault::RecordFault;
use crate::jobs::{Step, Watch};

/// Runs the steps of one job.
pub(crate) struct Steps<'a> {
    pub(crate) struck: &'a [Struck],
    pub(crate) watch: &'a mut dyn Watch,
}

impl Steps<'_> {
    /// Runs a step, or gives the fault with which it was struck. `failed` says what a panic is.
    pub(crate) fn run<T>(
        &mut self,
        step: Step,
        failed: impl FnOnce() -> RecordFault,
        work: impl FnOnce() -> Result<T, RecordFault>,
    ) -> Result<T, RecordFault> {
        if let Some(struck) = self.struck.iter().find(|struck| struck.step == step) {
            return Err(struck.fault.clone());
        }
        self.watch.begins(step);
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(failed()))
    }
}

/// The one output of a program; else what it did instead, such as `produced no output`.
pub(crate) fn single_output(program: &Program, input: Val, now_ns: i64) -> Result<Val, &'static str> {
    let mut outputs = program.run(input, now_ns);
    let output = match outputs.next() {
        Some(Ok(output)) => output,
        Some(Err(_)) => return Err(FAILED),
        None => return Err(NO_OUTPUT),
    };
    match outputs.next() {
        None => Ok(output),
        Some(Ok(_)) => Err("produced more than one output"),
        Some(Err(_)) => Err(FAILED),
    }
}

/// What a program did that gave an error; its own text would quote a value.
pub(crate) const FAILED: &str = "failed";

/// What a program did that gave nothing.
pub(crate) const NO_OUTPUT: &str = "produced no output";
