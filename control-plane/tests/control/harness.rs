//! A control plane on a free port, a client of it, and a worker that only speaks the protocol.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    sync::Arc,
    time::Duration,
};

use futures::StreamExt;
use nervix_clock::ManualClock;
use nervix_control_plane::{ControlHandle, ControlOptions, ControlPlane, LEASE};
use nervix_proto::{
    v1::{
        ConsumersStatus, DescribeEntityRequest, DescribeEntityResponse, EmitterStatus, ExecuteRequest,
        ExecuteResponse, GetClusterStatusRequest, Node, control_client::ControlClient, diagnostic::Severity,
        statement_result::Status,
    },
    worker::v1::{
        Applied, Assign, Assignment, ControlMessage, DescribeResult, Domain, Drain, DrainResult, EntityId,
        Lease, Line, Register, WorkerMessage, control_message, worker_message::Body,
        workers_client::WorkersClient,
    },
};
use nervix_store::{EmbeddedStore, Store};
use prost::Message;
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    task::JoinSet,
    time::timeout,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Streaming, transport::Channel};

pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// How long a test waits for something that has to happen.
pub(crate) const BOUND: Duration = Duration::from_secs(30);

/// A whole small graph in a running domain.
pub(crate) const GRAPH: &str = "
CREATE DOMAIN d; USE d;
BEGIN;
CREATE SCHEMA s (id I64, origin STRING);
CREATE RELAY r SCHEMA s UNBRANCHED;
CREATE INGESTOR i FROM CLIENT SCHEMA s MODE ACK TO r INHERIT ALL UNBRANCHED FLUSH IMMEDIATE
  ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
CREATE EMITTER e FROM r TO CLIENT SCHEMA s MODE ACK SEQUENTIAL ACK TIMEOUT 30s RETRY POLICY BACKOFF 100ms MAX 1s
  INHERIT ALL BATCH MAX MESSAGES 100 MAX SIZE 1MiB FLUSH IMMEDIATE ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;
COMMIT;
START;
";

/// A resource in a domain.
pub(crate) const RESOURCE: &str = "CREATE DOMAIN d; USE d; CREATE RESOURCE files;";

/// Another emitter of the same relay.
pub(crate) fn emitter(name: &str, flush: &str) -> String {
    format!(
        "CREATE EMITTER {name} FROM r TO CLIENT SCHEMA s MODE ACK SEQUENTIAL ACK TIMEOUT 30s \
         RETRY POLICY BACKOFF 100ms MAX 1s INHERIT ALL BATCH MAX MESSAGES 100 MAX SIZE 1MiB {flush} \
         ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;"
    )
}

/// A control plane and a client of it.
pub(crate) struct Control {
    pub(crate) handle: ControlHandle,
    pub(crate) client: ControlClient<Channel>,
}

impl Control {
    pub(crate) async fn in_memory() -> Result<Self, Box<dyn Error>> {
        Self::on(Arc::new(EmbeddedStore::in_memory()?)).await
    }

    /// One whose domain `d` runs [`GRAPH`].
    pub(crate) async fn with_graph() -> Result<Self, Box<dyn Error>> {
        let mut control = Self::in_memory().await?;
        control.ok("", GRAPH).await?;
        Ok(control)
    }

    /// One whose domain `d` has the resource `files`, without versions.
    pub(crate) async fn with_resource() -> Result<Self, Box<dyn Error>> {
        let mut control = Self::in_memory().await?;
        control.ok("", RESOURCE).await?;
        Ok(control)
    }

    pub(crate) async fn on(store: Arc<dyn Store>) -> Result<Self, Box<dyn Error>> {
        Self::with(store, |options| options).await
    }

    /// One on a clock that stands still.
    pub(crate) async fn standing(store: Arc<dyn Store>) -> Result<(Self, ManualClock), Box<dyn Error>> {
        let hands = ManualClock::new();
        let clock = hands.physical();
        let control = Self::with(store, |options| ControlOptions { clock, ..options }).await?;
        Ok((control, hands))
    }

