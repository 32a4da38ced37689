use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, StringArray, UInt64Array};
use futures::FutureExt;
use nervix_clock::{DomainClock, DomainTime, ManualClock, PhysicalClock, TimeRate};
use nspl_model::{BranchDef, DataType, Field, Schema};
use tokio::task::{LocalSet, spawn_local};

use super::{Branches, FingerprintKey, Groups};
use crate::KeyError;

const TTL: Duration = Duration::from_secs(60);
const SECRET: [u8; 32] = [3; 32];

fn definition(name: &str, max_instances: Option<u32>) -> Arc<BranchDef> {
    let field = |name: &str, data_type| Field {
        name: name.into(),
        data_type,
        optional: false,
        sensitive: false,
    };
    let schema = Schema {
        name: "key".into(),
        fields: vec![field("tenant", DataType::String)],
    };
    Arc::new(BranchDef {
        name: name.into(),
        schema: Arc::new(schema),
        ttl: TTL,
        max_instances,
    })
}

fn table(clock: &ManualClock, max_instances: Option<u32>) -> Branches {
    let key = FingerprintKey::new("shop", SECRET);
    Branches::new(definition("by_tenant", max_instances), key, clock.domain())
}

fn keys(branches: &Branches, tenants: &[&str]) -> Groups {
    let column: ArrayRef = Arc::new(StringArray::from(tenants.to_vec()));
    branches.group(&[column]).unwrap()
}

#[test]
fn equal_keys_give_the_same_instance_and_other_keys_another() {
    let branches = table(&ManualClock::new(), None);
    let groups = keys(&branches, &["a", "b", "a"]);
    let (a, b) = (
        branches.try_intern(groups.key(0)).unwrap(),
        branches.try_intern(groups.key(1)).unwrap(),
    );
    assert_eq!(groups.len(), 2);
    assert_eq!(a, branches.try_intern(groups.key(0)).unwrap());
    assert_eq!(a, a.clone());
    assert_ne!(a, b);
    assert_eq!((branches.len(), branches.idle()), (2, 0));
    drop((a, b));
    assert_eq!((branches.len(), branches.idle()), (2, 2));
}

#[test]
fn keys_must_have_the_columns_of_the_branch() {
    let branches = table(&ManualClock::new(), None);
    assert_eq!(
        branches.group(&[]).unwrap_err(),
        KeyError::Columns {
            expected: 1,
            found: 0
        }
    );
}

#[test]
fn a_fingerprint_depends_on_domain_branch_key_values_and_secret_and_on_nothing_else() {
    let of = |domain: &str, secret: [u8; 32], branch: &str, tenant: &str| {
        let key = FingerprintKey::new(domain, secret);
        let branches = Branches::new(definition(branch, Some(7)), key, ManualClock::new().domain());
        let groups = keys(&branches, &[tenant]);
        branches
            .try_intern(groups.key(0))
            .unwrap()
            .fingerprint()
            .to_string()
    };
    let known = of("shop", SECRET, "by_tenant", "a");
    assert_eq!(
        known,
        of("shop", SECRET, "by_tenant", "a"),
        "a table made anew gives the same"
    );
    assert_eq!(known.len(), 64);
    assert!(
        known
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
    );
    for other in [
        of("shops", SECRET, "by_tenant", "a"),
        of("shop", [4; 32], "by_tenant", "a"),
        of("shop", SECRET, "by_tenants", "a"),
        of("shop", SECRET, "by_tenant", "b"),
        of("shopby", SECRET, "_tenant", "a"),
    ] {
        assert_ne!(known, other);
    }
    // Consumers keep these across upgrades: the form does not change.
    assert_eq!(
        known,
        "94113ec222861b613ab9bec464abeaa40d4857e5a5b3332b195b46c919a56cf7"
    );
}

#[test]
fn nothing_that_prints_shows_a_key_or_the_secret() {
    let branches = table(&ManualClock::new(), None);
    let groups = keys(&branches, &["marker-tenant"]);
    let branch = branches.try_intern(groups.key(0)).unwrap();
    let shown = format!(
        "{branch:?} {branches:?} {:?}",
        FingerprintKey::new("shop", SECRET)
    );
    assert!(!shown.contains("marker") && !shown.contains('3'), "{shown}");
}

