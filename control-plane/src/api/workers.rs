//! The service `nervix.worker.v1.Workers`: one stream per attached worker.

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt, stream::BoxStream};
use nervix_proto::worker::v1::{
    self, Assign, Assignment, ControlMessage, Domain, EntityId, ReadResourceRequest, Registered,
    WorkerMessage, control_message, worker_message::Body, workers_server::Workers as WorkersService,
};
use nspl::model::{EntityKey, EntityKind};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::{Stopping, resources};
use crate::{
    catalog::EntityRef,
    change::Changes,
    events::Event,
    rollout::{
        AssignStep, Assigned, AssignedDomain, Described, Failure, FromWorker, Line, Registration, Session,
        SessionEnd, ToWorker, Workers,
    },
    schedule::{RegisterError, register},
    tasks::Tasks,
};

/// Messages that may wait for a worker's connection.
const OUTGOING_MAX: usize = 64;

/// How long a worker may be silent before it registers.
const FIRST_MESSAGE_MAX: Duration = Duration::from_secs(10);
const SILENT: &str = "a worker registers within 10 s of its call";

pub(super) struct WorkersApi {
    pub(super) changes: Changes,
    pub(super) tasks: Tasks,
    pub(super) stopping: Stopping,
}

#[tonic::async_trait]
impl WorkersService for WorkersApi {
    type AttachStream = BoxStream<'static, Result<ControlMessage, Status>>;
    type ReadResourceStream = resources::Files;

    async fn read_resource(
        &self,
        request: Request<ReadResourceRequest>,
    ) -> Result<Response<Self::ReadResourceStream>, Status> {
        let files = resources::read(&self.changes, request.get_ref(), self.stopping.clone())?;
        Ok(Response::new(files))
    }

    async fn attach(
        &self,
        request: Request<Streaming<WorkerMessage>>,
    ) -> Result<Response<Self::AttachStream>, Status> {
        let mut stream = request.into_inner();
        let first = self.changes.clock.timeout(FIRST_MESSAGE_MAX, stream.message());
        let first = first.await.map_err(|_| Status::deadline_exceeded(SILENT))??;
        let Some(Body::Register(registered)) = first.and_then(|message| message.body) else {
            return Err(Status::invalid_argument("a worker's first message is Register"));
        };
        let registration = Registration {
            node: registered.node,
            flight_address: registered.flight_address,
            kinds: registered.kinds.into_iter().collect(),
            flight_message_bytes_max: registered.flight_message_bytes_max,
            instance: registered.instance,
        };
        let workers = self.changes.workers.clone();
        register(&workers, &registration)
            .await
            .map_err(|error| refused(&error))?;
        let (outgoing, messages) = mpsc::channel(OUTGOING_MAX);
        let incoming = incoming(stream).boxed();
        let stopping = self.stopping.clone();
        let lease = workers.lease();
        let mut attached = Attached::open(workers, registration);
        let serving = async move {
            let parties = (attached.workers.catalog(), attached.workers.events());
            let end = attached.session.run(parties, incoming, outgoing, stopping).await;
            attached.ended(end);
        };
        let hello = ControlMessage {
            body: Some(control_message::Body::Registered(Registered {
                lease_ms: millis(lease),
            })),
        };
        // It ends with its stream: a message can then neither come nor go.
        drop(self.tasks.attend("the session of a worker", serving));
        let sent = ReceiverStream::new(messages).map(|message| Ok(control(message)));
        Ok(Response::new(
            futures::stream::iter([Ok(hello)]).chain(sent).boxed(),
        ))
    }
}

/// Closes the session when it has ended, however that came about.
struct Attached {
    workers: Workers,
    session: Arc<Session>,
    end: SessionEnd,
}

impl Attached {
    fn open(workers: Workers, registration: Registration) -> Self {
        Self {
            session: workers.open(registration),
            workers,
            end: SessionEnd::StreamEnded,
        }
    }

    fn ended(&mut self, end: SessionEnd) {
        self.end = end;
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.workers.close(&self.session, self.end);
    }
}