    pub(crate) async fn with(
        store: Arc<dyn Store>,
        change: impl FnOnce(ControlOptions) -> ControlOptions,
    ) -> Result<Self, Box<dyn Error>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let handle = ControlPlane::start(change(ControlOptions::new(listener, store))).await?;
        let client = ControlClient::connect(format!("http://{}", handle.control_addr())).await?;
        Ok(Self { handle, client })
    }

    /// Each node that is known.
    pub(crate) async fn nodes(&mut self) -> Result<Vec<Node>, tonic::Status> {
        let asked = self.client.get_cluster_status(GetClusterStatusRequest {});
        Ok(asked.await?.into_inner().nodes)
    }

    /// Lets a lease pass on the clock of this control plane, while these workers of it give signs of life.
    pub(crate) async fn pass_a_lease(&mut self, hands: &ManualClock, alive: &[&FakeWorker]) -> Outcome {
        for _ in 0..3 {
            hands.advance(LEASE / 2).await;
            for worker in alive {
                worker.renew().await?;
            }
            let seen = timeout(BOUND, async {
                let is_seen = |node: &Node| node.state != "connected" || node.last_seen_s == 0.0;
                while !self.nodes().await?.iter().all(is_seen) {}
                Ok::<_, tonic::Status>(())
            });
            seen.await??;
        }
        Ok(())
    }

    /// Waits until it answers these nodes with these states: what others commit reaches it a moment later.
    pub(crate) async fn sees(&mut self, expected: &[&str]) -> Outcome {
        let mut last = Vec::new();
        let seen = timeout(BOUND, async {
            while last != expected {
                let nodes = self.nodes().await?.into_iter();
                last = nodes
                    .map(|node| format!("{} {}", node.name, node.state))
                    .collect();
            }
            Ok::<_, tonic::Status>(())
        });
        match seen.await {
            Ok(seen) => Ok(seen?),
            Err(_) => Err(format!("{expected:?} are not seen, but {last:?}").into()),
        }
    }

    pub(crate) async fn run(&mut self, domain: &str, script: &str) -> Result<ExecuteResponse, tonic::Status> {
        let request = ExecuteRequest {
            script: script.into(),
            domain: domain.into(),
            file: "test.nspl".into(),
        };
        self.client
            .execute(request)
            .await
            .map(tonic::Response::into_inner)
    }

    /// Runs a script that has to succeed.
    pub(crate) async fn ok(&mut self, domain: &str, script: &str) -> Result<ExecuteResponse, Box<dyn Error>> {
        let answer = self.run(domain, script).await?;
        let faults: Vec<_> = errors(&answer);
        assert!(faults.is_empty(), "{script}\n{}", faults.join("\n"));
        assert!(
            answer
                .results
                .iter()
                .all(|result| { matches!(result.status(), Status::Ok | Status::AlreadyExisted) })
        );
        Ok(answer)
    }

    /// Runs a script that has to be refused; answers its rendered errors.
    pub(crate) async fn refused(&mut self, domain: &str, script: &str) -> Result<String, Box<dyn Error>> {
        let answer = self.run(domain, script).await?;
        let faults = errors(&answer);
        assert!(!faults.is_empty(), "{script} was accepted: {answer:?}");
        Ok(faults.join("\n"))
    }

    /// The lines of DESCRIBE.
    pub(crate) async fn describe(
        &mut self,
        kind: &str,
        name: &str,
    ) -> Result<BTreeMap<String, String>, tonic::Status> {
        let properties = self.entity(kind, name).await?.properties;
        Ok(properties
            .into_iter()
            .map(|line| (line.key, line.value))
            .collect())
    }

    /// An entity of domain d with everything that is known of it.
    pub(crate) async fn entity(
        &mut self,
        kind: &str,
        name: &str,
    ) -> Result<DescribeEntityResponse, tonic::Status> {
        let request = DescribeEntityRequest {
            domain: "d".into(),
            kind: kind.into(),
            name: name.into(),
        };
        Ok(self.client.describe_entity(request).await?.into_inner())
    }
}

