//! A control plane of the test's own: it hears what a worker says and says what the test wants.

use std::{net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use futures::{Stream, StreamExt, stream::BoxStream};
use nervix_proto::worker::v1::{
    Assign, Assignment, ControlMessage, Domain, EntityId, ReadResourceRequest, ReadResourceResponse,
    Registered, WorkerMessage,
    control_message::Body as Say,
    worker_message::Body as Hear,
    workers_server::{Workers, WorkersServer},
};
use parking_lot::Mutex;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

use super::model::DOMAIN;
use crate::supervisor::{Supervisor, Task};

pub(super) const SCHEMA: &str = "CREATE SCHEMA orders (id I64, key STRING, amount I64 OPTIONAL);";
pub(super) const RELAY: &str = "CREATE RELAY orders SCHEMA orders UNBRANCHED;";
pub(super) const INGESTOR: &str = "CREATE INGESTOR in FROM CLIENT SCHEMA orders MODE ACK TO orders INHERIT ALL \
     UNBRANCHED FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";
pub(super) const EMITTER: &str = "CREATE EMITTER out FROM orders TO CLIENT SCHEMA orders MODE ACK PARALLEL MAX 64 \
     ACK TIMEOUT 30s RETRY POLICY BACKOFF 5ms MAX 20ms INHERIT ALL BATCH MAX MESSAGES 1000 MAX SIZE 1MiB \
     FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";

type Out = Pin<Box<dyn Stream<Item = Result<ControlMessage, Status>> + Send>>;

/// One attached worker.
pub(super) struct Attached {
    pub(super) say: mpsc::Sender<Result<ControlMessage, Status>>,
    pub(super) hear: Streaming<WorkerMessage>,
}

impl Attached {
    pub(super) async fn say(&self, body: Say) {
        self.say
            .send(Ok(ControlMessage { body: Some(body) }))
            .await
            .unwrap();
    }

    /// The next message that is no lease.
    pub(super) async fn hear(&mut self) -> Hear {
        loop {
            match self.hear.message().await.unwrap().unwrap().body.unwrap() {
                Hear::Lease(_) => {}
                other => return other,
            }
        }
    }

    /// Assigns and gives what could not be started.
    pub(super) async fn assign(&mut self, assign: Assign) -> Vec<String> {
        let revision = assign.revision;
        self.say(Say::Assign(assign)).await;
        loop {
            if let Hear::Applied(applied) = self.hear().await {
                assert_eq!(applied.revision, revision);
                return applied
                    .failures
                    .into_iter()
                    .map(|failure| failure.message)
                    .collect();
            }
        }
    }
}

#[derive(Clone)]
struct Service(mpsc::Sender<Attached>);

#[tonic::async_trait]
impl Workers for Service {
    type AttachStream = Out;
    type ReadResourceStream = BoxStream<'static, Result<ReadResourceResponse, Status>>;

    async fn read_resource(
        &self,
        _request: Request<ReadResourceRequest>,
    ) -> Result<Response<Self::ReadResourceStream>, Status> {
        Err(Status::unavailable("this control plane has no resources"))
    }

    async fn attach(&self, request: Request<Streaming<WorkerMessage>>) -> Result<Response<Out>, Status> {
        let (say, messages) = mpsc::channel(16);
        let attached = Attached {
            say,
            hear: request.into_inner(),
        };
        self.0
            .send(attached)
            .await
            .map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(messages).boxed()))
    }
}

/// A listener that workers attach to.
pub(super) struct ControlPlane {
    pub(super) addr: SocketAddr,
    attached: Arc<Mutex<Option<mpsc::Receiver<Attached>>>>,
    _serving: Task,
}

impl ControlPlane {
    pub(super) async fn start(supervisor: &Supervisor) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (came, attached) = mpsc::channel(4);
        let serving = async move {
            let service = WorkersServer::new(Service(came));
            Server::builder()
                .add_service(service)
                .serve_with_incoming(TcpListenerStream::new(listener))
                .await
                .unwrap();
        };
        let serving = supervisor.once(serving, || panic!("the control plane of the test panicked"));
        Self {
            addr,
            attached: Arc::new(Mutex::new(Some(attached))),
            _serving: serving,
        }
    }

    /// The next worker that attaches, with what it registered; it is given a lease of a minute.
    pub(super) async fn next(&self) -> (Attached, nervix_proto::worker::v1::Register) {
        let mut queue = self.attached.lock().take().unwrap();
        let mut attached = queue.recv().await.unwrap();
        *self.attached.lock() = Some(queue);
        let Hear::Register(register) = attached.hear().await else {
            panic!("the first message is no Register")
        };
        attached
            .say(Say::Registered(Registered {
                lease_ms: Duration::from_secs(60).as_millis() as u64,
            }))
            .await;
        (attached, register)
    }
}

pub(super) fn entity(kind: &str, name: &str) -> EntityId {
    EntityId {
        domain: DOMAIN.into(),
        kind: kind.into(),
        name: name.into(),
    }
}

pub(super) fn domain(running: bool, run_generation: u64) -> Domain {
    Domain {
        name: DOMAIN.into(),
        statement: "CREATE UNPACED DOMAIN shop;".into(),
        running,
        run_generation,
        fingerprint_key: vec![3; 32],
        ..Domain::default()
    }
}

pub(super) fn assignment(generation: u64, kind: &str, name: &str, statement: &str) -> Assignment {
    let statements = [SCHEMA, RELAY, statement].map(str::to_owned).to_vec();
    Assignment {
        entity: Some(entity(kind, name)),
        generation,
        statements,
    }
}

/// The whole graph.
pub(super) fn graph(revision: u64) -> Assign {
    Assign {
        revision,
        full: true,
        domains: vec![domain(true, 1)],
        assignments: vec![
            assignment(1, "INGESTOR", "in", INGESTOR),
            assignment(1, "EMITTER", "out", EMITTER),
        ],
        ..Assign::default()
    }
}
