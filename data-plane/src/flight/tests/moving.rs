//! The graph moves to another worker: streams end with the place to go, and clients go on there.

use std::{net::SocketAddr, time::Duration};

use futures::StreamExt;
use nervix_client::ConnectOptions;
use nervix_clock::PhysicalClock;
use nervix_proto::{
    client::v1::answer,
    worker::v1::{Assign, EntityId},
};
use tokio::net::TcpListener;
use tonic::{Code, Status};

use super::{
    control_plane::{Attached, ControlPlane, domain, entity, graph},
    node::PATIENCE,
    peers::{Consumer, Writer, client, descriptor, ids_of, order_schema, orders},
};
use crate::{Worker, WorkerHandle, WorkerOptions, supervisor::Supervisor};

/// Two workers of one control plane.
struct Pair {
    clock: PhysicalClock,
    _plane: ControlPlane,
    workers: Vec<WorkerHandle>,
    links: Vec<Attached>,
}

impl Pair {
    /// The first one executes the graph.
    async fn set() -> Self {
        let clock = PhysicalClock::system();
        let plane = ControlPlane::start(&Supervisor::new(clock.clone())).await;
        let (mut workers, mut links) = (Vec::new(), Vec::new());
        for node in ["n1", "n2"] {
            let flight = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let mut options = WorkerOptions::new(plane.addr.to_string(), flight, node);
            options.drain_bound = Duration::from_secs(5);
            workers.push(Worker::start(options).await.unwrap());
            let (attached, register) = clock.timeout(PATIENCE, plane.next()).await.unwrap();
            assert_eq!(register.node, node);
            links.push(attached);
        }
        let mut pair = Self {
            clock,
            _plane: plane,
            workers,
            links,
        };
        pair.assign(0, graph(1)).await;
        let away = Assign {
            revision: 1,
            full: true,
            domains: vec![domain(true, 1)],
            moved_to: pair.addr(0).to_string(),
            ..Assign::default()
        };
        pair.assign(1, away).await;
        pair
    }

    fn addr(&self, worker: usize) -> SocketAddr {
        self.workers[worker].flight_addr()
    }

    async fn within<F: Future>(&self, work: F) -> F::Output {
        let timed = self.clock.timeout(PATIENCE, Box::pin(work));
        timed.await.expect("it took too long")
    }

    async fn assign(&mut self, worker: usize, assign: Assign) {
        let assigned = self.clock.timeout(PATIENCE, self.links[worker].assign(assign));
        assert_eq!(assigned.await.expect("it took too long"), Vec::<String>::new());
    }

    /// Takes `removed` away from the first worker; the graph is the second's.
    async fn leave(&mut self, removed: Vec<EntityId>) {
        let step = Assign {
            revision: 2,
            removed,
            moved_to: self.addr(1).to_string(),
            ..Assign::default()
        };
        self.assign(0, step).await;
    }

    /// As a control plane moves a graph: it ends here before it begins there.
    async fn go(&mut self) {
        self.leave(vec![entity("INGESTOR", "in"), entity("EMITTER", "out")])
            .await;
        let mut there = graph(2);
        there.full = false;
        there.domains.clear();
        self.assign(1, there).await;
    }
}

/// UNAVAILABLE with the word and the place.
fn assert_moved(status: &Status, place: SocketAddr) {
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    let details = String::from_utf8_lossy(status.details()).into_owned();
    assert!(details.contains("moved"), "{details}");
    assert!(details.contains(&format!("grpc+tcp://{place}")), "{details}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_a_graph_that_moves_end_with_the_place_to_go() {
    let mut pair = Pair::set().await;
    let (old, new) = (pair.addr(0), pair.addr(1));
    let mut consumer = Consumer::with_credit(&old, "out", 10).await;
    let writer = Writer::open(&old, &order_schema()).await.unwrap();
    writer.write(&orders(0..4, 2)).await;
    pair.within(consumer.delivery()).await;
    pair.go().await;
    let (answers, end) = pair.within(writer.ended()).await;
    assert_eq!(answers[&0].status(), answer::Status::Unresolved);
    assert_moved(&end.unwrap_err(), new);
    assert_moved(&pair.within(consumer.end()).await.unwrap_err(), new);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_a_worker_for_a_graph_that_is_elsewhere_is_told_where() {
    let mut pair = Pair::set().await;
    let (old, new) = (pair.addr(0), pair.addr(1));
    let refused = Writer::open(&new, &order_schema()).await.map(|_| ());
    assert_moved(&refused.unwrap_err(), old);
    pair.go().await;
    let refused = Consumer::open(&old, "out").await.map(|_| ());
    assert_moved(&refused.unwrap_err(), new);
    let asked = client(&old)
        .await
        .get_flight_info(descriptor("emitter", "out"))
        .await;
    assert_moved(&asked.unwrap_err(), new);
    Consumer::with_credit(&new, "out", 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_the_wrong_worker_for_what_is_nowhere_is_promised_nothing() {
    let pair = Pair::set().await;
    let (owner, idle) = (pair.addr(0), pair.addr(1));
    let nobody = || descriptor("emitter", "nobody");
    let asked = client(&idle).await.get_flight_info(nobody()).await.unwrap_err();
    assert_moved(&asked, owner);
    let said = asked.message();
    assert!(
        said.contains("has no emitter `nobody`") && said.contains("whether there is one"),
        "{said}"
    );
    let asked = client(&owner).await.get_flight_info(nobody()).await.unwrap_err();
    assert_eq!(asked.code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_with_its_domain_is_dropped_although_the_rest_moves() {
    let mut pair = Pair::set().await;
    let mut consumer = Consumer::with_credit(&pair.addr(0), "out", 10).await;
    let step = Assign {
        revision: 2,
        removed: vec![entity("INGESTOR", "in"), entity("EMITTER", "out")],
        removed_domains: vec![super::model::DOMAIN.to_owned()],
        moved_to: pair.addr(1).to_string(),
        ..Assign::default()
    };
    pair.assign(0, step).await;
    let end = pair.within(consumer.end()).await;
    assert_eq!(end.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sdk_follows_a_graph_that_moves_and_sends_again_what_is_unresolved() {
    let mut pair = Pair::set().await;
    let old = pair.addr(0).to_string();
    let sdk = ConnectOptions::new(&old).flight(&old).connect().await.unwrap();
    let domain = super::model::DOMAIN;
    let mut consumer = sdk.consumer(domain, "out").open().await.unwrap();
    let opening = sdk.writer(domain, "in").schema(order_schema()).open();
    let mut writer = opening.await.unwrap();
    let ticket = writer.write(orders(0..4, 2)).await.unwrap();
    let held = pair.within(consumer.next()).await.unwrap().unwrap();
    pair.go().await;
    let again = pair.within(consumer.next()).await.unwrap().unwrap();
    assert_eq!(ids_of(again.batch()), ids_of(held.batch()));
    drop(again.ack());
    assert_eq!(pair.within(ticket).await.unwrap(), nervix_client::Answer::Done);
    let report = pair.within(writer.close()).await.unwrap();
    assert_eq!(report.batches_done, 1);
    assert!(report.resends > 0, "it was unresolved where it was written first");
    // Somebody who knows the old place only is led to the new one, without any patience.
    pair.within(sdk.writer(domain, "in").open()).await.unwrap();
    pair.within(sdk.consumer(domain, "out").open()).await.unwrap();
}
