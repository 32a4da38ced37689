//! The side of the process: jobs in, answers out, one at a time.
//!
//! Invariants: a job runs below the limit of memory, on a stack of bounded depth; the process ends when standard input does,
//! also in the middle of a job. A panic says nothing anywhere, since what it says may hold a value.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use bytes::Bytes;
use nervix_codec::Workshop;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use thiserror::Error;

use crate::frame;
use crate::note::Notes;

/// The stack of jobs: programs recurse.
const STACK_BYTES: usize = 64 << 20;

/// Why the process cannot serve, or serves no longer.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Only a node starts such a process, with a file as its standard error.
    #[error("an extension worker is started by nervix, not by hand")]
    ByHand,
    /// A pipe broke, or the system refuses a thread.
    #[error("the extension worker broke off: {0}")]
    Io(#[from] io::Error),
    /// The system refuses the limit.
    #[error("the extension worker cannot limit its memory")]
    Limit,
}

/// Runs jobs until standard input ends; then it ends the process. It returns only when it cannot go on.
///
/// # Errors
/// See [`ServeError`].
pub fn serve(memory_bytes: u64) -> Result<(), ServeError> {
    let notes = Notes::on_standard_error().map_err(|_| ServeError::ByHand)?;
    std::panic::set_hook(Box::new(|_| {}));
    setrlimit(Resource::RLIMIT_CORE, 0, 0).map_err(|_| ServeError::Limit)?;
    let (jobs, waiting) = sync_channel(1);
    let worker = thread::Builder::new()
        .name("jobs".to_owned())
        .stack_size(STACK_BYTES);
    worker.spawn(move || {
        let done = work(&waiting, notes, memory_bytes);
        std::process::exit(i32::from(done.is_err()));
    })?;
    let mut input = io::stdin().lock();
    while let Some(job) = frame::read(&mut input)? {
        if jobs.send(job).is_err() {
            break;
        }
    }
    std::process::exit(0)
}

fn work(jobs: &Receiver<Bytes>, mut notes: Notes, memory_bytes: u64) -> Result<(), ServeError> {
    let mut workshop = Workshop::default();
    let mut output = io::stdout().lock();
    let below = address_space()?.saturating_add(memory_bytes);
    while let Ok(job) = jobs.recv() {
        notes.job += 1;
        limit_memory(RLIM_INFINITY)?;
        let prepared = workshop.prepare(&job);
        limit_memory(below)?;
        let answer = prepared.and_then(|()| workshop.run(&job, &mut notes));
        // The node takes an empty answer for what it is: none.
        frame::write(&mut output, &answer.unwrap_or_default())?;
    }
    output.flush()?;
    Ok(())
}

fn limit_memory(bytes: u64) -> Result<(), ServeError> {
    let (_, most) = getrlimit(Resource::RLIMIT_AS).map_err(|_| ServeError::Limit)?;
    setrlimit(Resource::RLIMIT_AS, bytes.min(most), most).map_err(|_| ServeError::Limit)
}

/// Bytes of address space that the process has now.
fn address_space() -> Result<u64, ServeError> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kibibytes = size.and_then(|size| size.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kibibytes.map(|size| size * 1024).ok_or(ServeError::Limit)
}
