//! `nervix dev`: control plane, store and one worker in one process, talking as they do in a cluster, but
//! that nobody else can join in.

use std::{sync::Arc, time::Duration};

use clap::Args;
use nervix_client::Client;
use nervix_control_plane::{ControlHandle, ControlPlane};
use nervix_data_plane::{Worker, WorkerHandle, WorkerOptions};
use nervix_listener::within;
use nervix_store::Store;
use parking_lot::RwLock;
use tokio::task::JoinSet;

use super::{
    declared::Declared,
    http::{self, Pages},
    limits::Limits,
    ports::Ports,
    signals::Stop,
    states, store,
    surface::{ControlAddr, DataDir, FlightAddr, Surface},
    worker::drain,
};
use crate::{
    exit::{Exit, Failure},
    patience,
};

/// The worker's name.
const NODE: &str = "dev";
/// How often the worker is asked whether it executes what was applied.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How often at most: a minute.
const LOOKS_MAX: u32 = 3_000;

/// Run everything in one process, on this machine
///
/// Starts the control plane, its store, one worker and the HTTP server on loopback, and applies FILE. The store is kept
/// in ./.nervix, so that a restart goes on where this one ends; then FILE is compared with the stored catalog: the same,
/// and it goes on; different, and it lists the differences and ends. Nothing that was declared is changed silently.
///
/// SIGTERM, Ctrl-C or a closed terminal drains: no new records come in, emitters finish what they have within
/// --drain-bound, what is left is answered UNRESOLVED to its writer. A second signal ends at once.
///
/// Exit codes: 0 everything drained, 1 refused, something was left at the end, or serving failed, 2 could not run.
///
/// Examples:
///   nervix dev examples/flights/flights.nspl
///   nervix dev flights.nspl --reset
///   nervix dev --ephemeral --control-addr 127.0.0.1:0 --flight-addr 127.0.0.1:0 --http-addr 127.0.0.1:0 --ports-file p.json
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Dev {
    /// The script that declares everything
    file: Option<String>,
    /// Keep the store and materialized states in memory only: everything is forgotten at the end
    #[arg(long, conflicts_with = "reset")]
    ephemeral: bool,
    /// Forget the stored catalog and materialized states, and start over
    #[arg(long)]
    reset: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    control: ControlAddr,
    #[command(flatten)]
    flight: FlightAddr,
    #[command(flatten)]
    surface: Surface,
    #[command(flatten)]
    limits: Limits,
}

impl Dev {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let mut stop = Stop::listen().map_err(Failure::io("signals"))?;
        self.surface
            .prepare(&[self.control.listen(), self.flight.listen()])?;
        let declared = self.file.as_deref().map(Declared::read).transpose()?;
        let store = self.open_store()?;
        let started = tokio::select! {
            biased;
            () = stop.requested() => return Ok(Exit::Done),
            started = Box::pin(self.start(store, declared)) => started?,
        };
        Ok(Box::pin(started.end(&mut stop)).await)
    }

    fn open_store(&self) -> Result<Arc<dyn Store>, Failure> {
        if self.ephemeral {
            return store::in_memory();
        }
        if self.reset {
            store::forget(self.data.path())?;
            states::forget(self.data.path(), NODE)?;
        }
        store::in_folder(self.data.path())
    }

    async fn start(&self, store: Arc<dyn Store>, declared: Option<Declared>) -> Result<Started, Failure> {
        let mut options = self.control.options(store).await?;
        let flight_listener = self.flight.bind().await?;
        let (http_listener, http_addr) = self.surface.bind().await?;
        let pages = Arc::new(DevPages::default());
        let mut server = JoinSet::new();
        server.spawn(http::serve(http_listener, Arc::clone(&pages) as Arc<dyn Pages>));

        options.drain_bound = self.limits.drain_bound();
        // What is assigned has secrets: no other process may attach.
        let (dialler, dialled) = within();
        options.own_workers = Some(dialled);
        let control = ControlPlane::start(options)
            .await
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let control_addr = control.control_addr().to_string();
        let mut options = WorkerOptions::new(dialler, flight_listener, NODE);
        self.limits.set(&mut options);
        if !self.ephemeral {
            options.states = states::in_folder(self.data.path(), NODE);
        }
        let worker = Worker::start(options)
            .await
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let client = Client::connect(&control_addr).await?;
        worker.wait_ready().await;
        if let Some(declared) = &declared {
            declared.reconcile(&control, &client).await?;
            until_applied(&client, control.revision()).await?;
        }
        let ports = Ports {
            control: Some(control.control_addr()),
            flight: Some(worker.flight_addr()),
            http: http_addr,
        };
        let started = Started {
            control,
            worker: Arc::new(worker),
            pages,
            _server: server,
        };
        started.pages.show(&started.control, &started.worker);
        self.surface.announce(&ports)?;
        tracing::info!("ready; SIGTERM or Ctrl-C drains");
        Ok(started)
    }
}

