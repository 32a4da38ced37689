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

use std::process::ExitCode;

use clap::Parser;

use crate::{command::Arguments, exit::Exit};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Also answers --help and --version, and ends with 2 for arguments that make no sense.
    let arguments = Arguments::parse();
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
    let exit = match runtime.block_on(Box::pin(arguments.run())) {
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