fn refused(error: &RegisterError) -> Status {
    match error {
        RegisterError::Name | RegisterError::FlightAddress | RegisterError::Kinds => {
            Status::invalid_argument(error.to_string())
        }
        RegisterError::Taken { .. } => Status::already_exists(error.to_string()),
        RegisterError::Load(_) => Status::unavailable(error.to_string()),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The worker's messages until its stream ends, for whatever reason.
fn incoming(stream: Streaming<WorkerMessage>) -> impl Stream<Item = FromWorker> + Send {
    let messages = stream.take_while(|message| {
        if let Err(status) = message {
            tracing::debug!(%status, "a worker's stream ended");
        }
        std::future::ready(message.is_ok())
    });
    messages
        .filter_map(|message| std::future::ready(message.ok().and_then(|message| from_worker(message.body?))))
}

/// `None` for what this release does not understand.
fn from_worker(body: Body) -> Option<FromWorker> {
    Some(match body {
        Body::Register(_) => return None,
        Body::Lease(_) => FromWorker::Lease,
        Body::Applied(applied) => FromWorker::Applied {
            revision: applied.revision,
            failures: applied.failures.into_iter().filter_map(failure).collect(),
        },
        Body::DrainResult(result) => FromWorker::Drained {
            id: result.id,
            outcome: if result.drained {
                Ok(())
            } else {
                Err(result.message)
            },
        },
        Body::DescribeResult(result) => {
            let lines = result
                .lines
                .into_iter()
                .map(|line| Line::new(line.key, line.value));
            FromWorker::Described {
                id: result.id,
                answer: result.found.then(|| Described {
                    lines: lines.collect(),
                    emitter_status: result.emitter_status,
                }),
            }
        }
        Body::Event(event) => {
            let entity = event.entity.unwrap_or_default();
            FromWorker::Event(Event {
                at_ns: event.at_ns,
                domain: entity.domain,
                entity_kind: entity.kind,
                entity_name: entity.name,
                kind: event.kind,
                message: event.message,
                node: String::new(),
            })
        }
    })
}

fn failure(failure: v1::Failure) -> Option<Failure> {
    let entity = failure.entity?;
    let kind = EntityKind::from_words(&entity.kind)?;
    let key = EntityKey::new(kind, entity.name.as_str());
    Some(Failure {
        entity: EntityRef::new(entity.domain.as_str(), key),
        generation: failure.generation,
        message: failure.message,
    })
}

fn control(message: ToWorker) -> ControlMessage {
    let body = match message {
        ToWorker::Assign(step) => control_message::Body::Assign(assign(step)),
        ToWorker::Drain { id, entities, bound } => control_message::Body::Drain(v1::Drain {
            id,
            entities: entities.iter().map(entity).collect(),
            deadline_ms: millis(bound),
        }),
        ToWorker::Resume { id } => control_message::Body::Resume(v1::Resume { id }),
        ToWorker::Describe {
            id,
            entity: described,
        } => control_message::Body::Describe(v1::Describe {
            id,
            entity: Some(entity(&described)),
        }),
    };
    ControlMessage { body: Some(body) }
}

fn assign(step: AssignStep) -> Assign {
    Assign {
        revision: step.revision,
        full: step.full,
        domains: step.domains.into_iter().map(domain).collect(),
        removed_domains: step.removed_domains.iter().map(ToString::to_string).collect(),
        assignments: step.assignments.into_iter().map(assignment).collect(),
        removed: step.removed.iter().map(entity).collect(),
        more: step.more,
        moved_to: step.moved_to.unwrap_or_default(),
    }
}

fn domain(domain: AssignedDomain) -> Domain {
    Domain {
        name: domain.name.to_string(),
        statement: domain.statement.to_string(),
        running: domain.run.running,
        run_generation: domain.run.generation,
        fingerprint_key: domain.fingerprint_key.to_vec(),
        started_at_ns: domain.run.started_at_ns,
        start_domain_time_ns: domain.run.start_domain_time_ns,
        time_rate: domain.run.time_rate,
    }
}

fn assignment(assigned: Assigned) -> Assignment {
    Assignment {
        entity: Some(entity(&assigned.entity)),
        generation: assigned.generation,
        statements: assigned.statements.iter().map(ToString::to_string).collect(),
    }
}

fn entity(entity: &EntityRef) -> EntityId {
    EntityId {
        domain: entity.domain.to_string(),
        kind: entity.key.kind.words().into(),
        name: entity.key.name.to_string(),
    }
}
