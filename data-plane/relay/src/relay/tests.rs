//! What a relay promises, seen through its public doors.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use arrow::array::{Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use nervix_ack::{Fate, Share, Verdict, root};
use nervix_budget::{Budget, Held};
use nervix_clock::{DomainTime, ManualClock, Snapshot};
use nspl_model::{Attachment, DataType, Field, RelayDef, Schema};
use tokio::task::{JoinHandle, LocalSet, spawn_local};

use crate::{Closed, Consumer, Relay, RelayBatch, Timestamps};

fn relay(capacity: u32) -> Arc<Relay> {
    let field = Field {
        name: "n".into(),
        data_type: DataType::I64,
        optional: false,
        sensitive: false,
    };
    let schema = Arc::new(Schema {
        name: "numbers".into(),
        fields: vec![field],
    });
    let name = "numbers".into();
    Relay::new(Arc::new(RelayDef {
        name,
        schema,
        branch: None,
        capacity,
        materialized: false,
    }))
}

/// A batch of one record that holds `number`.
fn batch(number: i64, share: Share) -> RelayBatch {
    let rows = share.len();
    let column = Arc::new(Int64Array::from(vec![number; rows]));
    RelayBatch {
        records: RecordBatch::try_from_iter([("n", column as _)]).unwrap(),
        share,
        branch: None,
        snapshot: Arc::new(Snapshot {
            domain_time: DomainTime(1),
            seed: [0; 32],
        }),
        timestamps: Timestamps::uniform(rows, DomainTime(1)),
        held: Arc::new(Held::nothing()),
    }
}

fn number(batch: &RelayBatch) -> i64 {
    use arrow::array::AsArray;
    batch.records.column(0).as_primitive::<Int64Type>().value(0)
}

fn untracked(number: i64) -> RelayBatch {
    batch(number, Share::untracked(1))
}

fn tracked(number: i64) -> (RelayBatch, Receiver<Verdict>) {
    let (told, verdicts) = sync_channel(2);
    (
        batch(number, root(1, move |verdict| told.send(verdict).unwrap())),
        verdicts,
    )
}

fn received(consumer: &mut Consumer) -> Vec<i64> {
    std::iter::from_fn(|| consumer.try_recv())
        .map(|batch| number(&batch))
        .collect()
}

fn publish(relay: &Arc<Relay>, batch: RelayBatch) -> JoinHandle<Result<(), Closed>> {
    let relay = Arc::clone(relay);
    spawn_local(async move { relay.publish(batch).await })
}

#[tokio::test]
async fn every_consumer_gets_every_batch_in_order() {
    let relay = relay(8);
    let mut consumers = ["a", "b", "c"].map(|name| relay.attach(name, Attachment::Attached));
    for number in 0..5 {
        relay.publish(untracked(number)).await.unwrap();
    }
    assert_eq!(relay.buffered(), 5);
    for consumer in &mut consumers {
        assert_eq!(consumer.len(), 5);
        assert_eq!(received(consumer), [0, 1, 2, 3, 4]);
        assert!(consumer.is_empty());
    }
}

#[tokio::test]
async fn a_full_consumer_makes_the_publisher_wait_and_no_queue_grows_past_capacity() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(2));
            let mut fast = relay.attach("fast", Attachment::Attached);
            let mut slow = relay.attach("slow", Attachment::Detached);
            let waiting: Vec<_> = (0..5).map(|number| publish(&relay, untracked(number))).collect();
            clock.settle().await;
            assert_eq!(waiting.iter().filter(|task| task.is_finished()).count(), 2);
            assert_eq!((relay.buffered(), relay.waiting()), (2, 3));
            assert_eq!(received(&mut fast), [0, 1]);
            clock.settle().await;
            assert_eq!(
                (relay.buffered(), relay.waiting()),
                (2, 3),
                "the slow one holds all back"
            );
            assert_eq!(number(&slow.recv().await.unwrap()), 0);
            clock.settle().await;
            assert_eq!(relay.waiting(), 2);
            relay.set_capacity(8);
            for task in waiting {
                task.await.unwrap().unwrap();
            }
            assert_eq!(received(&mut fast), [2, 3, 4]);
            assert_eq!(received(&mut slow), [1, 2, 3, 4]);
        })
        .await;
}

