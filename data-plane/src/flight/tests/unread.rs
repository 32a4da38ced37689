//! Assignments of which something cannot be read: nothing of it is forgotten until it is read or taken away.

use std::{collections::BTreeMap, sync::Arc};

use nervix_ingestor::Relays;
use nervix_relay::FingerprintKey;
use nervix_state::DomainId;
use nspl_model::{EmitterDef, IngestMode, IngestorDef, RelayDef};

use super::{
    model::{self, DOMAIN, emitter, ingestor, relay},
    node::{TestNode, domain, emits, ingests},
    peers::{Writer, order_schema, passes_rows},
};
use crate::assignments::{Assignments, ChangeSet, DomainSpec, EntityName, EntitySpec, StartFailure};

const WHY: &str = "the statement is of a later release";

fn source() -> Arc<RelayDef> {
    let mut def = (*relay("orders", model::orders(), None)).clone();
    def.materialized = true;
    Arc::new(def)
}

fn way_in() -> IngestorDef {
    let mut def = ingestor(IngestMode::Ack);
    def.routes[0].relay = source();
    def
}

fn way_out() -> EmitterDef {
    emitter("out", source())
}

fn graph() -> Vec<EntitySpec> {
    vec![ingests(1, way_in()), emits(1, way_out())]
}

fn unread_domain(full: bool, entities: Vec<EntitySpec>) -> ChangeSet {
    ChangeSet {
        full,
        entities,
        unreadable_domains: BTreeMap::from([(DOMAIN.to_owned(), WHY.to_owned())]),
        ..ChangeSet::default()
    }
}

/// A step that says nothing of the domain in question.
fn of_another_domain() -> ChangeSet {
    let other = DomainSpec {
        name: "other".into(),
        ..domain(true, 1)
    };
    ChangeSet {
        domains: vec![other],
        ..ChangeSet::default()
    }
}

fn unread_entity(entity: EntityName) -> StartFailure {
    StartFailure {
        entity,
        generation: 1,
        message: WHY.into(),
    }
}

fn named(failures: &[StartFailure]) -> Vec<&str> {
    assert!(
        failures.iter().all(|failure| failure.message.contains(WHY)),
        "{failures:?}"
    );
    failures.iter().map(|failure| &*failure.entity.name).collect()
}

/// The rows of the materialized relay that are on disk.
fn states(node: &TestNode) -> usize {
    let key = FingerprintKey::new(DOMAIN, [7; 32]);
    let id = DomainId::new(&key.incarnation());
    node.surroundings.states.relay(&id, &source()).unwrap().1.len()
}

/// A node that knows nothing yet, over the states that an earlier run has left.
async fn started_again() -> Arc<TestNode> {
    let node = TestNode::start().await;
    node.run(graph()).await;
    passes_rows(&node).await;
    let mut assignments = node.assignments.lock().await;
    node.within(assignments.end(node.surroundings.clock.now())).await;
    *assignments = Assignments::new(node.surroundings.clone());
    drop(assignments);
    assert_eq!(states(&node), 1);
    node
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_domain_that_cannot_be_read_keeps_its_states_until_it_is_read() {
    let node = started_again().await;
    assert_eq!(
        named(&node.apply(unread_domain(true, graph())).await),
        ["in", "out"]
    );
    assert_eq!(named(&node.apply(of_another_domain()).await), ["in", "out"]);
    assert!(!node.assignments.lock().await.runs_all());
    assert_eq!(states(&node), 1);
    let read = ChangeSet {
        domains: vec![domain(true, 1)],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(read).await, Vec::new());
    assert!(node.assignments.lock().await.runs_all());
    let runs = node.surroundings.directory.runs();
    let (_, run) = runs.iter().find(|(name, _)| **name == *DOMAIN).unwrap();
    assert!(run.relay(&source()).materialized().unwrap().known(None).is_some());
    passes_rows(&node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ingestor_that_cannot_be_read_keeps_the_states_of_its_relays() {
    let node = started_again().await;
    let change = ChangeSet {
        full: true,
        domains: vec![domain(true, 1)],
        unreadable: vec![unread_entity(EntityName::ingestor(DOMAIN, "in"))],
        ..ChangeSet::default()
    };
    assert_eq!(named(&node.apply(change).await), ["in"]);
    assert_eq!(named(&node.apply(of_another_domain()).await), ["in"]);
    assert_eq!(states(&node), 1);
    let removed = ChangeSet {
        removed: vec![EntityName::ingestor(DOMAIN, "in")],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(removed).await, Vec::new());
    assert_eq!(states(&node), 0, "nothing refers to it any more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_for_an_unread_domain_waits_for_it_and_says_why() {
    let node = TestNode::start().await;
    assert_eq!(node.apply(unread_domain(true, Vec::new())).await, Vec::new());
    assert!(!node.assignments.lock().await.runs_all(), "it may be started");
    let later = ChangeSet {
        entities: graph(),
        ..ChangeSet::default()
    };
    assert_eq!(named(&node.apply(later).await), ["in", "out"]);
    let gone = ChangeSet {
        removed_domains: vec![DOMAIN.into()],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(gone).await, Vec::new());
    assert!(node.assignments.lock().await.runs_all());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_assigned_any_more_ends_although_its_domain_cannot_be_read() {
    let node = TestNode::start().await;
    node.run(graph()).await;
    let failures = node.apply(unread_domain(true, vec![emits(1, way_out())])).await;
    assert_eq!(named(&failures), ["out"]);
    let held = node.assignments.lock().await.holdings();
    assert_eq!(held, [(EntityName::emitter(DOMAIN, "out"), 1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_enters_past_an_emitter_that_was_unread_before_its_domain_was_read() {
    let node = TestNode::start().await;
    let mut change = unread_domain(true, vec![ingests(1, way_in())]);
    change
        .unreadable
        .push(unread_entity(EntityName::emitter(DOMAIN, "out")));
    assert_eq!(named(&node.apply(change).await), ["in", "out"]);
    let read = ChangeSet {
        domains: vec![domain(true, 1)],
        ..ChangeSet::default()
    };
    let failures = node.apply(read).await;
    let entities: Vec<&str> = failures.iter().map(|failure| &*failure.entity.name).collect();
    assert_eq!(entities, ["out", "in"]);
    assert!(Writer::open(&node, &order_schema()).await.is_err());
    let healed = ChangeSet {
        entities: vec![emits(2, way_out())],
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(healed).await, Vec::new());
    passes_rows(&node).await;
}
