//! Ingestors that one change takes away while a relay takes nothing.

use std::{sync::Arc, time::Duration};

use arrow::array::RecordBatch;
use nervix_ack::root;
use nervix_clock::ManualClock;
use nervix_ingestor::Arrival;
use nspl_model::{IngestMode, IngestorDef};
use tokio::sync::oneshot;

use super::{
    model::{self, DOMAIN, emitter, ingestor, relay},
    node::{TestNode, emits, ingests},
    peers::orders,
};
use crate::assignments::HANDOVER_BOUND;

const BUDGET: u64 = 64 * 1024 * 1024;
const NAMES: [&str; 3] = ["a", "b", "c"];

#[tokio::test]
async fn what_a_change_takes_away_hands_over_together() {
    let clock = ManualClock::new();
    let node = TestNode::on(clock.physical(), BUDGET, 4 * 1024 * 1024).await;
    let reads = || emits(1, emitter("out", relay("orders", model::orders(), None)));
    let named = |name: &str| {
        let name = name.into();
        ingests(
            1,
            IngestorDef {
                name,
                ..ingestor(IngestMode::Ack)
            },
        )
    };
    let mut entities = vec![reads()];
    entities.extend(NAMES.map(named));
    node.run(entities).await;
    let (_, run) = node.surroundings.directory.runs().pop().expect("the domain runs");
    let gate = run.find("orders").expect("it is read").gate();
    let columns = orders(0..1, 1).columns().to_vec();
    let batch = RecordBatch::try_new(nervix_columns::arrow_schema(&model::orders()), columns).unwrap();
    let mut verdicts = Vec::new();
    for name in NAMES {
        let inlet = node.surroundings.directory.inlet(DOMAIN, name).expect("it runs");
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
    clock.advance(Duration::from_millis(1)).await;
    let supervisor = node.surroundings.supervisor.clone();
    let change = {
        let node = Arc::clone(&node);
        let taken = async move { node.run(vec![reads()]).await };
        supervisor.once(taken, || panic!("the change panicked"))
    };
    clock.settle().await;
    assert!(!change.has_ended(), "the rows are kept for a while");
    clock.advance(HANDOVER_BOUND).await;
    node.within(change.joined()).await;
    for heard in verdicts {
        assert_eq!(node.within(heard).await.expect("a verdict").unresolved, 1);
    }
    drop(gate);
}
