//! Keeps the stream to the control plane open and turns its messages into orders.
//!
//! Invariants: orders of one stream are given on in the order in which they came, through a bounded queue; a reply goes
//! to the stream of its order or nowhere; leases go out on their own, however long an order takes.

use std::time::Duration;

use futures::StreamExt;
use nervix_clock::PhysicalClock;
use nervix_listener::cause;
use nervix_proto::{
    WORKER_MESSAGE_BYTES_MAX,
    worker::v1::{self, control_message, worker_message, workers_client::WorkersClient},
};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};
use uuid::Uuid;

use super::{
    ControlPlaneAt, Way,
    description::described,
    translate::{change_set, entity_id, entity_name, failure, runtime_event, subject},
};
use crate::{
    assignments::{ChangeSet, EntityName, StartFailure, Subject},
    describe::Description,
    events::Events,
};

/// The wait before the first new attempt to reach the control plane, and the longest.
const RECONNECT_BACKOFF_MIN: Duration = Duration::from_millis(100);
const RECONNECT_BACKOFF_MAX: Duration = Duration::from_secs(5);
/// The lease until the control plane has said its own.
const LEASE_DEFAULT: Duration = Duration::from_secs(10);
/// The shortest wait between two leases.
const LEASE_EACH_MIN: Duration = Duration::from_millis(50);
/// Messages that may wait to be sent.
const OUTBOX_MESSAGES: usize = 256;

/// What the control plane orders.
#[derive(Debug)]
pub(crate) enum Order {
    /// Move to another state; what could not be read of it stays as it is.
    Assign {
        revision: u64,
        change: ChangeSet,
    },
    Drain {
        id: u64,
        entities: Vec<EntityName>,
        bound: Duration,
    },
    Resume {
        id: u64,
    },
    Describe {
        id: u64,
        subject: Option<Subject>,
    },
    /// The stream has ended: whatever it paused is released.
    Detached,
}

/// Answers an order on the stream that it came from.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    outbox: mpsc::Sender<v1::WorkerMessage>,
}

impl Reply {
    pub(crate) async fn applied(&self, revision: u64, failures: Vec<StartFailure>) {
        let failures = failures.into_iter().map(failure).collect();
        self.send(worker_message::Body::Applied(v1::Applied { revision, failures }))
            .await;
    }

    pub(crate) async fn drained(&self, id: u64, result: Result<(), String>) {
        let result = v1::DrainResult {
            id,
            drained: result.is_ok(),
            message: result.err().unwrap_or_default(),
        };
        self.send(worker_message::Body::DrainResult(result)).await;
    }

    pub(crate) async fn described(&self, id: u64, description: Option<Description>) {
        self.send(worker_message::Body::DescribeResult(described(id, description)))
            .await;
    }

    async fn send(&self, body: worker_message::Body) {
        if self
            .outbox
            .send(v1::WorkerMessage { body: Some(body) })
            .await
            .is_err()
        {
            tracing::debug!("a reply came after its stream had ended");
        }
    }
}

/// What the stream needs.
pub(crate) struct Link {
    pub(crate) control_plane: ControlPlaneAt,
    pub(crate) node: String,
    pub(crate) flight_address: String,
    pub(crate) kinds: Vec<String>,
    pub(crate) message_bytes_max: u64,
    /// What is executed now.
    pub(crate) holdings: watch::Receiver<Vec<(EntityName, u64)>>,
    pub(crate) orders: mpsc::Sender<(Order, Reply)>,
    pub(crate) events: Events,
    pub(crate) clock: PhysicalClock,
}

impl Link {
    /// Attaches again and again, for ever.
    pub(crate) async fn run(self, way: Way) {
        let mut backoff = RECONNECT_BACKOFF_MIN;
        let mut told = Told::default();
        // The same as long as this worker runs.
        let instance = Uuid::new_v4().to_string();
        loop {
            match self.attach(&way, &instance).await {
                Ok((incoming, outbox)) => {
                    tracing::info!(control = %self.control_plane, "attached to the control plane");
                    (backoff, told) = (RECONNECT_BACKOFF_MIN, Told::default());
                    self.serve(incoming, outbox.clone()).await;
                    if self
                        .orders
                        .send((Order::Detached, Reply { outbox }))
                        .await
                        .is_err()
                    {
                        return;
                    }
                    tracing::warn!("the control plane is away; what is assigned goes on");
                }
                Err(status) if told.is_news(status.code()) => {
                    let (control, error) = (&self.control_plane, status.message());
                    if status.code() == Code::Unavailable {
                        tracing::warn!(%control, error, "the control plane cannot be reached");
                    } else {
                        tracing::error!(%control, error, "the control plane does not take this worker; it is asked again");
                    }
                }
                Err(_) => {}
            }
            self.clock.sleep(backoff).await;
            backoff = (backoff * 2).min(RECONNECT_BACKOFF_MAX);
        }
    }

