//! The commands, and what stands above all of them in `--help`.

use clap::{Parser, Subcommand};

#[cfg(feature = "extension")]
use crate::extension_worker::ExtensionWorker;
use crate::{
    apply::Apply,
    check::Check,
    consume::Consume,
    describe::Describe,
    exec::Exec,
    exit::{Exit, Failure},
    fmt::Fmt,
    logging,
    send::Send,
    serve::{control_plane::ControlPlaneCommand, dev::Dev, worker::WorkerCommand},
    shell::Shell,
};

/// Nervix delivers records to the outside world.
///
/// Pipelines are declared in NSPL; records come in and go out as Arrow record batches; each one is delivered, rejected
/// with a reason, or kept and retried.
///
/// Start here:
///   nervix dev pipeline.nspl                    everything in one process, on this machine
///   nervix send travel.flights_in rows.ndjson   write records into an ingestor
///   nervix consume travel.delayed               read and acknowledge what an emitter delivers
///   nervix shell                                type statements, with history and completion
///
/// Addresses: control API 127.0.0.1:7460, Arrow Flight 127.0.0.1:7461, metrics and health 127.0.0.1:7462.
/// Client commands take --server or NERVIX_SERVER. NERVIX_LOG sets what is logged, such as `debug`.
#[derive(Parser, Debug)]
#[command(name = "nervix", version, verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Dev(Box<Dev>),
    ControlPlane(ControlPlaneCommand),
    Worker(Box<WorkerCommand>),
    Apply(Apply),
    Exec(Exec),
    Shell(Shell),
    Check(Check),
    Fmt(Fmt),
    Describe(Describe),
    Send(Send),
    Consume(Consume),
    #[cfg(feature = "extension")]
    #[command(hide = true)]
    ExtensionWorker(ExtensionWorker),
}

impl Arguments {
    /// The one command that runs without a runtime: it is to have no threads but its own.
    #[cfg(feature = "extension")]
    pub(crate) fn extension_worker(&self) -> Option<&ExtensionWorker> {
        match &self.command {
            Command::ExtensionWorker(worker) => Some(worker),
            _ => None,
        }
    }

    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        logging::start(match self.command {
            Command::Dev(_) | Command::ControlPlane(_) | Command::Worker(_) => "info",
            // It tells by itself why it waits.
            Command::Send(_) => "warn,nervix_client=error",
            _ => "warn",
        });
        match self.command {
            Command::Dev(dev) => Box::pin(dev.run()).await,
            Command::ControlPlane(control_plane) => Box::pin(control_plane.run()).await,
            Command::Worker(worker) => Box::pin(worker.run()).await,
            Command::Apply(apply) => Box::pin(apply.run()).await,
            Command::Exec(exec) => Box::pin(exec.run()).await,
            Command::Shell(shell) => Box::pin(shell.run()).await,
            Command::Check(check) => check.run(),
            Command::Fmt(fmt) => fmt.run(),
            Command::Describe(describe) => Box::pin(describe.run()).await,
            Command::Send(send) => Box::pin(send.run()).await,
            Command::Consume(consume) => Box::pin(consume.run()).await,
            #[cfg(feature = "extension")]
            Command::ExtensionWorker(worker) => worker.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
