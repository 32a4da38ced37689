//! What a hop and an idle branch instance cost, in a process of their own; the numbers are printed.

#![allow(clippy::unwrap_used, reason = "a test may panic, also in its own functions")]

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use nervix_ack::{Fate, root};
use nervix_budget::Held;
use nervix_clock::{DomainClock, DomainTime, PhysicalClock, Snapshot};
use nervix_relay::{Branches, FingerprintKey, Relay, RelayBatch, Timestamps};
use nspl_model::{Attachment, BranchDef, DataType, Field, RelayDef, Schema};

fn schema(field: &str, data_type: DataType) -> Arc<Schema> {
    let field = Field {
        name: field.into(),
        data_type,
        optional: false,
        sensitive: false,
    };
    Arc::new(Schema {
        name: "s".into(),
        fields: vec![field],
    })
}

#[test]
fn a_hundred_thousand_idle_instances_cost_less_than_two_kib_each_and_intern_fast() {
    const INSTANCES: u32 = 100_000;
    const BYTES_EACH_MAX: u64 = 2_048;
    let clock = PhysicalClock::system();
    let def = BranchDef {
        name: "by_tenant".into(),
        schema: schema("tenant", DataType::String),
        ttl: Duration::from_secs(3_600),
        max_instances: None,
    };
    let key = FingerprintKey::new("shop", [3; 32]);
    let branches = Branches::new(Arc::new(def), key, DomainClock::unpaced(clock.clone()));
    let names: StringArray = (0..INSTANCES)
        .map(|at| Some(format!("tenant-{at:016}")))
        .collect();
    let column: ArrayRef = Arc::new(names);
    let begun = clock.now();
    let groups = branches.group(&[column]).unwrap();
    let grouped = clock.now();
    let before = resident_bytes();
    for group in 0..groups.len() {
        drop(branches.try_intern(groups.key(group)).unwrap());
    }
    let made = clock.now();
    for group in 0..groups.len() {
        drop(branches.try_intern(groups.key(group)).unwrap());
    }
    let found = clock.now();
    for group in 0..groups.len() {
        let branch = branches.try_intern(groups.key(group)).unwrap();
        assert_eq!(branch.fingerprint().len(), 64);
    }
    let each = resident_bytes().saturating_sub(before) / u64::from(INSTANCES);
    println!(
        "100,000 idle instances: {each} B each; per key: group {:?}, make {:?}, find {:?}, fingerprint {:?}",
        grouped.since(begun) / INSTANCES,
        made.since(grouped) / INSTANCES,
        found.since(made) / INSTANCES,
        clock.now().since(found) / INSTANCES,
    );
    assert_eq!((branches.len(), branches.idle()), (100_000, 100_000));
    assert!(each <= BYTES_EACH_MAX);
}

/// Resident memory of this process.
fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4_096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * PAGE_BYTES
}

#[tokio::test]
async fn a_hop_of_a_large_batch_costs_microseconds() {
    const HOPS: u32 = 20_000;
    const ROWS: usize = 131_072;
    let clock = PhysicalClock::system();
    let name = "numbers".into();
    let schema = schema("n", DataType::I64);
    let relay = Relay::new(Arc::new(RelayDef {
        name,
        schema,
        branch: None,
        capacity: 4,
        materialized: false,
    }));
    let mut consumers = ["a", "b", "c"].map(|name| relay.attach(name, Attachment::Attached));
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1; ROWS]));
    let records = RecordBatch::try_from_iter([("n", column)]).unwrap();
    let snapshot = Arc::new(Snapshot {
        domain_time: DomainTime(1),
        seed: [0; 32],
    });
    let begun = clock.now();
    for _ in 0..HOPS {
        let hop = RelayBatch {
            records: records.clone(),
            share: root(ROWS as u32, |_| {}),
            branch: None,
            snapshot: Arc::clone(&snapshot),
            timestamps: Timestamps::uniform(ROWS, DomainTime(1)),
            held: Arc::new(Held::nothing()),
        };
        relay.publish(hop).await.unwrap();
        for consumer in &mut consumers {
            consumer.recv().await.unwrap().share.settle(Fate::Done);
        }
    }
    let each = clock.now().since(begun) / HOPS;
    println!("a 1 MiB batch to three consumers and back to its root: {each:?}");
    assert!(each < Duration::from_millis(1));
}