#[test]
fn at_the_bound_the_least_recently_used_idle_instance_goes() {
    let branches = table(&ManualClock::new(), Some(3));
    let groups = keys(&branches, &["a", "b", "c", "d"]);
    let [a, b, c] = [0, 1, 2].map(|group| branches.try_intern(groups.key(group)).unwrap());
    drop(b);
    drop(a);
    drop(branches.try_intern(groups.key(1)).unwrap());
    let d = branches.try_intern(groups.key(3)).unwrap();
    assert_eq!(
        (branches.len(), branches.idle()),
        (3, 1),
        "a went, b was used after it, c is in use"
    );
    drop(branches.try_intern(groups.key(1)).unwrap());
    assert_eq!((branches.len(), branches.idle()), (3, 1));
    drop((c, d));
}

#[tokio::test]
async fn where_all_are_busy_a_new_key_waits_and_a_known_one_does_not() {
    LocalSet::new()
        .run_until(async {
            let clock = ManualClock::new();
            let branches = table(&clock, Some(1));
            let groups = Arc::new(keys(&branches, &["a", "b"]));
            let busy = branches.try_intern(groups.key(0)).unwrap();
            assert!(branches.try_intern(groups.key(1)).is_none());
            let (waiting, waits_for) = (branches.clone(), Arc::clone(&groups));
            let waiter = spawn_local(async move { waiting.intern(waits_for.key(1)).await });
            clock.settle().await;
            assert!(!waiter.is_finished());
            assert_eq!(branches.intern(groups.key(0)).await, busy);
            clock.advance(100 * TTL).await;
            assert_eq!(branches.expire(), 0, "an instance in use has no age");
            assert!(!waiter.is_finished());
            drop(busy);
            let b = waiter.await.unwrap();
            assert_eq!((branches.len(), branches.idle()), (1, 0));
            drop(b);
        })
        .await;
}

#[tokio::test]
async fn those_who_wait_get_in_by_turns_and_a_cancelled_one_passes_its_turn_on() {
    LocalSet::new()
        .run_until(async {
            let clock = ManualClock::new();
            let branches = table(&clock, Some(1));
            let groups = Arc::new(keys(&branches, &["a", "b", "c", "c"]));
            let busy = branches.try_intern(groups.key(0)).unwrap();
            let wait_for = |group: usize| {
                let (branches, groups) = (branches.clone(), Arc::clone(&groups));
                spawn_local(async move { branches.intern(groups.key(group)).await })
            };
            let (cancelled, first, same) = (wait_for(1), wait_for(2), wait_for(2));
            clock.settle().await;
            cancelled.abort();
            clock.settle().await;
            drop(busy);
            let (first, same) = (first.await.unwrap(), same.await.unwrap());
            assert_eq!(
                first, same,
                "who waits for a key that exists meanwhile need not wait any more"
            );
        })
        .await;
}

#[tokio::test]
async fn an_idle_instance_lives_for_its_ttl_counted_from_its_last_use() {
    let clock = ManualClock::new();
    let branches = table(&clock, None);
    let groups = keys(&branches, &["a", "b"]);
    drop(branches.try_intern(groups.key(0)).unwrap());
    clock.advance(TTL / 2).await;
    let b = branches.try_intern(groups.key(1)).unwrap();
    drop(branches.try_intern(groups.key(0)).unwrap());
    clock.advance(TTL / 2).await;
    assert_eq!((branches.expire(), branches.len()), (0, 2));
    clock.advance(TTL / 2).await;
    assert_eq!((branches.expire(), branches.len()), (1, 1));
    drop(b);
    clock.advance(TTL).await;
    drop(branches.try_intern(groups.key(0)).unwrap());
    assert_eq!(branches.len(), 1, "making one forgets what is past its time");
}

