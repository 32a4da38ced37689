//! Extension workers: processes that run the jobs of codecs and can really be stopped (rulings section 9, jaq programs;
//! `emitters.txt`, Batch payloads).
//!
//! [`Pool`] is the side of the node: it starts processes, hands each one job at a time, and ends the one whose step takes
//! too long. [`serve`] is the side of the process: it reads jobs from standard input and writes answers to standard output,
//! below a limit of memory.
//!
//! Invariants: there are never more processes than the pool has seats, nor more jobs waiting than it has places; a job that
//! is abandoned takes its process with it; a process does not outlive the node. What a job stood at when its process ended
//! is known, also after a kill: the process notes each step in a file of its own before the step begins.
//!
//! Deliberately absent: what is in a job (the codecs know it) and what becomes of a record.

mod exchange;
mod frame;
mod limits;
mod note;
mod pool;
mod process;
mod serve;

pub use limits::{
    ExtensionLimits, MEMORY_BYTES_DEFAULT, STEP_TIME_DEFAULT, STOPPED_LINES_MAX, STOPPED_PERIOD,
};
pub use pool::Pool;
pub use serve::{ServeError, serve};