fn errors(answer: &ExecuteResponse) -> Vec<String> {
    let errors = answer
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity() == Severity::Error);
    errors.map(|diagnostic| diagnostic.rendered.clone()).collect()
}

/// What a worker knows, as it was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) revision: u64,
    pub(crate) fulls: usize,
    pub(crate) steps: usize,
    pub(crate) domains: BTreeMap<String, Domain>,
    pub(crate) entities: BTreeMap<String, Assignment>,
    pub(crate) drains: Vec<Drain>,
    pub(crate) resumed: BTreeSet<u64>,
    pub(crate) moved_to: String,
    pub(crate) ended: bool,
}

impl Known {
    pub(crate) fn generations(&self) -> BTreeMap<String, u64> {
        self.entities
            .iter()
            .map(|(name, assignment)| (name.clone(), assignment.generation))
            .collect()
    }
}

/// What a worker answers to a drain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drains {
    Succeed,
    Fail,
    NeverAnswer,
}

/// A worker that executes nothing; dropped, its stream ends.
pub(crate) struct FakeWorker {
    pub(crate) known: watch::Receiver<Known>,
    pub(crate) outbox: mpsc::Sender<WorkerMessage>,
    _tasks: JoinSet<()>,
}

impl FakeWorker {
    pub(crate) async fn attach(handle: &ControlHandle, node: &str) -> Result<Self, Box<dyn Error>> {
        Self::with(handle, node, Drains::Succeed).await
    }

    pub(crate) async fn with(
        handle: &ControlHandle,
        node: &str,
        drains: Drains,
    ) -> Result<Self, Box<dyn Error>> {
        Self::built_with(handle, node, drains, &["CLIENT"]).await
    }

    /// A worker that was built with these kinds of source and sink.
    pub(crate) async fn built_with(
        handle: &ControlHandle,
        node: &str,
        drains: Drains,
        kinds: &[&str],
    ) -> Result<Self, Box<dyn Error>> {
        let register = Register {
            kinds: kinds.iter().map(|kind| (*kind).into()).collect(),
            ..Self::registration(node)
        };
        Self::registered(handle, register, drains).await
    }

    /// What a worker says of itself that runs what every build does.
    pub(crate) fn registration(node: &str) -> Register {
        Register {
            node: node.into(),
            flight_address: format!("{node}.test:7461"),
            kinds: vec!["CLIENT".into()],
            holdings: Vec::new(),
            flight_message_bytes_max: 0,
            instance: String::new(),
        }
    }

    /// A worker that says this of itself.
    pub(crate) async fn registered(
        handle: &ControlHandle,
        register: Register,
        drains: Drains,
    ) -> Result<Self, Box<dyn Error>> {
        let mut client = WorkersClient::connect(format!("http://{}", handle.control_addr())).await?;
        let (outbox, messages) = mpsc::channel(64);
        outbox
            .send(WorkerMessage {
                body: Some(Body::Register(register)),
            })
            .await?;
        let mut stream = client.attach(ReceiverStream::new(messages)).await?.into_inner();
        let first = stream.message().await?.and_then(|message| message.body);
        let Some(control_message::Body::Registered(registered)) = first else {
            return Err(format!("the first message is {first:?}").into());
        };
        let (told, known) = watch::channel(Known::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(live(stream, outbox.clone(), told, drains));
        tasks.spawn(renew(
            outbox.clone(),
            Duration::from_millis(registered.lease_ms / 3),
        ));
        Ok(Self {
            known,
            outbox,
            _tasks: tasks,
        })
    }

    /// Gives a sign of life.
    async fn renew(&self) -> Outcome {
        let body = Some(Body::Lease(Lease {}));
        Ok(self.outbox.send(WorkerMessage { body }).await?)
    }

    /// Waits for the two entities of [`GRAPH`].
    pub(crate) async fn until_graph(&mut self) -> Result<Known, Box<dyn Error>> {
        self.until("the graph", |known| known.entities.len() == 2).await
    }

    /// Waits until what the worker knows is as it should be.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        is: impl FnMut(&Known) -> bool,
    ) -> Result<Known, Box<dyn Error>> {
        let reached = timeout(BOUND, self.known.wait_for(is))
            .await
            .map(|known| known.map(|known| known.clone()));
        match reached {
            Ok(known) => Ok(known?),
            Err(_) => Err(format!("not reached: {what}; known is {:?}", *self.known.borrow()).into()),
        }
    }
}

