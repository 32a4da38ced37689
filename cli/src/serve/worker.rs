//! `nervix worker`: a worker alone.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use nervix_data_plane::{Worker, WorkerHandle, WorkerOptions};
use tokio::task::JoinSet;

use super::{
    http::{self, Pages},
    limits::Limits,
    listen::Listen,
    ports::{self, Ports},
    signals::Stop,
    states,
};
use crate::{
    exit::{Exit, Failure},
    output,
};

const HOSTNAME: &str = "/proc/sys/kernel/hostname";

/// Run a worker alone
///
/// Attaches to a control plane, executes what it assigns, and serves Arrow Flight to applications. It goes on with what
/// it has while the control plane is away.
///
/// SIGTERM drains: no new records come in, emitters finish what they have within --drain-bound, what is left is answered
/// UNRESOLVED to its writer. A second signal ends at once.
///
/// Exit codes: 0 everything drained, 1 something was left, 2 could not run.
///
/// Examples:
///   nervix worker --server 10.0.0.1:7460 --node worker-1
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct WorkerCommand {
    /// Control API of the control plane
    #[arg(
        long,
        alias = "control-addr",
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:7460",
        env = "NERVIX_SERVER"
    )]
    server: String,
    /// Stable name of this node; the host's name when left out
    #[arg(long, value_name = "NAME", env = "NERVIX_NODE")]
    node: Option<String>,
    /// Folder of materialized states: of its own for each worker that is not to share its name
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".nervix",
        env = "NERVIX_DATA_DIR"
    )]
    data_dir: PathBuf,
    /// Address of Arrow Flight; port 0 picks a free one
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:7461",
        env = "NERVIX_FLIGHT_ADDR"
    )]
    flight_addr: Listen,
    /// What applications are told to reach this worker's Arrow Flight by; the listener's own address when left out
    #[arg(long, value_name = "HOST:PORT", env = "NERVIX_ADVERTISE_ADDR")]
    advertise: Option<String>,
    /// Address of metrics and health
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:7462",
        env = "NERVIX_HTTP_ADDR"
    )]
    http_addr: Listen,
    /// Write the addresses as JSON here, once the graph of this worker runs
    #[arg(long, value_name = "FILE")]
    ports_file: Option<PathBuf>,
    /// Listen beyond loopback, without TLS and without authentication
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    limits: Limits,
}

impl WorkerCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let mut stop = Stop::listen().map_err(Failure::io("signals"))?;
        self.flight_addr.check("--flight-addr", self.insecure)?;
        self.http_addr.check("--http-addr", self.insecure)?;
        ports::clear(self.ports_file.as_deref())?;
        let flight_listener = self.flight_addr.bind("--flight-addr").await?;
        let http_listener = self.http_addr.bind("--http-addr").await?;
        let http_addr = http_listener.local_addr().map_err(Failure::io("--http-addr"))?;
        let mut options = WorkerOptions::new(self.server.clone(), flight_listener, self.node_name());
        options.advertised.clone_from(&self.advertise);
        self.limits.set(&mut options);
        options.states = states::in_folder(&self.data_dir, &options.node);
        let worker = Arc::new(
            Worker::start(options)
                .await
                .map_err(|error| Failure::Usage(error.to_string()))?,
        );
        let mut server = JoinSet::new();
        server.spawn(http::serve(
            http_listener,
            Arc::new(WorkerPages(Arc::clone(&worker))),
        ));
        tokio::select! {
            biased;
            () = stop.requested() => {}
            () = worker.wait_ready() => {
                let ports = Ports { control: None, flight: Some(worker.flight_addr()), http: http_addr };
                ports::announce(&ports, self.ports_file.as_deref())?;
                stop.requested().await;
            }
        }
        tracing::info!("draining; a second signal ends at once");
        tokio::select! {
            biased;
            () = stop.requested() => Ok(Exit::Refused),
            exit = Box::pin(drain(&worker)) => Ok(exit),
        }
    }

    fn node_name(&self) -> String {
        let host = || {
            std::fs::read_to_string(HOSTNAME)
                .ok()
                .map(|name| name.trim().to_owned())
        };
        self.node
            .clone()
            .or_else(host)
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "worker".to_owned())
    }
}

/// Drains a worker and says what was left.
pub(super) async fn drain(worker: &WorkerHandle) -> Exit {
    let outcome = worker.drain().await;
    outcome
        .leftovers
        .iter()
        .for_each(|left| output::note(&format!("not drained: {left}")));
    if outcome.drained {
        Exit::Done
    } else {
        Exit::Refused
    }
}

struct WorkerPages(Arc<WorkerHandle>);

impl Pages for WorkerPages {
    fn metrics(&self) -> Vec<String> {
        vec![self.0.metrics()]
    }

    fn ready(&self) -> bool {
        self.0.ready()
    }
}
