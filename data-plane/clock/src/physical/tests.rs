use std::future::{Future, pending, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::{ManualClock, PhysicalClock, TimedOut, UtcTime};

#[test]
fn instants_of_two_system_clocks_compare() {
    let (first, second) = (PhysicalClock::system(), PhysicalClock::system());
    let (earlier, later) = (first.now(), second.now());
    assert!(earlier <= later);
    assert_eq!(earlier.since(later), Duration::ZERO);
}

#[test]
fn a_moment_the_clock_cannot_name_is_told_apart() {
    let now = ManualClock::new().physical().now();
    assert_eq!(now.checked_after(Duration::MAX), None);
    assert!(now.after(Duration::MAX) > now);
    assert_eq!(
        now.checked_after(Duration::from_secs(1)),
        Some(now.after(Duration::from_secs(1)))
    );
}

#[tokio::test]
async fn a_short_and_a_longer_sleep_end_after_their_deadlines() {
    let clock = PhysicalClock::system();
    for span in [
        Duration::ZERO,
        Duration::from_micros(100),
        Duration::from_millis(5),
    ] {
        let before = clock.now();
        clock.sleep(span).await;
        assert!(clock.now().since(before) >= span);
    }
}

#[tokio::test]
async fn short_sleeps_are_much_finer_than_the_runtime_timer() {
    const WINDOW: Duration = Duration::from_micros(100);
    let clock = PhysicalClock::system();
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let before = clock.now();
        clock.sleep(WINDOW).await;
        best = best.min(clock.now().since(before));
    }
    println!("best sleep of {WINDOW:?}: {best:?}");
    assert!(
        best < Duration::from_millis(1),
        "the runtime's own timer takes a millisecond or more"
    );
}

#[tokio::test]
async fn a_cancelled_short_sleep_leaves_the_others_alone() {
    let clock = PhysicalClock::system();
    let mut cancelled = Box::pin(clock.sleep(Duration::from_micros(200)));
    let mut kept = pin!(clock.sleep(Duration::from_micros(400)));
    let polled = cancelled.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Pending);
    assert_eq!(
        kept.as_mut().poll(&mut Context::from_waker(Waker::noop())),
        Poll::Pending
    );
    drop(cancelled);
    kept.await;
}

#[tokio::test]
async fn work_that_is_done_does_not_time_out_and_other_work_does() {
    let clock = ManualClock::new();
    let physical = clock.physical();
    assert_eq!(physical.timeout(Duration::ZERO, ready(7)).await, Ok(7));
    let waiting = tokio::task::LocalSet::new();
    waiting
        .run_until(async {
            let timed = tokio::task::spawn_local(async move {
                physical.timeout(Duration::from_secs(30), pending::<()>()).await
            });
            clock.settle().await;
            clock.advance(Duration::from_secs(29)).await;
            assert!(!timed.is_finished());
            clock.advance(Duration::from_secs(1)).await;
            assert_eq!(timed.await.unwrap(), Err(TimedOut));
        })
        .await;
}

#[test]
fn the_wall_clock_is_that_of_the_system() {
    let UtcTime(nanos) = PhysicalClock::system().utc();
    let year_2020 = 1_577_836_800_000_000_000;
    assert!(nanos > year_2020);
}
