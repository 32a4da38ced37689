use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use nervix_ack::{Verdict, root};
use nervix_budget::{Budget, Held};
use nervix_clock::{DomainTime, ManualClock, PhysicalClock, Snapshot};
use nervix_columns::arrow_schema;
use nervix_relay::{Branches, FingerprintKey, MaterializedState, Relay, RelayBatch, StateBudget, Timestamps};
use nspl_model::{BranchDef, DataType, Field, RelayDef, Schema};

use super::{DomainId, StateStore};
use crate::{StateError, form, pending::OWED_STATES_MAX, row, tables};

fn field(name: &str, data_type: DataType, optional: bool) -> Field {
    Field {
        name: name.into(),
        data_type,
        optional,
        sensitive: false,
    }
}

fn schema(name: &str, fields: Vec<Field>) -> Arc<Schema> {
    Arc::new(Schema {
        name: name.into(),
        fields,
    })
}

fn relay_def(name: &str) -> RelayDef {
    let key = vec![field("tenant", DataType::String, false)];
    let branch = BranchDef {
        name: "by_tenant".into(),
        schema: schema("key", key),
        ttl: std::time::Duration::from_secs(60),
        max_instances: None,
    };
    let fields = vec![
        field("n", DataType::I64, false),
        field("note", DataType::String, true),
    ];
    RelayDef {
        name: name.into(),
        schema: schema("numbers", fields),
        branch: Some(Arc::new(branch)),
        capacity: 64,
        materialized: true,
    }
}

/// A relay over the store, as a worker makes it.
struct Stage {
    relay: Arc<Relay>,
    branches: Branches,
}

fn shop() -> DomainId {
    DomainId::new("shop")
}

fn stage(store: &StateStore, def: &RelayDef) -> Stage {
    let (journal, restored) = store.relay(&shop(), def).unwrap();
    let key = FingerprintKey::new("shop", [3; 32]);
    let clock = ManualClock::new().domain();
    let branches = Branches::new(def.branch.clone().unwrap(), key, clock);
    let budget = StateBudget::of(Budget::new(u64::MAX));
    let state = MaterializedState::new(journal, budget, Some(branches.clone()));
    state.restore(restored, DomainTime(i64::MAX));
    let relay = Relay::with_state(Arc::new(def.clone()), Some(state));
    Stage { relay, branches }
}

impl Stage {
    fn branch(&self, tenant: &str) -> nervix_relay::BranchRef {
        let column: ArrayRef = Arc::new(StringArray::from(vec![tenant]));
        let groups = self.branches.group(&[column]).unwrap();
        self.branches.try_intern(groups.key(0)).unwrap()
    }

    async fn write(&self, tenant: &str, number: i64, time: i64) -> Receiver<Verdict> {
        let (told, verdicts) = channel();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![number])),
            Arc::new(StringArray::from(vec![None::<&str>])),
        ];
        let batch = RelayBatch {
            records: RecordBatch::try_new(arrow_schema(&self.relay.def().schema), columns).unwrap(),
            share: root(1, move |verdict| told.send(verdict).unwrap_or(())),
            branch: Some(self.branch(tenant)),
            snapshot: Arc::new(Snapshot {
                domain_time: DomainTime(time),
                seed: [0; 32],
            }),
            timestamps: Timestamps::uniform(1, DomainTime(time)),
            held: Arc::new(Held::nothing()),
        };
        self.relay.publish(batch).await.unwrap();
        verdicts
    }

    fn known(&self, tenant: &str) -> Option<(i64, i64)> {
        let latest = self.relay.materialized()?.known(Some(&self.branch(tenant)))?;
        let number = latest.record().column(0).as_primitive::<Int64Type>().value(0);
        Some((number, latest.timestamp().0))
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn what_was_done_is_there_after_a_restart_and_nobody_else_reads_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("states/node.redb");
    {
        let store = StateStore::open(&path).unwrap();
        let stage = stage(&store, &relay_def("latest"));
        for (tenant, number, time) in [("a", 1, 10), ("b", 2, 20), ("a", 3, 30), ("a", 4, 25)] {
            let verdict = stage.write(tenant, number, time).await;
            assert_eq!(verdict.recv().unwrap().done, 1);
        }
        store.close();
    }
    assert_eq!(mode(&path), 0o600);
    let store = StateStore::open(&path).unwrap();
    let stage = stage(&store, &relay_def("latest"));
    assert_eq!(
        (stage.known("a"), stage.known("b")),
        (Some((3, 30)), Some((2, 20)))
    );
    assert_eq!(stage.known("c"), None);
}

