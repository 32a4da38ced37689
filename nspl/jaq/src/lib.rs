//! Programs of the jq language in JAQ TRANSFORMATIONS (emitters.txt "Codec Behavior On Emission", rulings sections 3 and
//! 9), as the checker judges and the data plane runs them.
//!
//! A program reads its input and the instant it is given, and nothing else: what reads the environment, the clock, files
//! or further input, and what writes anywhere, is not there to be called. Time and memory of a run are not bounded here;
//! whoever runs programs does that.

mod barred;
mod fault;
mod library;
mod program;
mod time;

pub use fault::{Fault, Reason};
pub use jaq_json::Val;
pub use program::{PROGRAM_BYTES_MAX, Program, RunError};

#[cfg(test)]
mod tests;