#[tokio::test]
async fn an_instance_past_its_ttl_is_not_found_again() {
    let clock = ManualClock::new();
    let branches = table(&clock, None);
    let groups = keys(&branches, &["a"]);
    let first = branches.try_intern(groups.key(0)).unwrap();
    let first_name = Arc::downgrade(first.fingerprint());
    drop(first);
    clock.advance(TTL).await;
    let second = branches.try_intern(groups.key(0)).unwrap();
    assert!(
        first_name.upgrade().is_none(),
        "the old one is gone with all that was kept for it"
    );
    assert_eq!(branches.len(), 1);
    drop(second);
}

#[tokio::test]
async fn the_keeper_forgets_instances_as_their_time_ends() {
    LocalSet::new()
        .run_until(async {
            let clock = ManualClock::new();
            let branches = table(&clock, None);
            let keeper = branches.clone();
            spawn_local(async move { keeper.keep().await });
            let groups = keys(&branches, &["a", "b"]);
            drop(branches.try_intern(groups.key(0)).unwrap());
            clock.advance(TTL / 2).await;
            drop(branches.try_intern(groups.key(1)).unwrap());
            clock.advance(TTL / 2 + Duration::from_secs(1)).await;
            assert_eq!(branches.len(), 1);
            clock.advance(TTL / 2).await;
            assert_eq!(branches.len(), 0);
        })
        .await;
}

/// At such a rate every moment of the domain is over at once.
#[test]
fn a_ttl_that_takes_no_time_leaves_its_thread_to_others() {
    let (rested, rests) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let physical = PhysicalClock::system();
        let since = physical.utc();
        let fast = DomainClock::paced(physical, DomainTime(0), since, TimeRate::new(1e12).unwrap());
        let key = FingerprintKey::new("shop", SECRET);
        let branches = Branches::new(definition("by_tenant", None), key, fast);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let keeps = runtime.block_on(async { branches.keep().now_or_never() });
        rested.send(keeps).unwrap();
    });
    let rested = rests.recv_timeout(Duration::from_secs(20));
    assert_eq!(rested, Ok(None), "it never rests");
}

#[test]
fn references_outlive_the_table() {
    let branches = table(&ManualClock::new(), None);
    let groups = keys(&branches, &["a"]);
    let branch = branches.try_intern(groups.key(0)).unwrap();
    drop(branches);
    assert_eq!(branch.name(), "by_tenant");
    drop(branch.clone());
    assert_eq!(branch.fingerprint().len(), 64);
}

#[test]
fn threads_that_use_and_let_go_of_few_instances_keep_the_table_sound() {
    let clock = nervix_clock::DomainClock::unpaced(nervix_clock::PhysicalClock::system());
    let branches = Branches::new(definition("b", Some(4)), FingerprintKey::new("d", SECRET), clock);
    std::thread::scope(|scope| {
        for thread in 0..4_usize {
            let branches = &branches;
            scope.spawn(move || {
                let groups = keys(branches, &["a", "b", "c", "d", "e", "f"]);
                for round in 0..2_000 {
                    let group = (round * 7 + thread) % groups.len();
                    if let Some(branch) = branches.try_intern(groups.key(group)) {
                        assert_eq!(branch.key_encoding(), groups.key(group).as_bytes());
                        let again = branches.try_intern(groups.key(group)).unwrap();
                        assert_eq!(branch, again, "while it is in use there is one");
                    }
                    assert!(branches.len() <= 4);
                }
            });
        }
    });
    assert_eq!(branches.idle(), branches.len(), "nobody uses any");
}

#[test]
fn a_branch_of_several_fields_takes_them_in_declared_order() {
    let field = |name: &str, data_type| Field {
        name: name.into(),
        data_type,
        optional: false,
        sensitive: false,
    };
    let fields = vec![field("tenant", DataType::String), field("shard", DataType::U64)];
    let schema = Arc::new(Schema {
        name: "key".into(),
        fields,
    });
    let def = Arc::new(BranchDef {
        name: "b".into(),
        schema,
        ttl: TTL,
        max_instances: None,
    });
    let branches = Branches::new(def, FingerprintKey::new("d", SECRET), ManualClock::new().domain());
    let tenants: ArrayRef = Arc::new(StringArray::from(vec!["a", "a", "b"]));
    let shards: ArrayRef = Arc::new(UInt64Array::from(vec![1, 2, 1]));
    assert_eq!(branches.group(&[tenants, shards]).unwrap().len(), 3);
}