#[tokio::test]
async fn a_relay_that_is_made_again_in_one_process_sees_what_was_put_last() {
    let store = StateStore::in_memory().unwrap();
    let first = stage(&store, &relay_def("latest"));
    let _verdict = first.write("a", 1, 10).await;
    let mut wider = relay_def("latest");
    wider.capacity = 3;
    assert_eq!(
        stage(&store, &wider).known("a"),
        Some((1, 10)),
        "CAPACITY is no part of its form"
    );
}

#[tokio::test]
async fn states_of_another_form_another_relay_or_another_incarnation_are_not_read() {
    let store = StateStore::in_memory().unwrap();
    let def = relay_def("latest");
    drop(stage(&store, &def).write("a", 1, 10).await);
    assert_eq!(stage(&store, &relay_def("other")).known("a"), None);
    let (_, again) = store.relay(&DomainId::new("shop, created again"), &def).unwrap();
    assert!(again.is_empty());
    let mut changed = def.clone();
    changed.schema = schema("numbers", vec![field("n", DataType::U64, false)]);
    let (_, of_another_form) = store.relay(&shop(), &changed).unwrap();
    assert!(of_another_form.is_empty());
    let (_, forgotten) = store.relay(&shop(), &def).unwrap();
    assert!(forgotten.is_empty(), "the form changed meanwhile");
}

#[tokio::test]
async fn states_of_relays_that_are_gone_are_forgotten() {
    let store = StateStore::in_memory().unwrap();
    for name in ["kept", "gone"] {
        drop(stage(&store, &relay_def(name)).write("a", 1, 10).await);
    }
    store
        .retain(|domain, relay| *domain == shop() && relay == "kept")
        .unwrap();
    assert_eq!(stage(&store, &relay_def("kept")).known("a"), Some((1, 10)));
    assert_eq!(stage(&store, &relay_def("gone")).known("a"), None);
}

#[test]
fn what_a_forgotten_relay_puts_does_not_stay_in_the_file() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let write = |stage: &Stage, number| drop(runtime.block_on(stage.write("a", number, number)));
    let store = StateStore::in_memory().unwrap();
    let def = relay_def("gone");
    let gone = stage(&store, &def);
    let number = || store.shared.known.lock().values().next().unwrap().number;
    let old = number();
    {
        // Nobody commits it before the relay is forgotten.
        let _committing = store.shared.committing.lock();
        write(&gone, 1);
    }
    store.retain(|_, _| false).unwrap();
    write(&gone, 2);
    store.commit().unwrap();
    let schema = arrow_schema(&def.schema);
    let rows = |number| {
        let file = &store.shared.file;
        file.read(|database| tables::read(database, "memory", number, &schema))
            .unwrap()
    };
    assert!(rows(old).is_empty());
    // Nor what one of another form puts that was forgotten for a newer one.
    let former = stage(&store, &def);
    let old = number();
    let mut changed = def.clone();
    changed.schema = schema_of_one();
    store.relay(&shop(), &changed).unwrap();
    write(&former, 3);
    store.commit().unwrap();
    assert!(rows(old).is_empty());
}

fn schema_of_one() -> Arc<Schema> {
    schema("numbers", vec![field("n", DataType::U64, false)])
}

#[test]
fn relays_are_opened_and_forgotten_at_once_by_clones_without_waiting_for_each_other_for_ever() {
    const ROUNDS: usize = 300;
    let store = StateStore::in_memory().unwrap();
    let (done, ended) = channel();
    for opens in [true, false] {
        let (store, done) = (store.clone(), done.clone());
        std::thread::spawn(move || {
            for _ in 0..ROUNDS {
                if opens {
                    store.relay(&shop(), &relay_def("latest")).unwrap();
                } else {
                    store.retain(|_, _| false).unwrap();
                }
            }
            done.send(opens).unwrap();
        });
    }
    for _ in 0..2 {
        ended
            .recv_timeout(std::time::Duration::from_secs(60))
            .expect("they wait for each other");
    }
}

