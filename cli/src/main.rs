//! The `nervix` executable: the server in one process or in parts, and the commands that talk to it.
//!
//! It wires rooms together and talks to the person; what a command means is decided in the rooms. Settings are read
//! once, here, from arguments and `NERVIX_*` variables.

mod apply;
mod check;
mod command;
mod connection;
mod consume;
mod describe;
mod exec;
mod exit;
#[cfg(feature = "extension")]
mod extension_worker;
mod fmt;
mod json;
mod logging;
mod output;
mod patience;
mod quantity;
mod script;
mod send;
mod serve;
mod shell;
mod target;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    process::ExitCode,
};

use clap::Parser;
use nervix_columns::frames::is_guarded;

use crate::{
    command::Arguments,
    exit::{Exit, Failure},
    serve::signals::survive_file_limits,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Also answers --help and --version, and ends with 2 for arguments that make no sense.
    let arguments = Arguments::parse();
    leave_guarded_panics_alone();
    #[cfg(feature = "extension")]
    if let Some(worker) = arguments.extension_worker() {
        return worker.run().unwrap_or_else(|failure| failure.exit()).into();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::note(&format!("error: the runtime does not start: {error}"));
            return Exit::CouldNotRun.into();
        }
    };
    let command = AssertUnwindSafe(|| runtime.block_on(Box::pin(run(arguments))));
    let exit = match catch_unwind(command).unwrap_or_else(|_| Err(panicked())) {
        Ok(exit) => exit,
        Err(failure) if failure.is_broken_pipe() => Exit::Done,
        Err(failure) => {
            output::note(&format!("error: {failure}"));
            failure.exit()
        }
    };
    // A thread that reads standard input cannot be interrupted; it must not keep the process.
    runtime.shutdown_background();
    exit.into()
}

/// A panic of the command is no other exit code than the documented ones.
fn panicked() -> Failure {
    Failure::Usage("the command panicked, which is a fault of nervix: the line above says where".to_owned())
}

/// Panics over what a peer sent are caught where it is read, and logged there; all others say where they are.
fn leave_guarded_panics_alone() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        if !is_guarded() {
            usual(panic);
        }
    }));
}

async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    survive_file_limits().map_err(Failure::io("signals"))?;
    arguments.run().await
}
