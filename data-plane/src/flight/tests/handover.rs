//! Ingestors that one change takes away while a relay takes nothing.

use std::{sync::Arc, time::Duration};

use arrow::array::RecordBatch;
use nervix_ack::{Verdict, root};
use nervix_clock::ManualClock;
use nervix_ingestor::Arrival;
use nervix_relay::Gate;
use nspl_model::{EmitterDef, IngestMode, IngestorDef};
use tokio::sync::oneshot::{self, Receiver};

use super::{
    model::{self, DOMAIN, emitter, ingestor, relay},
    node::{TestNode, domain, emits, ingests},
    peers::orders,
};
use crate::assignments::{ChangeSet, DomainSpec, EntitySpec, HANDOVER_BOUND};

const BUDGET: u64 = 64 * 1024 * 1024;
const NAMES: [&str; 3] = ["a", "b", "c"];

/// A domain with an ingestor of each name, and what reads them.
fn entities(domain: &str, names: &[&str]) -> Vec<EntitySpec> {
    let ingestor = |name: &&str| IngestorDef {
        domain: domain.into(),
        name: (*name).into(),
        ..ingestor(IngestMode::Ack)
    };
    let mut entities = vec![reader(domain)];
    entities.extend(names.iter().map(|name| ingests(1, ingestor(name))));
    entities
}

fn reader(domain: &str) -> EntitySpec {
    let emitter = emitter("out", relay("orders", model::orders(), None));
    emits(
        1,
        EmitterDef {
            domain: domain.into(),
            ..emitter
        },
    )
}

/// Closes the relay of a domain and has a row written into each of its ingestors: they keep it.
async fn held_up(node: &TestNode, domain: &str, names: &[&str]) -> (Gate, Vec<Receiver<Verdict>>) {
    let runs = node.surroundings.directory.runs();
    let run = runs.into_iter().find(|(name, _)| **name == *domain);
    let (_, run) = run.expect("the domain runs");
    let gate = run.find("orders").expect("it is read").gate();
    let columns = orders(0..1, 1).columns().to_vec();
    let batch = RecordBatch::try_new(nervix_columns::arrow_schema(&model::orders()), columns).unwrap();
    let mut verdicts = Vec::new();
    for name in names {
        let inlet = node.surroundings.directory.inlet(domain, name).expect("it runs");
        let (told, heard) = oneshot::channel();
        let arrival = Arrival {
            batch: batch.clone(),
            rejected: None,
            share: root(1, move |verdict| drop(told.send(verdict))),
            held: Arc::new(nervix_budget::Held::nothing()),
            room: nervix_budget::Held::nothing(),
        };
        inlet.enter(arrival).await.expect("it is open");
        verdicts.push(heard);
    }
    (gate, verdicts)
}

/// Applies a change that takes away what is held up; it is done when the bound of one handover has passed.
async fn hand_over(node: &Arc<TestNode>, clock: &ManualClock, change: ChangeSet) {
    clock.advance(Duration::from_millis(1)).await;
    let supervisor = node.surroundings.supervisor.clone();
    let change = {
        let node = Arc::clone(node);
        let taken = async move { assert_eq!(node.apply(change).await, Vec::new()) };
        supervisor.once(taken, || panic!("the change panicked"))
    };
    clock.settle().await;
    assert!(!change.has_ended(), "the rows are kept for a while");
    clock.advance(HANDOVER_BOUND).await;
    node.within(change.joined()).await;
}

async fn unresolved(node: &TestNode, verdicts: Vec<Receiver<Verdict>>) {
    for heard in verdicts {
        assert_eq!(node.within(heard).await.expect("a verdict").unresolved, 1);
    }
}

#[tokio::test]
async fn what_a_change_takes_away_hands_over_together() {
    let clock = ManualClock::new();
    let node = TestNode::on(clock.physical(), BUDGET, 4 * 1024 * 1024).await;
    node.run(entities(DOMAIN, &NAMES)).await;
    let (gate, verdicts) = held_up(&node, DOMAIN, &NAMES).await;
    let change = ChangeSet {
        full: true,
        domains: vec![domain(true, 1)],
        entities: vec![reader(DOMAIN)],
        ..ChangeSet::default()
    };
    hand_over(&node, &clock, change).await;
    unresolved(&node, verdicts).await;
    drop(gate);
}

#[tokio::test]
async fn domains_that_a_change_takes_away_hand_over_together() {
    let clock = ManualClock::new();
    let node = TestNode::on(clock.physical(), BUDGET, 4 * 1024 * 1024).await;
    let named = |name: &&str| DomainSpec {
        name: (*name).into(),
        ..domain(true, 1)
    };
    let change = ChangeSet {
        domains: NAMES.iter().map(named).collect(),
        entities: NAMES.iter().flat_map(|name| entities(name, &["in"])).collect(),
        ..ChangeSet::default()
    };
    assert_eq!(node.apply(change).await, Vec::new());
    let mut held = Vec::new();
    for name in NAMES {
        held.push(held_up(&node, name, &["in"]).await);
    }
    let change = ChangeSet {
        removed_domains: NAMES.map(String::from).to_vec(),
        ..ChangeSet::default()
    };
    hand_over(&node, &clock, change).await;
    for (gate, verdicts) in held {
        unresolved(&node, verdicts).await;
        drop(gate);
    }
}