#[tokio::test]
async fn many_rows_share_a_commit() {
    const ROWS: i64 = 3_000;
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path().join("node.redb")).unwrap();
    let stage = stage(&store, &relay_def("latest"));
    let clock = PhysicalClock::system();
    let began = clock.now();
    for number in 0..30 {
        let verdict = stage.write("a", number, number).await;
        assert_eq!(verdict.recv().unwrap().done, 1);
    }
    let alone = (clock.now().since(began) / 30, store.status().commits);
    let began = clock.now();
    let mut verdicts = Vec::new();
    for number in 0..ROWS {
        verdicts.push(stage.write(&format!("t{}", number % 50), number, number).await);
    }
    for verdict in verdicts {
        assert_eq!(verdict.recv().unwrap().done, 1);
    }
    let together = clock.now().since(began) / ROWS as u32;
    let status = store.status();
    let commits = status.commits - alone.1;
    println!(
        "alone: {:?} a row; {ROWS} together: {together:?} a row, {commits} commits",
        alone.0
    );
    assert!(alone.1 <= 30 && commits <= ROWS as u64 / 3, "{status:?}");
    assert!(status.unwritten == 0 && status.failure.is_none(), "{status:?}");
}

#[tokio::test]
async fn an_evicted_state_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.redb");
    let mut def = relay_def("latest");
    let mut branch = (**def.branch.as_ref().unwrap()).clone();
    branch.max_instances = Some(1);
    def.branch = Some(Arc::new(branch));
    {
        let store = StateStore::open(&path).unwrap();
        let stage = stage(&store, &def);
        for tenant in ["a", "b"] {
            let verdict = stage.write(tenant, 1, 10).await;
            assert_eq!(verdict.recv().unwrap().done, 1);
            // The receipt lets go of the instance right after it has answered.
            while stage.branches.idle() == 0 {
                tokio::task::yield_now().await;
            }
        }
        store.close();
    }
    let store = StateStore::open(&path).unwrap();
    let (_, states) = store.relay(&shop(), &def).unwrap();
    assert_eq!(states.len(), 1);
}

#[test]
fn a_file_is_open_once_and_what_is_no_file_of_states_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.redb");
    let _open = StateStore::open(&path).unwrap();
    assert!(matches!(StateStore::open(&path), Err(StateError::Locked { .. })));
    let other = folder.path().join("other.redb");
    std::fs::write(&other, "no states at all").unwrap();
    assert!(matches!(
        StateStore::open(&other),
        Err(StateError::Corrupt { .. })
    ));
    assert!(matches!(
        StateStore::open(folder.path().join("node.redb/below")),
        Err(StateError::Unavailable { .. })
    ));
}

#[test]
fn damage_is_a_failure_until_a_commit_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path().join("node.redb")).unwrap();
    let file = &store.shared.file;
    let read = file.read(|_| -> Result<(), StateError> { panic!("no page") });
    assert!(matches!(read, Err(StateError::Corrupt { .. })), "{read:?}");
    let failure = store.status().failure.expect("it is told").to_string();
    assert!(
        failure.contains("node.redb") && failure.contains("damaged"),
        "{failure}"
    );
    store.commit().unwrap();
    assert_eq!(store.status().failure, None);
}

#[test]
fn a_file_of_a_later_release_is_refused_by_its_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.redb");
    {
        let database = redb::Database::create(&path).unwrap();
        let write = database.begin_write().unwrap();
        let meta: redb::TableDefinition<'_, &str, u64> = redb::TableDefinition::new("meta");
        write.open_table(meta).unwrap().insert("format", 3).unwrap();
        write.commit().unwrap();
    }
    let refused = StateStore::open(&path).err();
    assert!(
        matches!(
            refused,
            Some(StateError::Format {
                found: 3,
                supported: 2,
                ..
            })
        ),
        "{refused:?}"
    );
}