    async fn attach(
        &self,
        way: &Way,
        instance: &str,
    ) -> Result<(Streaming<v1::ControlMessage>, mpsc::Sender<v1::WorkerMessage>), Status> {
        let unreachable = |error: tonic::transport::Error| Status::unavailable(cause(&error));
        let channel = way.connect().await.map_err(unreachable)?;
        let mut client = WorkersClient::new(channel)
            .max_decoding_message_size(WORKER_MESSAGE_BYTES_MAX)
            .max_encoding_message_size(WORKER_MESSAGE_BYTES_MAX);
        let (outbox, messages) = mpsc::channel(OUTBOX_MESSAGES);
        let register = self.register(instance);
        let messages = futures::stream::once(async { register }).chain(ReceiverStream::new(messages));
        let incoming = client.attach(messages).await?.into_inner();
        Ok((incoming, outbox))
    }

    fn register(&self, instance: &str) -> v1::WorkerMessage {
        let holdings = self.holdings.borrow();
        let holdings = holdings.iter().map(|(entity, generation)| v1::Holding {
            entity: Some(entity_id(entity)),
            generation: *generation,
        });
        let register = v1::Register {
            node: self.node.clone(),
            instance: instance.to_owned(),
            flight_address: self.flight_address.clone(),
            kinds: self.kinds.clone(),
            holdings: holdings.collect(),
            flight_message_bytes_max: self.message_bytes_max,
        };
        v1::WorkerMessage {
            body: Some(worker_message::Body::Register(register)),
        }
    }

    /// Until the stream ends.
    async fn serve(
        &self,
        mut incoming: Streaming<v1::ControlMessage>,
        outbox: mpsc::Sender<v1::WorkerMessage>,
    ) {
        let (lease, leases) = watch::channel(LEASE_DEFAULT);
        let reading = async {
            let mut parts = Vec::new();
            loop {
                match incoming.message().await {
                    Ok(Some(message)) => {
                        if let Some(order) = read(message, &mut parts, &lease) {
                            let reply = Reply {
                                outbox: outbox.clone(),
                            };
                            if self.orders.send((order, reply)).await.is_err() {
                                return;
                            }
                        }
                    }
                    Ok(None) => return,
                    Err(status) => {
                        tracing::debug!(error = %status.message(), "the stream to the control plane broke");
                        return;
                    }
                }
            }
        };
        tokio::select! {
            () = reading => {}
            () = self.lease(leases, &outbox) => {}
            () = self.tell(&outbox) => {}
        }
    }

    async fn lease(&self, leases: watch::Receiver<Duration>, outbox: &mpsc::Sender<v1::WorkerMessage>) {
        loop {
            let each = (*leases.borrow() / 3).max(LEASE_EACH_MIN);
            self.clock.sleep(each).await;
            let lease = worker_message::Body::Lease(v1::Lease {});
            if outbox
                .send(v1::WorkerMessage { body: Some(lease) })
                .await
                .is_err()
            {
                return;
            }
        }
    }

    async fn tell(&self, outbox: &mpsc::Sender<v1::WorkerMessage>) {
        loop {
            let Ok(place) = outbox.reserve().await else {
                return;
            };
            let event = self.events.next().await;
            place.send(v1::WorkerMessage {
                body: Some(worker_message::Body::Event(runtime_event(event))),
            });
        }
    }
}

/// Why the last attempt to attach failed; it is told when it changes, not at each attempt.
#[derive(Debug, Default)]
struct Told(Option<Code>);

impl Told {
    fn is_news(&mut self, code: Code) -> bool {
        self.0.replace(code) != Some(code)
    }
}

fn read(
    message: v1::ControlMessage,
    parts: &mut Vec<v1::Assign>,
    lease: &watch::Sender<Duration>,
) -> Option<Order> {
    match message.body? {
        control_message::Body::Registered(registered) => {
            lease.send_replace(Duration::from_millis(registered.lease_ms));
            None
        }
        control_message::Body::Assign(assign) => {
            if parts
                .first()
                .is_some_and(|first| first.revision != assign.revision)
            {
                parts.clear();
            }
            let (revision, more) = (assign.revision, assign.more);
            parts.push(assign);
            if more {
                return None;
            }
            let change = change_set(std::mem::take(parts));
            Some(Order::Assign { revision, change })
        }
        control_message::Body::Drain(drain) => Some(Order::Drain {
            id: drain.id,
            entities: drain.entities.iter().filter_map(entity_name).collect(),
            bound: Duration::from_millis(drain.deadline_ms),
        }),
        control_message::Body::Resume(resume) => Some(Order::Resume { id: resume.id }),
        control_message::Body::Describe(describe) => Some(Order::Describe {
            id: describe.id,
            subject: describe.entity.as_ref().and_then(subject),
        }),
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::Told;

    #[test]
    fn a_refusal_is_told_although_the_control_plane_was_out_of_reach_before() {
        let mut told = Told::default();
        let codes = [
            Code::Unavailable,
            Code::Unavailable,
            Code::AlreadyExists,
            Code::AlreadyExists,
        ];
        assert_eq!(codes.map(|code| told.is_news(code)), [true, false, true, false]);
    }
}
