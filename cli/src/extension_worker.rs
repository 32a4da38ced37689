//! `nervix extension-worker`: a process that runs the programs of codecs for a worker.
//!
//! Hidden: only a worker starts it, with pipes and a limit. It has no runtime and logs nothing.

use clap::Args;

use crate::exit::{Exit, Failure};

/// Run the programs of codecs; started by a worker, never by hand
#[derive(Args, Debug)]
pub(crate) struct ExtensionWorker {
    /// Bytes of address space that it may take for its jobs
    #[arg(long, value_name = "BYTES")]
    memory: u64,
}

impl ExtensionWorker {
    pub(crate) fn run(&self) -> Result<Exit, Failure> {
        nervix_extension::serve(self.memory).map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Exit::Done)
    }
}
