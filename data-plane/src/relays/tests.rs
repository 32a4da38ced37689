use std::{
    sync::{Arc, mpsc::channel},
    thread,
    time::Duration,
};

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use nervix_ack::root;
use nervix_budget::{Budget, Held};
use nervix_clock::{DomainTime, ManualClock, PhysicalClock, Snapshot};
use nervix_ingestor::Relays;
use nervix_relay::{FingerprintKey, RelayBatch, StateBudget, Timestamps};
use nervix_state::{DomainId, StateStore};
use nspl_model::{DataType, Field, RelayDef, Schema};

use super::{DomainRelays, RelayStates};
use crate::supervisor::Supervisor;

const ROUNDS: usize = 50;
const PATIENCE: Duration = Duration::from_secs(60);

fn materialized(name: &str) -> Arc<RelayDef> {
    let number = Field {
        name: "n".into(),
        data_type: DataType::I64,
        optional: false,
        sensitive: false,
    };
    let schema = Schema {
        name: "numbers".into(),
        fields: vec![number],
    };
    Arc::new(RelayDef {
        name: name.into(),
        schema: Arc::new(schema),
        branch: None,
        capacity: 64,
        materialized: true,
    })
}

fn relays() -> Arc<DomainRelays> {
    let supervisor = Supervisor::new(PhysicalClock::system());
    let key = FingerprintKey::new("shop", [3; 32]);
    let states = RelayStates {
        store: StateStore::in_memory().unwrap(),
        domain: DomainId::new("shop"),
        budget: StateBudget::of(Budget::new(u64::MAX)),
    };
    Arc::new(DomainRelays::new(ManualClock::new().domain(), key, supervisor).with_states(states))
}

/// A row whose writer looks a relay up as soon as it is told.
fn row(def: &RelayDef, relays: &Arc<DomainRelays>) -> RelayBatch {
    let asked = Arc::downgrade(relays);
    let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(vec![1]))];
    RelayBatch {
        records: RecordBatch::try_new(nervix_columns::arrow_schema(&def.schema), columns).unwrap(),
        share: root(1, move |_| drop(asked.upgrade().map(|relays| relays.list()))),
        branch: None,
        snapshot: Arc::new(Snapshot {
            domain_time: DomainTime(1),
            seed: [0; 32],
        }),
        timestamps: Timestamps::uniform(1, DomainTime(1)),
        held: Arc::new(Held::nothing()),
    }
}

#[test]
fn writers_are_told_without_a_lock_while_a_relay_is_made() {
    let (done, told) = channel();
    thread::spawn(move || {
        let (relays, def) = (relays(), materialized("latest"));
        let relay = relays.relay(&def);
        for number in 0..ROUNDS {
            futures::executor::block_on(relay.publish(row(&def, &relays))).unwrap();
            relays.relay(&materialized(&format!("another{number}")));
        }
        done.send(relays.list().len()).unwrap();
    });
    assert_eq!(
        told.recv_timeout(PATIENCE).expect("somebody waits for a lock"),
        ROUNDS + 1
    );
}
