//! Emitters to a destination outside: connected through the registry, with no place in Flight.

use std::sync::Arc;

use nervix_proto::client::v1::answer::Status;
use nervix_sink::{Failure, FailureKind};
use nervix_sink_testkit::{Broker, Deed, Place};
use nspl_model::{Definition, EmitterDef, IngestMode};
use tonic::Code;

use super::{
    model::{DOMAIN, ingestor},
    node::{TestNode, emits, ingests},
    peers::{Consumer, Writer, order_schema, orders},
};
use crate::{
    assignments::{EntityName, Subject},
    describe::Description,
};

/// `TO KAFKA` at an address of the registry in memory.
fn to_kafka(address: &str) -> EmitterDef {
    let client = format!("CREATE CLIENT kafka TYPE KAFKA CONFIG {{'bootstrap.servers' = '{address}'}};");
    let statements = [
        "CREATE SCHEMA orders (id I64, key STRING, amount I64 OPTIONAL);",
        "CREATE WIRE JSON SCHEMA wire MODE STRICT (id integer, key string, amount integer OPTIONAL);",
        "CREATE CODEC lines FROM WIRE JSON SCHEMA wire TO SCHEMA orders;",
        "CREATE RELAY orders SCHEMA orders UNBRANCHED CAPACITY 8;",
        &client,
        "CREATE EMITTER out FROM orders TO KAFKA kafka TOPIC t MODE ACK PARALLEL MAX 10 ACK TIMEOUT 30s \
         RETRY POLICY BACKOFF 5ms MAX 20ms ENCODE USING lines INHERIT ALL FLUSH IMMEDIATE \
         ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;",
    ];
    match nspl::definition(DOMAIN, &statements) {
        Ok(Definition::Emitter(def)) => (*def).clone(),
        other => panic!("no emitter: {other:?}"),
    }
}

fn line(key: &str, described: &Option<Description>) -> Option<String> {
    let mut lines = described.iter().flat_map(|described| &described.lines);
    lines
        .find(|(known, _)| *known == key)
        .map(|(_, value)| value.clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emitter_outside_delivers_and_flight_knows_nothing_of_it() {
    let broker = Broker::new();
    let _place = Place::put("outside:1", Arc::new(broker.clone()));
    let node = TestNode::start().await;
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, to_kafka("outside:1")),
    ])
    .await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..3, 1)).await;
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
    let received = broker.received();
    assert_eq!(received.len(), 3);
    assert!(
        received[0].bytes.starts_with(b"{\"id\":0"),
        "{:?}",
        received[0].bytes
    );
    let refused = Consumer::open(&node, "out").await.err();
    let refused = refused.unwrap();
    assert_eq!(refused.code(), Code::NotFound);
    let text = refused.message();
    assert!(text.contains("publishes to a destination outside"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn describe_tells_of_trouble_and_the_record_waits() {
    let broker = Broker::new();
    broker.on_receipt(|received| match received.attempt {
        1..=3 => Deed::Fail(Failure::new(FailureKind::Unavailable, "the broker is away")),
        _ => Deed::Hold,
    });
    let _place = Place::put("outside:2", Arc::new(broker.clone()));
    let node = TestNode::start().await;
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, to_kafka("outside:2")),
    ])
    .await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..1, 1)).await;
    node.until("the fourth attempt", || !broker.held().is_empty())
        .await;
    let subject = Subject::Entity(EntityName::emitter(DOMAIN, "out"));
    let described = node.assignments.lock().await.describe(&subject);
    assert_eq!(
        line("transient error", &described).as_deref(),
        Some("the broker is away")
    );
    assert_eq!(line("state", &described).as_deref(), Some("unavailable"));
    for id in broker.held() {
        broker.answer(id, nervix_sink::Outcome::DELIVERED);
    }
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_that_no_worker_of_the_release_has_is_refused_by_its_name() {
    let node = TestNode::start().await;
    let mut def = to_kafka("outside:3");
    def.sink = nspl_model::SinkDef::Redis(nspl_model::RedisSinkDef {
        client: def.sink.client().unwrap().clone(),
        channel: "c".into(),
    });
    let opener = node.surroundings.destinations.opener(&Arc::new(def));
    let why = opener.err().unwrap();
    assert_eq!(why, "no worker of this release has the REDIS sink");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emitter_that_panics_again_and_again_is_not_said_to_run() {
    let broker = Broker::new();
    broker.on_receipt(|_| panic!("the driver of this test is broken"));
    let _place = Place::put("outside:panics", Arc::new(broker.clone()));
    let node = TestNode::start().await;
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, to_kafka("outside:panics")),
    ])
    .await;
    let runs = || {
        let assignments = node.assignments.try_lock();
        assignments.map_or(true, |assignments| assignments.runs_all())
    };
    assert!(runs());
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    writer.write(&orders(0..1, 1)).await;
    node.until("it is said not to run", || !runs()).await;
    broker.on_receipt(|_| Deed::Take);
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Unresolved, "the panic gave it up");
    node.until("the next one runs", runs).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_emitters_shared_is_closed_when_the_node_ends_and_holds_it_up_no_longer_than_its_bound() {
    let (polite, stubborn) = (Broker::new(), Broker::new());
    stubborn.never_close();
    let places = [("outside:polite", &polite), ("outside:stubborn", &stubborn)];
    let _places = places.map(|(address, broker)| Place::put(address, Arc::new(broker.clone())));
    let node = TestNode::start().await;
    let mut other = to_kafka("outside:stubborn");
    other.name = "other".to_owned();
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, to_kafka("outside:polite")),
        emits(1, other),
    ])
    .await;
    node.until("both are open", || polite.opened() + stubborn.opened() == 2)
        .await;
    let begun = node.surroundings.clock.now();
    node.within(async { node.assignments.lock().await.end(begun).await })
        .await;
    let ended = node.surroundings.clock.now();
    for broker in [polite, stubborn] {
        let closings = broker.closings();
        assert_eq!(closings.len(), 1, "it is closed once");
        assert!(begun < closings[0] && closings[0] <= ended, "until the bound");
    }
}
