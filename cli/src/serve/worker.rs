//! `nervix worker`: a worker alone.

use std::sync::Arc;

use clap::Args;
use nervix_data_plane::{Worker, WorkerHandle, WorkerOptions};
use tokio::task::JoinSet;

use super::{
    http::{self, Pages},
    limits::Limits,
    ports::Ports,
    signals::Stop,
    states,
    surface::{DataDir, FlightAddr, Surface},
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
/// SIGTERM, Ctrl-C or a closed terminal drains: no new records come in, emitters finish what they have within
/// --drain-bound, what is left is answered UNRESOLVED to its writer. A second signal ends at once.
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
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    flight: FlightAddr,
    /// What applications are told to reach this worker's Arrow Flight by; the listener's own address when left out
    #[arg(long, value_name = "HOST:PORT", env = "NERVIX_ADVERTISE_ADDR")]
    advertise: Option<String>,
    #[command(flatten)]
    surface: Surface,
    #[command(flatten)]
    limits: Limits,
}

impl WorkerCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let mut stop = Stop::listen().map_err(Failure::io("signals"))?;
        self.surface.prepare(&[self.flight.listen()])?;
        let flight_listener = self.flight.bind().await?;
        let (http_listener, http_addr) = self.surface.bind().await?;
        let mut options = WorkerOptions::new(self.server.clone(), flight_listener, self.node_name());
        options.advertised.clone_from(&self.advertise);
        self.limits.set(&mut options);
        options.states = states::in_folder(self.data.path(), &options.node);
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
                self.surface.announce(&ports)?;
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
        output::note("drained: nothing is left");
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

    fn unready(&self) -> Option<String> {
        self.0.unready()
    }
}
