//! Panics, restarts and ends of tasks, on a manual clock where time matters.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use nervix_clock::{ManualClock, PhysicalClock};
use tokio::sync::{Notify, mpsc};

use super::{RESTART_BACKOFF_MIN, Supervisor};

#[tokio::test]
async fn a_kept_task_starts_again_after_a_panic_with_a_growing_wait() {
    let clock = ManualClock::new();
    let supervisor = Supervisor::new(clock.physical());
    let (waits, mut heard) = mpsc::channel(8);
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let task = supervisor.keep(
        move || {
            let run = counted.fetch_add(1, Ordering::SeqCst);
            async move { assert!(run >= 2, "a panic of the test") }
        },
        move |wait| waits.try_send(wait).unwrap(),
    );
    assert_eq!(heard.recv().await, Some(RESTART_BACKOFF_MIN));
    clock.advance(RESTART_BACKOFF_MIN).await;
    assert_eq!(heard.recv().await, Some(RESTART_BACKOFF_MIN * 2));
    clock.advance(RESTART_BACKOFF_MIN * 2).await;
    task.joined().await;
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_panic_of_one_task_leaves_the_others_alone() {
    let supervisor = Supervisor::new(PhysicalClock::system());
    let go = Arc::new(Notify::new());
    let (told, mut heard) = mpsc::channel(1);
    let waits = Arc::clone(&go);
    let healthy = supervisor.once(async move { waits.notified().await }, || {});
    let sick = supervisor.once(async { panic!("a panic of the test") }, move || {
        told.try_send(()).unwrap()
    });
    heard.recv().await.unwrap();
    sick.joined().await;
    go.notify_one();
    healthy.joined().await;
}

#[tokio::test]
async fn dropping_a_task_drops_what_it_holds() {
    let supervisor = Supervisor::new(PhysicalClock::system());
    let held = Arc::new(());
    let holds = Arc::clone(&held);
    let task = supervisor.once(
        async move {
            let _holds = holds;
            std::future::pending::<()>().await;
        },
        || {},
    );
    task.end().await;
    assert_eq!(Arc::strong_count(&held), 1);
}

#[tokio::test]
async fn the_end_of_all_waits_for_everybody() {
    let supervisor = Supervisor::new(PhysicalClock::system());
    let clock = PhysicalClock::system();
    let _task = supervisor.once(async move { clock.sleep(Duration::from_secs(3600)).await }, || {});
    supervisor.end_all().await;
}
