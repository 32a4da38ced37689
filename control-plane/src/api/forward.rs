//! Passing a call on to the control plane that a worker is attached to, and asking others for their nodes.
//!
//! Only calls that need the worker are passed on: what has to drain, what only the worker knows, and what is about its
//! node. A call is passed on once at most; who carries it out may ask others for their nodes, and who is asked for its
//! nodes asks nobody. When the other control plane cannot be reached the call is carried out here, as far as that goes;
//! one that goes away in the middle, or is not done in time, fails the call, since nobody here knows how far it came.
//!
//! Invariant: one that was not reached is left alone for [`AWAY`], whatever is asked; it is logged when it goes away and
//! when it is back. Whoever wants the nodes of one that is being asked for them takes that answer.

use std::{
    collections::BTreeMap,
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_listener::cause;
use nervix_proto::{
    CONTROL_MESSAGE_BYTES_MAX,
    v1::{
        DescribeEntityRequest, DescribeEntityResponse, ExecuteRequest, ExecuteResponse,
        GetClusterStatusRequest, control_client::ControlClient,
    },
};
use parking_lot::Mutex;
use tonic::{
    Request, Response, Status,
    metadata::MetadataMap,
    transport::{Channel, Endpoint},
};

use crate::cluster::{NodeState, Others, Seen};

/// Marks a call that was passed on.
const FORWARDED: &str = "nervix-forwarded";

/// How long connecting to another control plane may take.
const CONNECT_BOUND: Duration = Duration::from_secs(2);

/// How long one that was not reached is left alone.
const AWAY: Duration = Duration::from_secs(1);

/// Addresses that are known of; past them all are forgotten.
const PEERS_MAX: usize = 64;

/// A silent control plane is pinged after this long.
const PING_AFTER: Duration = Duration::from_secs(10);

/// How long it may take to answer that.
const PING_ANSWER_MAX: Duration = Duration::from_secs(10);

/// What a call may take besides its drains: judging it, storing what it changes, asking the worker.
const ANSWER_BOUND: Duration = Duration::from_secs(60);

/// What a call takes at most, however long drains may be: more is no time that gRPC can write.
const BOUND_MAX: Duration = Duration::from_secs(365 * 24 * 3600);

/// What telling of its nodes may take: it asks nobody for that.
const NODES_BOUND: Duration = Duration::from_secs(2);

pub(super) fn was_forwarded(metadata: &MetadataMap) -> bool {
    metadata.contains_key(FORWARDED)
}

/// The other control planes, by the addresses that the records of their nodes have.
pub(crate) struct OtherControlPlanes {
    clock: PhysicalClock,
    peers: Mutex<BTreeMap<String, Arc<Peer>>>,
}

/// What is known of one of them.
#[derive(Default)]
struct Peer {
    /// When it was not reached last, while it is away.
    missed: Mutex<Option<PhysicalInstant>>,
    /// How often it was asked for its nodes.
    asked: AtomicU64,
    /// Its last answer; held while it is asked.
    nodes: tokio::sync::Mutex<Option<Vec<Seen>>>,
}

impl Peer {
    fn is_left_alone(&self, now: PhysicalInstant) -> bool {
        self.missed.lock().is_some_and(|missed| now.since(missed) < AWAY)
    }

    /// Whether that is news.
    fn missed(&self, now: PhysicalInstant) -> bool {
        self.missed.lock().replace(now).is_none()
    }

    /// Whether that is news.
    fn reached(&self) -> bool {
        self.missed.lock().take().is_some()
    }
}

impl OtherControlPlanes {
    pub(crate) fn new(clock: PhysicalClock) -> Self {
        Self {
            clock,
            peers: Mutex::default(),
        }
    }

    /// The other control plane's answer; `None` when it cannot be reached.
    pub(super) async fn execute(
        &self,
        address: &str,
        request: &ExecuteRequest,
        drain_bound: Duration,
    ) -> Option<Result<Response<ExecuteResponse>, Status>> {
        let peer = self.peer(address);
        let mut client = self.connect(address, &peer).await?;
        let bound = execution_bound(&request.script, drain_bound);
        let answer = client.execute(marked(request.clone(), bound)).await;
        self.heard(address, &peer, &answer);
        Some(answer)
    }

    /// The other control plane's answer; `None` when it cannot be reached.
    pub(super) async fn describe(
        &self,
        address: &str,
        request: &DescribeEntityRequest,
    ) -> Option<Result<Response<DescribeEntityResponse>, Status>> {
        let peer = self.peer(address);
        let mut client = self.connect(address, &peer).await?;
        let answer = client
            .describe_entity(marked(request.clone(), ANSWER_BOUND))
            .await;
        self.heard(address, &peer, &answer);
        Some(answer)
    }

    fn peer(&self, address: &str) -> Arc<Peer> {
        let mut peers = self.peers.lock();
        if peers.len() >= PEERS_MAX && !peers.contains_key(address) {
            peers.clear();
        }
        Arc::clone(peers.entry(address.to_owned()).or_default())
    }

    async fn connect(&self, address: &str, peer: &Peer) -> Option<ControlClient<Channel>> {
        if peer.is_left_alone(self.clock.now()) {
            return None;
        }
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .ok()?
            .connect_timeout(CONNECT_BOUND)
            .http2_keep_alive_interval(PING_AFTER)
            .keep_alive_timeout(PING_ANSWER_MAX);
        match endpoint.connect().await {
            Ok(channel) => Some(
                ControlClient::new(channel)
                    .max_decoding_message_size(CONTROL_MESSAGE_BYTES_MAX)
                    .max_encoding_message_size(CONTROL_MESSAGE_BYTES_MAX),
            ),
            Err(error) => {
                self.missed(address, peer, &cause(&error));
                None
            }
        }
    }

    fn missed(&self, address: &str, peer: &Peer, error: &str) {
        if peer.missed(self.clock.now()) {
            tracing::warn!(%address, error, "another control plane cannot be reached");
        }
    }

    /// What came of a call: the one that answers is there, also where it refuses. What the transport says has a cause.
    fn heard<T>(&self, address: &str, peer: &Peer, answer: &Result<T, Status>) {
        let is_answer = answer
            .as_ref()
            .err()
            .is_none_or(|status| status.source().is_none());
        if is_answer && peer.reached() {
            tracing::info!(%address, "another control plane is back");
        }
    }

    async fn ask(&self, address: &str, peer: &Peer) -> Option<Vec<Seen>> {
        let mut client = self.connect(address, peer).await?;
        let asked = client.get_cluster_status(marked(GetClusterStatusRequest {}, NODES_BOUND));
        let answer = asked.await;
        self.heard(address, peer, &answer);
        let answer = answer
            .inspect_err(|status| self.missed(address, peer, status.message()))
            .ok()?;
        let seen = answer.into_inner().nodes.into_iter().map(|node| Seen {
            state: NodeState::of_word(&node.state),
            name: node.name,
            applied_revision: node.applied_revision,
            last_seen_s: node.last_seen_s,
        });
        Some(seen.collect())
    }
}

impl Others for OtherControlPlanes {
    fn nodes<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Option<Vec<Seen>>> {
        async move {
            let peer = self.peer(address);
            let asked = peer.asked.load(Ordering::Relaxed);
            let mut nodes = peer.nodes.lock().await;
            if peer.asked.load(Ordering::Relaxed) == asked {
                *nodes = self.ask(address, &peer).await;
                peer.asked.fetch_add(1, Ordering::Relaxed);
            }
            nodes.clone()
        }
        .boxed()
    }
}

/// How long a script may take: each statement of it may have to drain.
fn execution_bound(script: &str, drain_bound: Duration) -> Duration {
    let statements = script.matches(';').count().saturating_add(1);
    let statements = u32::try_from(statements).unwrap_or(u32::MAX);
    drain_bound
        .saturating_mul(statements)
        .saturating_add(ANSWER_BOUND)
        .min(BOUND_MAX)
}

fn marked<T>(message: T, bound: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(bound);
    request
        .metadata_mut()
        .insert(FORWARDED, tonic::metadata::MetadataValue::from_static("1"));
    request
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use nervix_clock::ManualClock;
    use nervix_proto::v1::DescribeEntityRequest;
    use nervix_store::EmbeddedStore;
    use tokio::net::TcpListener;

    use super::{ANSWER_BOUND, AWAY, OtherControlPlanes, Peer, execution_bound, marked};
    use crate::{ControlOptions, ControlPlane, logged::Logged};

    #[test]
    fn going_away_and_coming_back_are_news_once() {
        let (hands, peer) = (ManualClock::new(), Peer::default());
        let now = hands.physical().now();
        assert!(!peer.is_left_alone(now) && !peer.reached());
        assert!(peer.missed(now));
        assert!(peer.is_left_alone(now) && !peer.is_left_alone(now.after(AWAY)));
        assert!(!peer.missed(now.after(AWAY)));
        assert!(peer.is_left_alone(now.after(AWAY)));
        assert!(peer.reached() && !peer.reached());
        assert!(!peer.is_left_alone(now.after(AWAY)));
    }

    #[tokio::test]
    async fn each_time_that_one_goes_away_or_comes_back_is_told_whatever_it_is_asked() {
        let (lines, _guard) = Logged::here();
        let told = |word: &str| lines.text().matches(word).count();
        let hands = ManualClock::new();
        let others = OtherControlPlanes::new(hands.physical());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let request = DescribeEntityRequest::default();
        drop(listener);
        for round in 1..3 {
            assert!(others.describe(&address, &request).await.is_none());
            assert_eq!(told("cannot be reached"), round, "{}", lines.text());
            assert_eq!(told("Connection refused"), round, "{}", lines.text());
            let listener = TcpListener::bind(&address).await.unwrap();
            let store = Arc::new(EmbeddedStore::in_memory().unwrap());
            let other = ControlPlane::start(ControlOptions::new(listener, store))
                .await
                .unwrap();
            hands.advance(AWAY).await;
            let answer = others.describe(&address, &request).await;
            assert!(
                answer.is_some_and(|answer| answer.is_err()),
                "it knows no such entity"
            );
            assert_eq!(told("is back"), round, "{}", lines.text());
            other.shutdown().await;
        }
    }

    #[test]
    fn a_call_may_take_longer_than_the_drains_of_its_statements() {
        let drain = Duration::from_secs(60);
        assert_eq!(execution_bound("KICK EMITTER e", drain), drain + ANSWER_BOUND);
        assert_eq!(
            execution_bound("DROP EMITTER e; STOP;", drain),
            3 * drain + ANSWER_BOUND
        );
        // It is written into a header, which takes no more than eight digits.
        let most = execution_bound(";", Duration::MAX);
        assert!(most > drain);
        assert!(marked((), most).metadata().contains_key("grpc-timeout"));
    }
}
