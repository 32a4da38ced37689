//! `nervix control-plane`: the control plane alone.

use std::{sync::Arc, time::Duration};

use clap::Args;
use nervix_control_plane::{ControlHandle, ControlPlane};
use tokio::task::JoinSet;

use super::{
    http::{self, Pages},
    ports::Ports,
    signals::Stop,
    store,
    surface::{ControlAddr, Surface},
};
use crate::{
    exit::{Exit, Failure},
    quantity,
};

/// Run the control plane alone
///
/// Checks and stores what is declared, and assigns it to the workers that attach. Executes nothing itself: start at
/// least one `nervix worker`. Workers go on with what they have while the control plane is away.
///
/// The store is a folder (one control plane at a time), or etcd (several control planes; needs a nervix that was built
/// with the feature `etcd`), where each needs an address of its own that the others reach. None is elected: where a
/// control plane and its worker are gone together, DROP NODE at another one moves what that worker executed.
///
/// There is no TLS and no authentication yet: whoever reaches the control API may change everything, and may attach as a
/// worker, which is sent secrets. Let only operators and workers reach it.
///
/// Exit codes: 0 ended by a signal, 1 serving failed, 2 could not run.
///
/// Examples:
///   nervix control-plane --store /var/lib/nervix
///   nervix control-plane --store etcd://10.0.0.1:2379,10.0.0.2:2379 --control-addr 10.0.0.5:7460 --insecure
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ControlPlaneCommand {
    /// The store: a folder, or etcd://host:port,...
    #[arg(long, value_name = "STORE", default_value = ".nervix", env = "NERVIX_STORE")]
    store: String,
    #[command(flatten)]
    control: ControlAddr,
    /// What other control planes on the same etcd are told to reach this one by; the listener's own address when left out
    #[arg(long, value_name = "HOST:PORT", env = "NERVIX_CONTROL_ADVERTISE_ADDR")]
    advertise: Option<String>,
    #[command(flatten)]
    surface: Surface,
    /// How long a change waits for what it touches to drain; past it, the change is refused
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = quantity::duration)]
    drain_bound: Duration,
}

impl ControlPlaneCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let mut stop = Stop::listen().map_err(Failure::io("signals"))?;
        self.surface.prepare(&[self.control.listen()])?;
        let store = store::named(&self.store).await?;
        let mut options = self.control.options(store).await?;
        let (http_listener, http_addr) = self.surface.bind().await?;
        options.drain_bound = self.drain_bound;
        options.mounts_only = true;
        options.advertised_addr = self.advertise;
        let control = ControlPlane::start(options)
            .await
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let mut server = JoinSet::new();
        server.spawn(http::serve(
            http_listener,
            Arc::new(ControlPages(control.clone())),
        ));
        let ports = Ports {
            control: Some(control.control_addr()),
            flight: None,
            http: http_addr,
        };
        self.surface.announce(&ports)?;
        tokio::select! {
            () = stop.requested() => tracing::info!("ending"),
            () = control.stopped() => {
                return Err(Failure::Refused("the control API has stopped; its log lines above say why".to_owned()));
            }
        }
        tokio::select! {
            biased;
            () = stop.requested() => {}
            () = control.shutdown() => {}
        }
        Ok(Exit::Done)
    }
}

struct ControlPages(ControlHandle);

impl Pages for ControlPages {
    fn metrics(&self) -> Vec<String> {
        vec![self.0.metrics()]
    }

    fn unready(&self) -> Option<String> {
        self.0.unready()
    }
}
