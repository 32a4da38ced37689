use std::rc::Rc;
use std::time::Duration;

use parking_lot::Mutex;
use proptest::collection::vec;
use proptest::proptest;
use tokio::task::{LocalSet, spawn_local};

use crate::{ManualClock, TimeRate};

const SECOND: Duration = Duration::from_secs(1);

type Log = Rc<Mutex<Vec<(usize, Duration)>>>;

/// A task that sleeps `spans` one after the other and writes down who woke when.
fn sleeper(clock: &ManualClock, log: &Log, who: usize, spans: Vec<Duration>) {
    let (physical, log) = (clock.physical(), Rc::clone(log));
    let begun = physical.now();
    spawn_local(async move {
        for span in spans {
            physical.sleep(span).await;
            log.lock().push((who, physical.now().since(begun)));
        }
    });
}

#[tokio::test]
async fn sleepers_wake_in_the_order_of_their_deadlines_each_at_its_own_moment() {
    LocalSet::new()
        .run_until(async {
            let (clock, log) = (ManualClock::new(), Log::default());
            sleeper(&clock, &log, 0, vec![3 * SECOND]);
            sleeper(&clock, &log, 1, vec![SECOND, SECOND, SECOND]);
            sleeper(&clock, &log, 2, vec![2 * SECOND]);
            clock.settle().await;
            assert_eq!(clock.sleepers(), 3);
            clock.advance(10 * SECOND).await;
            let seen = log.lock().clone();
            let expected = [(1, 1), (2, 2), (1, 2), (0, 3), (1, 3)];
            assert_eq!(seen, expected.map(|(who, at)| (who, at * SECOND)));
            assert_eq!(clock.sleepers(), 0);
        })
        .await;
}

#[tokio::test]
async fn one_woken_task_runs_with_all_it_sets_in_motion_before_the_next_wakes() {
    LocalSet::new()
        .run_until(async {
            let (clock, log) = (ManualClock::new(), Log::default());
            let (physical, chained) = (clock.physical(), Rc::clone(&log));
            spawn_local(async move {
                physical.sleep(SECOND).await;
                for hop in 0..10 {
                    let chained = Rc::clone(&chained);
                    spawn_local(async move { chained.lock().push((100 + hop, SECOND)) })
                        .await
                        .unwrap();
                }
            });
            clock.settle().await;
            sleeper(&clock, &log, 1, vec![SECOND]);
            clock.settle().await;
            clock.advance(SECOND).await;
            let seen = log.lock().clone();
            assert_eq!(seen.len(), 11);
            assert_eq!(
                seen[10],
                (1, SECOND),
                "the one that fell asleep later wakes later"
            );
        })
        .await;
}

#[tokio::test]
async fn a_sleep_that_was_dropped_or_is_never_polled_again_does_not_stop_the_clock() {
    LocalSet::new()
        .run_until(async {
            let (clock, log) = (ManualClock::new(), Log::default());
            let physical = clock.physical();
            spawn_local(async move {
                let mut forgotten = Box::pin(physical.sleep(SECOND));
                tokio::select! {
                    biased;
                    () = &mut forgotten => {}
                    () = tokio::task::yield_now() => {}
                }
                std::future::pending::<()>().await;
                drop(forgotten);
            });
            sleeper(&clock, &log, 1, vec![2 * SECOND]);
            clock.settle().await;
            clock.advance(5 * SECOND).await;
            assert_eq!(*log.lock(), [(1, 2 * SECOND)]);
        })
        .await;
}

#[tokio::test]
async fn domain_and_physical_sleepers_share_one_time() {
    LocalSet::new()
        .run_until(async {
            let (clock, log) = (ManualClock::new(), Log::default());
            let domain = clock.paced(crate::DomainTime(0), TimeRate::new(10.0).unwrap());
            let (begun, physical, noted) = (clock.physical().now(), clock.physical(), Rc::clone(&log));
            spawn_local(async move {
                domain.sleep(10 * SECOND).await;
                noted.lock().push((7, physical.now().since(begun)));
            });
            clock.settle().await;
            assert!(clock.advance_to_next().await);
            assert_eq!(*log.lock(), [(7, SECOND)]);
            assert!(!clock.advance_to_next().await);
        })
        .await;
}

proptest! {
    #[test]
    fn any_set_of_sleepers_wakes_sorted_and_exactly_at_its_deadlines(
        sleepers in vec(vec(1_u64..1_000, 1..5), 1..12),
        strides in vec(1_u64..700, 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let (clock, log) = (ManualClock::new(), Log::default());
            let mut expected = Vec::new();
            let total: u64 = strides.iter().sum();
            for (who, spans) in sleepers.iter().enumerate() {
                let mut at = 0;
                for span in spans {
                    at += span;
                    if at <= total {
                        expected.push((who, Duration::from_millis(at)));
                    }
                }
                sleeper(&clock, &log, who, spans.iter().map(|span| Duration::from_millis(*span)).collect());
            }
            clock.settle().await;
            for stride in strides {
                clock.advance(Duration::from_millis(stride)).await;
            }
            let mut seen = log.lock().clone();
            assert!(seen.is_sorted_by_key(|(_, at)| *at), "time only moves on");
            seen.sort_unstable();
            expected.sort_unstable();
            assert_eq!(seen, expected);
        });
    }
}