#[tokio::test]
async fn each_attached_consumer_settles_a_share_of_its_own_and_a_detached_one_none() {
    let relay = relay(4);
    let mut attached = ["a", "b"].map(|name| relay.attach(name, Attachment::Attached));
    let mut detached = relay.attach("d", Attachment::Detached);
    let (batch, verdicts) = tracked(1);
    relay.publish(batch).await.unwrap();
    let loose = detached.try_recv().unwrap();
    assert_eq!((loose.share.len(), loose.share.is_tracked()), (1, false));
    drop(loose);
    attached[0].try_recv().unwrap().share.settle(Fate::Done);
    assert!(verdicts.try_recv().is_err());
    attached[1].try_recv().unwrap().share.settle(Fate::Refused);
    assert_eq!(verdicts.try_recv().unwrap().worst(), Fate::Refused);
}

#[tokio::test]
async fn without_an_attached_consumer_a_batch_is_done_at_once() {
    let relay = relay(4);
    let (batch, verdicts) = tracked(1);
    relay.publish(batch).await.unwrap();
    assert_eq!(verdicts.try_recv().unwrap().done, 1);
    let mut detached = relay.attach("d", Attachment::Detached);
    let (batch, verdicts) = tracked(2);
    relay.publish(batch).await.unwrap();
    assert_eq!(verdicts.try_recv().unwrap().done, 1);
    assert_eq!(received(&mut detached), [2]);
}

#[tokio::test]
async fn a_batch_of_no_rows_is_not_delivered() {
    let relay = relay(1);
    let consumer = relay.attach("a", Attachment::Attached);
    relay.publish(batch(0, Share::default())).await.unwrap();
    assert!(consumer.is_empty());
}

#[tokio::test]
async fn a_consumer_sees_what_is_published_from_its_attachment_on() {
    let relay = relay(4);
    let mut first = relay.attach("first", Attachment::Attached);
    relay.publish(untracked(1)).await.unwrap();
    let mut second = relay.attach("second", Attachment::Attached);
    relay.publish(untracked(2)).await.unwrap();
    assert_eq!(
        (received(&mut first), received(&mut second)),
        (vec![1, 2], vec![2])
    );
}

#[tokio::test]
async fn a_seat_outlives_a_consumer_that_panics_and_is_taken_over_with_its_queue() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(2));
            let mut consumer = relay.attach("e", Attachment::Attached);
            let [(first, first_verdict), (second, _second_verdict)] = [tracked(1), tracked(2)];
            relay.publish(first).await.unwrap();
            relay.publish(second).await.unwrap();
            let broken = spawn_local(async move {
                let _batch = consumer.recv().await;
                panic!("the task broke");
            });
            assert!(broken.await.unwrap_err().is_panic());
            assert_eq!(
                first_verdict.try_recv().unwrap().worst(),
                Fate::Unresolved,
                "it held that one"
            );
            assert!(relay.seats()[0].vacant);
            relay.publish(untracked(3)).await.unwrap();
            let waiting = publish(&relay, untracked(4));
            clock.settle().await;
            assert!(
                !waiting.is_finished(),
                "a vacant seat fills up and then holds back"
            );
            let mut again = relay.attach("e", Attachment::Attached);
            assert_eq!(received(&mut again), [2, 3]);
            waiting.await.unwrap().unwrap();
            assert_eq!(received(&mut again), [4]);
            assert_eq!(relay.seats().len(), 1);
        })
        .await;
}

#[tokio::test]
async fn a_consumer_that_is_superseded_receives_nothing_any_more_and_its_drop_changes_nothing() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(4));
            let mut old = relay.attach("e", Attachment::Attached);
            let waiting = spawn_local(async move { (old.recv().await.is_none(), old) });
            clock.settle().await;
            let mut new = relay.attach("e", Attachment::Detached);
            let (ended, old) = waiting.await.unwrap();
            assert!(ended);
            relay.publish(untracked(1)).await.unwrap();
            drop(old);
            assert!(!relay.seats()[0].vacant);
            assert_eq!(relay.seats()[0].attachment, Attachment::Detached);
            assert_eq!(received(&mut new), [1]);
        })
        .await;
}

