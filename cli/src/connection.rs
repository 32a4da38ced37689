//! How client commands find the server.

use clap::Args;
use nervix_client::{Client, ConnectOptions, Error};

use crate::exit::Failure;

/// `--server` and its companion.
#[derive(Args, Clone, Debug)]
pub(crate) struct Connection {
    /// Control API of the server
    #[arg(
        long,
        env = "NERVIX_SERVER",
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:7460"
    )]
    server: String,
    /// Arrow Flight of a worker; asked from the control API when left out
    #[arg(long, env = "NERVIX_FLIGHT", value_name = "HOST:PORT")]
    flight: Option<String>,
}

impl Connection {
    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let mut options = ConnectOptions::new(self.server.clone());
        options.flight.clone_from(&self.flight);
        options.connect().await.map_err(|error| match error {
            Error::Unreachable { address, message } => Failure::Usage(format!(
                "no server answers at {address} ({message}); start one with `nervix dev`, or name it with --server"
            )),
            other => Failure::Client(other),
        })
    }
}
