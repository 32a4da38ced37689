//! The edge: the only room that knows protobuf and gRPC.
//!
//! Serves `nervix.v1.Control` for operators, with reflection and health, and `nervix.worker.v1.Workers` for workers: beside
//! it, or for those of this process alone.
//! It turns messages into the types of the other rooms and back, and decides nothing.

mod answer;
mod completion;
mod control;
mod forward;
mod refused;
mod resources;
mod uploads;
mod workers;

pub(crate) use forward::OtherControlPlanes;

use std::{io, sync::Arc, time::Duration};

use futures::{FutureExt, future::Shared};
use nervix_listener::{Blaming, Connections, Dialled};
use nervix_proto::{
    CONTROL_MESSAGE_BYTES_MAX, FILE_DESCRIPTOR_SET, WORKER_MESSAGE_BYTES_MAX,
    v1::control_server::ControlServer, worker::v1::workers_server::WorkersServer,
};
use tonic::transport::Server;

use crate::{change::Changes, control::StartError, tasks::Tasks};
use control::ControlApi;
use workers::WorkersApi;

/// How often an idle connection is asked whether the other side is still there.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// How long the answer to that may take.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// Calls that one connection may have open; what scripts of them are worked on or wait is bounded where they are judged.
const STREAMS_MAX: u32 = 64;

/// Resolves when the server has to end; every stream has a clone.
pub(super) type Stopping = Shared<futures::future::BoxFuture<'static, ()>>;

/// The server as a future that ends when the tasks are to end.
pub(crate) fn serve(
    (connections, own_workers): (Connections, Option<Dialled>),
    (changes, others): (Changes, Arc<OtherControlPlanes>),
    tasks: Tasks,
) -> Result<impl Future<Output = ()> + Send + 'static, StartError> {
    let stopping: Stopping = tasks.stopping().boxed().shared();
    let reflection = |builder: tonic_reflection::server::Builder<'static>| {
        builder
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .with_service_name("nervix.v1.Control")
            .with_service_name("grpc.health.v1.Health")
    };
    let v1 = reflection(tonic_reflection::server::Builder::configure()).build_v1()?;
    let v1alpha = reflection(tonic_reflection::server::Builder::configure()).build_v1alpha()?;
    let (health_reporter, health) = tonic_health::server::health_reporter();
    let control = ControlServer::new(ControlApi {
        changes: changes.clone(),
        others,
        tasks: tasks.clone(),
        stopping: stopping.clone(),
    })
    .max_decoding_message_size(CONTROL_MESSAGE_BYTES_MAX)
    .max_encoding_message_size(CONTROL_MESSAGE_BYTES_MAX);
    let workers = WorkersServer::new(WorkersApi {
        changes,
        tasks,
        stopping: stopping.clone(),
    })
    .max_decoding_message_size(WORKER_MESSAGE_BYTES_MAX)
    .max_encoding_message_size(WORKER_MESSAGE_BYTES_MAX);
    let workers = Blaming::new(workers);
    let beside = own_workers.is_none().then(|| workers.clone());
    let router = server()
        .add_service(v1)
        .add_service(v1alpha)
        .add_service(Blaming::new(health))
        .add_service(Blaming::new(control))
        .add_optional_service(beside);
    Ok(async move {
        health_reporter.set_serving::<ControlServer<ControlApi>>().await;
        let within = async {
            match own_workers {
                Some(own) => {
                    let router = server().add_service(workers);
                    router.serve_with_incoming_shutdown(own, stopping.clone()).await
                }
                None => Ok(()),
            }
        };
        let served = router.serve_with_incoming_shutdown(connections, stopping.clone());
        if let Err(error) = futures::try_join!(served, within) {
            tracing::error!(%error, "the control API ended");
        }
    })
}

fn server() -> Server {
    Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .max_concurrent_streams(STREAMS_MAX)
}

/// A listener that cannot be turned into a server.
impl From<tonic::transport::Error> for StartError {
    fn from(error: tonic::transport::Error) -> Self {
        Self::Listener(io::Error::other(error))
    }
}
