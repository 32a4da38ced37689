//! What every serving command has beside its own work: pages over HTTP, the ports file, and how far it may be heard.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use nervix_control_plane::{CONNECTIONS_DEFAULT, ControlOptions};
use nervix_store::Store;
use tokio::net::TcpListener;

use super::{
    listen::Listen,
    ports::{self, Ports},
};
use crate::{exit::Failure, quantity};

/// The arguments that serving commands share.
#[derive(Args, Clone, Debug)]
pub(super) struct Surface {
    /// Address of metrics and health
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:7462",
        env = "NERVIX_HTTP_ADDR"
    )]
    http_addr: Listen,
    /// Write the addresses as JSON here, once everything that was asked for is served
    #[arg(long, value_name = "FILE")]
    ports_file: Option<PathBuf>,
    /// Listen beyond loopback, without TLS and without authentication
    #[arg(long)]
    insecure: bool,
}

impl Surface {
    /// Refuses addresses that others can reach, unless told not to; then removes the ports file of an earlier process.
    pub(super) fn prepare(&self, addresses: &[(&str, Listen)]) -> Result<(), Failure> {
        for (flag, listen) in addresses.iter().chain([&("--http-addr", self.http_addr)]) {
            listen.check(flag, self.insecure)?;
        }
        ports::clear(self.ports_file.as_deref())
    }

    /// Binds the listener of the pages.
    pub(super) async fn bind(&self) -> Result<(TcpListener, SocketAddr), Failure> {
        let listener = self.http_addr.bind("--http-addr").await?;
        let address = listener.local_addr().map_err(Failure::io("--http-addr"))?;
        Ok((listener, address))
    }

    /// Says the addresses in the log, and in the file where one was asked for.
    pub(super) fn announce(&self, ports: &Ports) -> Result<(), Failure> {
        ports::announce(ports, self.ports_file.as_deref())
    }
}

/// `--control-addr`, and how many may be connected there.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ControlAddr {
    /// Address of the control API; port 0 picks a free one
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:7460",
        env = "NERVIX_CONTROL_ADDR"
    )]
    control_addr: Listen,
    /// Connections of the control API at a time; past them the newest is closed
    #[arg(long, value_name = "CONNECTIONS", default_value_t = CONNECTIONS_DEFAULT, value_parser = quantity::count)]
    control_max_connections: usize,
}

impl ControlAddr {
    /// The flag and its address.
    pub(super) fn listen(self) -> (&'static str, Listen) {
        ("--control-addr", self.control_addr)
    }

    /// What a control plane on this address is started with.
    pub(super) async fn options(self, store: Arc<dyn Store>) -> Result<ControlOptions, Failure> {
        let listener = self.control_addr.bind("--control-addr").await?;
        let mut options = ControlOptions::new(listener, store);
        options.max_connections = self.control_max_connections;
        Ok(options)
    }
}

/// `--flight-addr`.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct FlightAddr {
    /// Address of Arrow Flight; port 0 picks a free one
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:7461",
        env = "NERVIX_FLIGHT_ADDR"
    )]
    flight_addr: Listen,
}

impl FlightAddr {
    /// The flag and its address.
    pub(super) fn listen(self) -> (&'static str, Listen) {
        ("--flight-addr", self.flight_addr)
    }

    pub(super) async fn bind(self) -> Result<TcpListener, Failure> {
        self.flight_addr.bind("--flight-addr").await
    }
}

/// `--data-dir`.
#[derive(Args, Clone, Debug)]
pub(super) struct DataDir {
    /// Folder of what this process keeps: the store where it has one, and materialized states. Processes that run beside
    /// one another under one node name need folders of their own
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".nervix",
        env = "NERVIX_DATA_DIR"
    )]
    data_dir: PathBuf,
}

impl DataDir {
    pub(super) fn path(&self) -> &Path {
        &self.data_dir
    }
}