#[tokio::test]
async fn detaching_frees_the_seat_lets_publishers_go_on_and_resolves_what_was_queued() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(1));
            let mut kept = relay.attach("kept", Attachment::Attached);
            let gone = relay.attach("gone", Attachment::Attached);
            let (first, verdict) = tracked(1);
            relay.publish(first).await.unwrap();
            kept.try_recv().unwrap().share.settle(Fate::Done);
            let waiting = publish(&relay, untracked(2));
            clock.settle().await;
            assert!(!waiting.is_finished());
            assert!(relay.detach("gone"));
            assert!(gone.is_empty());
            assert_eq!(verdict.try_recv().unwrap().worst(), Fate::Unresolved);
            waiting.await.unwrap().unwrap();
            assert!(relay.detach("kept"));
            assert!(!relay.detach("kept"));
            assert!(kept.recv().await.is_none());
            assert!(relay.seats().is_empty());
        })
        .await;
}

#[tokio::test]
async fn a_gate_holds_publishers_back_while_consumers_drain() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(4));
            let mut consumer = relay.attach("e", Attachment::Attached);
            relay.publish(untracked(1)).await.unwrap();
            let (first, second) = (relay.gate(), relay.gate());
            let waiting = publish(&relay, untracked(2));
            assert_eq!(received(&mut consumer), [1]);
            first.release();
            clock.settle().await;
            assert!(!waiting.is_finished(), "gates add up");
            drop(second);
            waiting.await.unwrap().unwrap();
            assert_eq!(received(&mut consumer), [2]);
        })
        .await;
}

#[tokio::test]
async fn closing_ends_publishers_and_consumers_and_resolves_what_was_queued() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(1));
            let mut consumer = relay.attach("e", Attachment::Attached);
            let [(queued, queued_verdict), (late, late_verdict)] = [tracked(1), tracked(2)];
            relay.publish(queued).await.unwrap();
            let waiting = publish(&relay, late);
            clock.settle().await;
            relay.close();
            assert_eq!(waiting.await.unwrap(), Err(Closed));
            for verdict in [queued_verdict, late_verdict] {
                assert_eq!(verdict.try_recv().unwrap().worst(), Fate::Unresolved);
            }
            assert!(consumer.recv().await.is_none());
            assert_eq!(relay.publish(untracked(3)).await, Err(Closed));
            assert!(relay.is_closed());
            assert!(relay.attach("late", Attachment::Attached).recv().await.is_none());
        })
        .await;
}

#[tokio::test]
async fn publishers_get_in_by_turns_and_a_cancelled_one_passes_its_turn_on() {
    LocalSet::new()
        .run_until(async {
            let (clock, relay) = (ManualClock::new(), relay(1));
            let mut consumer = relay.attach("e", Attachment::Attached);
            relay.publish(untracked(0)).await.unwrap();
            let (first, verdict) = tracked(1);
            let cancelled = publish(&relay, first);
            let others = [2, 3].map(|number| publish(&relay, untracked(number)));
            clock.settle().await;
            assert_eq!(number(&consumer.try_recv().unwrap()), 0);
            // It has been woken, and ends before it runs: the turn must not be lost with it.
            cancelled.abort();
            clock.settle().await;
            assert_eq!(verdict.try_recv().unwrap().worst(), Fate::Unresolved);
            assert_eq!(number(&consumer.recv().await.unwrap()), 2);
            assert_eq!(number(&consumer.recv().await.unwrap()), 3);
            for task in others {
                task.await.unwrap().unwrap();
            }
        })
        .await;
}

#[tokio::test]
async fn bytes_are_held_until_the_last_consumer_lets_go() {
    let (relay, budget) = (relay(4), Budget::new(1_000));
    let mut consumers = ["a", "b"].map(|name| relay.attach(name, Attachment::Attached));
    let held = Arc::new(budget.charge(100));
    relay.publish(RelayBatch { held, ..untracked(1) }).await.unwrap();
    drop(consumers[0].try_recv());
    assert_eq!(budget.used(), 100);
    drop(consumers[1].try_recv());
    assert_eq!(budget.used(), 0);
}