async fn renew(outbox: mpsc::Sender<WorkerMessage>, every: Duration) {
    let mut tick = tokio::time::interval(every.max(Duration::from_millis(1)));
    loop {
        tick.tick().await;
        if outbox
            .send(WorkerMessage {
                body: Some(Body::Lease(Lease {})),
            })
            .await
            .is_err()
        {
            return;
        }
    }
}

/// What a [`FakeWorker`] counts of every emitter.
pub(crate) fn emitter_status() -> EmitterStatus {
    EmitterStatus {
        sent: 7,
        consumers: Some(ConsumersStatus {
            active: 2,
            ..ConsumersStatus::default()
        }),
        ..EmitterStatus::default()
    }
}

async fn live(
    mut stream: Streaming<ControlMessage>,
    outbox: mpsc::Sender<WorkerMessage>,
    told: watch::Sender<Known>,
    drains: Drains,
) {
    while let Some(Ok(ControlMessage { body: Some(body) })) = stream.next().await {
        let answer = match body {
            control_message::Body::Registered(_) => None,
            control_message::Body::Assign(assign) => {
                let (revision, more) = (assign.revision, assign.more);
                told.send_modify(|known| apply(known, assign));
                (!more).then_some(Body::Applied(Applied {
                    revision,
                    failures: Vec::new(),
                }))
            }
            control_message::Body::Drain(drain) => {
                let id = drain.id;
                told.send_modify(|known| known.drains.push(drain));
                let result = |drained, message: &str| {
                    Body::DrainResult(DrainResult {
                        id,
                        drained,
                        message: message.into(),
                    })
                };
                match drains {
                    Drains::Succeed => Some(result(true, "")),
                    Drains::Fail => Some(result(false, "it still holds 3 batches")),
                    Drains::NeverAnswer => None,
                }
            }
            control_message::Body::Resume(resume) => {
                told.send_modify(|known| known.resumed.extend([resume.id]));
                None
            }
            control_message::Body::Describe(describe) => {
                let line = |key: &str, value: &str| Line {
                    key: key.into(),
                    value: value.into(),
                };
                let lines = vec![
                    line("consumers", "active 2"),
                    line("state", "running"),
                    line("metrics", "sent 7"),
                ];
                Some(Body::DescribeResult(DescribeResult {
                    id: describe.id,
                    found: true,
                    lines,
                    emitter_status: emitter_status().encode_to_vec(),
                }))
            }
        };
        if let Some(body) = answer
            && outbox.send(WorkerMessage { body: Some(body) }).await.is_err()
        {
            break;
        }
    }
    told.send_modify(|known| known.ended = true);
}

pub(crate) fn name(entity: &EntityId) -> String {
    format!("{} {} {}", entity.domain, entity.kind, entity.name)
}

fn apply(known: &mut Known, assign: Assign) {
    if assign.full && assign.revision != known.revision {
        known.fulls += 1;
        known.domains.clear();
        known.entities.clear();
    }
    known.steps += 1;
    known.revision = assign.revision;
    known.moved_to = assign.moved_to;
    for domain in assign.domains {
        known.domains.insert(domain.name.clone(), domain);
    }
    for domain in assign.removed_domains {
        known.domains.remove(&domain);
    }
    for assignment in assign.assignments {
        let entity = assignment.entity.clone().unwrap_or_default();
        known.entities.insert(name(&entity), assignment);
    }
    for entity in assign.removed {
        known.entities.remove(&name(&entity));
    }
}