#[test]
fn while_nothing_can_be_written_only_so_many_states_are_taken_and_others_come_again() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let write = |stage: &Stage, tenant: &str, number| runtime.block_on(stage.write(tenant, number, number));
    let store = StateStore::in_memory().unwrap();
    let stage = stage(&store, &relay_def("latest"));
    let known = write(&stage, "known", 1);
    store.commit().unwrap();
    assert_eq!(known.recv().unwrap().done, 1);
    let number = store.shared.known.lock().values().next().unwrap().number;
    let committing = store.shared.committing.lock();
    let key = |at: usize| (number, Arc::from(at.to_string().into_bytes()));
    let owed = (0..OWED_STATES_MAX).map(|at| (key(at), None)).collect();
    store.shared.pending.lock().put_back(owed);
    let refused = write(&stage, "new", 2);
    assert_eq!(refused.recv().unwrap().unresolved, 1);
    assert_eq!(stage.known("new"), None, "what comes again is no state");
    assert_eq!(store.shared.pending.lock().dirty.len(), OWED_STATES_MAX);
    drop(committing);
    store.commit().unwrap();
    let taken = write(&stage, "new", 3);
    assert_eq!(taken.recv().unwrap().done, 1);
    assert_eq!(stage.known("new"), Some((3, 3)));
}

#[test]
fn dropping_the_last_clone_waits_for_no_disk_and_what_is_left_is_committed_all_the_same() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = StateStore::in_memory().unwrap();
    let stage = stage(&store, &relay_def("latest"));
    let shared = Arc::clone(&store.shared);
    let committing = shared.committing.lock();
    let verdict = runtime.block_on(stage.write("a", 1, 10));
    drop(store);
    assert!(verdict.try_recv().is_err(), "the disk stands");
    drop(committing);
    assert_eq!(verdict.recv().unwrap().done, 1);
}

#[tokio::test]
async fn a_file_of_which_a_byte_of_a_state_was_changed_does_not_open() {
    const NUMBER: i64 = 0x0123_4567_89ab_cdef;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.redb");
    let store = StateStore::open(&path).unwrap();
    let written = stage(&store, &relay_def("latest")).write("a", NUMBER, 10).await;
    assert_eq!(written.recv().unwrap().done, 1);
    store.close();
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 8)
        .filter(|place| bytes[*place..place + 8] == NUMBER.to_le_bytes())
        .collect();
    assert!(!places.is_empty(), "it is in the file");
    places.into_iter().for_each(|place| bytes[place] ^= 1);
    std::fs::write(&path, bytes).unwrap();
    let refused = StateStore::open(&path).err().unwrap();
    assert!(matches!(refused, StateError::Corrupt { .. }), "{refused:?}");
    assert!(refused.to_string().contains("move the file away"), "{refused}");
}

#[test]
fn a_file_of_format_1_keeps_its_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.redb");
    let def = relay_def("latest");
    {
        let meta = redb::TableDefinition::<&str, u64>::new("meta");
        let relays = redb::TableDefinition::<(&str, &str), (u64, &str)>::new("relays");
        let rows = redb::TableDefinition::<(u64, &[u8]), (i64, &[u8])>::new("rows");
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![7])),
            Arc::new(StringArray::from(vec![None::<&str>])),
        ];
        let record = RecordBatch::try_new(arrow_schema(&def.schema), columns).unwrap();
        let (form, row) = (form::text(&def), row::encode(&record).unwrap());
        let write = redb::Database::create(&path).unwrap().begin_write().unwrap();
        write.open_table(meta).unwrap().insert("format", 1).unwrap();
        write.open_table(meta).unwrap().insert("next relay", 1).unwrap();
        let mut table = write.open_table(relays).unwrap();
        table.insert(("shop", "latest"), (0, form.as_str())).unwrap();
        drop(table);
        let mut table = write.open_table(rows).unwrap();
        table.insert((0, &b"key"[..]), (10, row.as_slice())).unwrap();
        drop(table);
        write.commit().unwrap();
    }
    let store = StateStore::open(&path).unwrap();
    let (_, states) = store.relay(&shop(), &def).unwrap();
    assert_eq!(states.len(), 1);
    assert_eq!(states[0].latest.timestamp(), DomainTime(10));
}