/// Cancels waits of publishers and consumers at random and loses nothing (X13).
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelled_waits_lose_nothing_and_all_consumers_see_one_order() {
    const PUBLISHERS: i64 = 4;
    const EACH: i64 = 400;
    let relay = relay(3);
    let seen: Arc<Mutex<BTreeMap<usize, Vec<i64>>>> = Arc::default();
    let fates: Arc<Mutex<BTreeMap<i64, Fate>>> = Arc::default();
    let mut tasks = tokio::task::JoinSet::new();
    for who in 0..3_usize {
        let mut consumer = relay.attach(&format!("c{who}"), Attachment::Attached);
        let seen = Arc::clone(&seen);
        tasks.spawn(async move {
            let mut turn = who;
            loop {
                turn += 1;
                let got = tokio::select! {
                    biased;
                    () = yields(turn % 3) => continue,
                    got = consumer.recv() => got,
                };
                let Some(batch) = got else { return };
                seen.lock().unwrap().entry(who).or_default().push(number(&batch));
                batch.share.settle(Fate::Done);
            }
        });
    }
    let mut publishers = tokio::task::JoinSet::new();
    for publisher in 0..PUBLISHERS {
        let (relay, fates) = (Arc::clone(&relay), Arc::clone(&fates));
        publishers.spawn(async move {
            for at in 0..EACH {
                let id = publisher * EACH + at;
                let fates = Arc::clone(&fates);
                let share = root(1, move |verdict| {
                    assert!(fates.lock().unwrap().insert(id, verdict.worst()).is_none());
                });
                tokio::select! {
                    biased;
                    () = yields((id % 5) as usize) => {}
                    published = relay.publish(batch(id, share)) => published.unwrap(),
                }
            }
        });
    }
    while let Some(joined) = publishers.join_next().await {
        joined.unwrap();
    }
    while relay.buffered() > 0 {
        tokio::task::yield_now().await;
    }
    relay.close();
    while let Some(joined) = tasks.join_next().await {
        joined.unwrap();
    }
    let (seen, fates) = (seen.lock().unwrap(), fates.lock().unwrap());
    assert_eq!(fates.len() as i64, PUBLISHERS * EACH, "every batch resolved");
    assert!(seen.values().all(|order| *order == seen[&0]), "one order for all");
    let done: Vec<i64> = fates
        .iter()
        .filter(|(_, fate)| **fate == Fate::Done)
        .map(|(id, _)| *id)
        .collect();
    let mut delivered = seen[&0].clone();
    delivered.sort_unstable();
    assert_eq!(delivered, done, "delivered to all or to none");
    assert!(!delivered.is_empty() && (delivered.len() as i64) < PUBLISHERS * EACH);
}

async fn yields(times: usize) {
    for _ in 0..=times {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_publisher_waits_while_the_consumer_furthest_behind_is_behind_by_too_many_bytes() {
    use futures::FutureExt;
    let (relay, budget) = (relay(64), Budget::new(u64::MAX));
    relay.bound_bytes(100);
    let mut slow = relay.attach("slow", Attachment::Attached);
    let mut quick = relay.attach("quick", Attachment::Attached);
    let weighs = |number, held: &Arc<Held>| RelayBatch {
        held: Arc::clone(held),
        ..untracked(number)
    };
    let shared = Arc::new(budget.charge(60));
    // Parts of one batch weigh what it weighs, once; one batch may be past the bound.
    for number in 0..3 {
        relay.publish(weighs(number, &shared)).await.unwrap();
    }
    relay
        .publish(weighs(3, &Arc::new(budget.charge(60))))
        .await
        .unwrap();
    let light = Arc::new(budget.charge(1));
    let mut waits = Box::pin(relay.publish(weighs(4, &light)));
    assert!(waits.as_mut().now_or_never().is_none());
    while quick.try_recv().is_some() {}
    assert!(
        waits.as_mut().now_or_never().is_none(),
        "the slow one is as far behind"
    );
    assert_eq!(slow.recv().await.map(|batch| number(&batch)), Some(0));
    assert_eq!(waits.now_or_never(), Some(Ok(())));
    while slow.try_recv().is_some() {}
    assert_eq!(relay.with(|state| state.seats.heaviest()), 1, "of the quick one");
}