/// Waits until the worker executes the catalog up to `revision`.
async fn until_applied(client: &Client, revision: u64) -> Result<(), Failure> {
    let mut looks = patience::looks(LOOK_EVERY);
    for _ in 0..LOOKS_MAX {
        looks.tick().await;
        if client
            .cluster_status()
            .await?
            .nodes
            .iter()
            .any(|node| node.applied_revision >= revision)
        {
            return Ok(());
        }
    }
    Err(Failure::Usage(
        "the worker did not start what was declared; its log lines above say why".to_owned(),
    ))
}

/// Everything that runs.
struct Started {
    control: ControlHandle,
    worker: Arc<WorkerHandle>,
    pages: Arc<DevPages>,
    _server: JoinSet<()>,
}

impl Started {
    /// Serves until it is to stop, and drains.
    async fn end(self, stop: &mut Stop) -> Exit {
        let exit = tokio::select! {
            () = stop.requested() => {
                tracing::info!("draining; a second signal ends at once");
                Exit::Done
            }
            () = self.control.stopped() => {
                tracing::error!("the control plane has stopped: draining");
                Exit::Refused
            }
        };
        tokio::select! {
            biased;
            () = stop.requested() => Exit::Refused,
            drained = Box::pin(self.drain()) => match exit {
                Exit::Done => drained,
                failed => failed,
            },
        }
    }

    async fn drain(self) -> Exit {
        self.pages.hide();
        let exit = drain(&self.worker).await;
        self.control.shutdown().await;
        exit
    }
}

/// The pages of the one process, once everything runs.
#[derive(Default)]
struct DevPages {
    parts: RwLock<Option<(ControlHandle, Arc<WorkerHandle>)>>,
}

impl DevPages {
    fn show(&self, control: &ControlHandle, worker: &Arc<WorkerHandle>) {
        *self.parts.write() = Some((control.clone(), Arc::clone(worker)));
    }

    fn hide(&self) {
        *self.parts.write() = None;
    }
}

impl Pages for DevPages {
    fn metrics(&self) -> Vec<String> {
        match &*self.parts.read() {
            Some((control, worker)) => vec![control.metrics(), worker.metrics()],
            None => Vec::new(),
        }
    }

    fn unready(&self) -> Option<String> {
        match &*self.parts.read() {
            Some((control, worker)) => control.unready().or_else(|| worker.unready()),
            None => Some("it starts, or drains".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Dev;
    use crate::{exit::Exit, serve::signals::Stop};

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        dev: Dev,
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_control_plane_that_fails_is_no_success_though_everything_drained() {
        let addresses = ["--control-addr", "--flight-addr", "--http-addr"];
        let free = addresses.iter().flat_map(|flag| [*flag, "127.0.0.1:0"]);
        let Arguments { dev } = Arguments::parse_from(["dev", "--ephemeral"].into_iter().chain(free));
        let mut stop = Stop::listen().unwrap();
        let started = dev.start(dev.open_store().unwrap(), None).await.unwrap();
        started.control.shutdown().await;
        assert_eq!(started.end(&mut stop).await, Exit::Refused);
    }
}
