use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::proptest;

use crate::{Admit, Budget, Defer, Held, LetGo};

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn poll(admit: &mut Pin<Box<Admit>>, wakes: &Arc<Wakes>) -> Option<Held> {
    let waker = Waker::from(Arc::clone(wakes));
    match admit.as_mut().poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(held) => Some(held),
        Poll::Pending => None,
    }
}

/// A way in that has joined the line, and the counter of its wakes.
fn waiting(budget: &Budget, bytes: u64) -> (Pin<Box<Admit>>, Arc<Wakes>) {
    let (mut admit, wakes) = (Box::pin(budget.admit(bytes)), Arc::default());
    assert!(poll(&mut admit, &wakes).is_none());
    (admit, wakes)
}

#[test]
fn a_way_in_waits_while_over_the_limit_and_is_woken_when_it_fits() {
    let budget = Budget::new(100);
    let held = budget.charge(60);
    let (mut admit, wakes) = waiting(&budget, 50);
    assert_eq!((budget.used(), budget.waiting()), (60, 1));
    drop(held);
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    let admitted = poll(&mut admit, &wakes).unwrap();
    assert_eq!((admitted.bytes(), budget.used(), budget.waiting()), (50, 50, 0));
}

#[test]
fn a_charge_never_waits_and_holds_ways_in_back() {
    let budget = Budget::new(100);
    let retained = budget.charge(250);
    assert_eq!(budget.used(), 250);
    let (mut admit, wakes) = waiting(&budget, 1);
    drop(retained);
    assert!(poll(&mut admit, &wakes).is_some());
}

#[test]
fn more_than_the_whole_limit_passes_alone() {
    let budget = Budget::new(100);
    let small = budget.try_admit(1).unwrap();
    assert!(budget.try_admit(1_000).is_none());
    let (mut admit, wakes) = waiting(&budget, 1_000);
    drop(small);
    let large = poll(&mut admit, &wakes).unwrap();
    assert_eq!(budget.used(), 1_000);
    assert!(budget.try_admit(1).is_none());
    drop(large);
    assert!(budget.try_admit(1).is_some());
}

#[test]
fn small_ways_in_do_not_overtake_a_large_one() {
    let budget = Budget::new(100);
    let held = budget.charge(50);
    let (mut large, large_wakes) = waiting(&budget, 80);
    let (mut small, small_wakes) = waiting(&budget, 10);
    assert!(budget.try_admit(10).is_none(), "nobody passes those who wait");
    drop(held);
    assert!(poll(&mut small, &small_wakes).is_some_and(|held| held.bytes() == 10));
    assert!(poll(&mut large, &large_wakes).is_some());
}

#[test]
fn a_cancelled_wait_lets_the_next_one_pass() {
    let budget = Budget::new(100);
    let held = budget.charge(50);
    let (large, _) = waiting(&budget, 80);
    let (mut small, wakes) = waiting(&budget, 10);
    drop(large);
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert!(poll(&mut small, &wakes).is_some());
    drop(held);
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_wait_that_is_cancelled_after_it_was_granted_gives_the_bytes_back() {
    let budget = Budget::new(100);
    let held = budget.charge(100);
    let (granted, _) = waiting(&budget, 100);
    let (mut next, wakes) = waiting(&budget, 100);
    drop(held);
    assert_eq!(budget.used(), 100);
    drop(granted);
    assert!(poll(&mut next, &wakes).is_some_and(|held| held.bytes() == 100));
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
}

#[test]
fn a_corrected_or_divided_count_stays_exact() {
    let budget = Budget::new(100);
    let mut held = budget.charge(80);
    let (mut admit, wakes) = waiting(&budget, 60);
    held.resize(30);
    assert!(poll(&mut admit, &wakes).is_some());
    let piece = held.split(10);
    assert_eq!((held.bytes(), piece.bytes(), budget.used()), (20, 10, 30));
    drop(held);
    assert_eq!(budget.used(), 10);
    drop(piece);
    assert_eq!(budget.used(), 0);
}

/// A buffer that is known to the budget once it has been looked at, and the counter of its wakes.
struct Deferred(Pin<Box<Defer>>, Arc<Wakes>);

impl Deferred {
    fn begin(budget: &Budget, bytes: u64) -> Self {
        Self(Box::pin(budget.defer(bytes)), Arc::default())
    }

    fn turn(&mut self) -> Option<LetGo> {
        let waker = Waker::from(Arc::clone(&self.1));
        match self.0.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    fn is_woken(&self) -> bool {
        self.1.0.load(Ordering::Relaxed) > 0
    }
}

#[test]
fn buffers_are_let_go_of_while_ways_in_wait_the_fullest_first_and_one_at_a_time() {
    let budget = Budget::new(100);
    let held = budget.charge(100);
    let (mut small, mut large) = (Deferred::begin(&budget, 10), Deferred::begin(&budget, 60));
    let mut empty = Deferred::begin(&budget, 0);
    assert!(small.turn().is_none() && large.turn().is_none(), "nobody waits");
    let (admit, _) = waiting(&budget, 1);
    assert!(large.is_woken() && !small.is_woken());
    let turn = large.turn().unwrap();
    assert!(small.turn().is_none(), "one at a time");
    drop(turn);
    assert!(small.is_woken());
    drop(small.turn().unwrap());
    assert!(empty.turn().is_none(), "nothing is in it");
    drop((held, admit));
    assert!(
        Deferred::begin(&budget, 10).turn().is_none(),
        "nobody waits any more"
    );
}

#[test]
fn a_buffer_that_begins_while_ways_in_wait_is_let_go_of_at_once() {
    let budget = Budget::new(100);
    let _held = budget.charge(100);
    let (_admit, _) = waiting(&budget, 1);
    assert!(Deferred::begin(&budget, 1).turn().is_some());
}

#[test]
fn a_turn_that_nobody_took_goes_on() {
    let budget = Budget::new(100);
    let _held = budget.charge(100);
    let (mut small, mut large) = (Deferred::begin(&budget, 10), Deferred::begin(&budget, 60));
    assert!(small.turn().is_none() && large.turn().is_none());
    let (_admit, _) = waiting(&budget, 1);
    assert!(large.is_woken());
    drop(large);
    assert!(small.turn().is_some());
}

#[derive(Clone, Debug)]
enum Step {
    Admit(u64),
    Charge(u64),
    Poll(usize),
    Cancel(usize),
    Free(usize),
    Resize(usize, u64),
}

/// One way in that waits, or was granted and has not looked yet.
struct Entry {
    bytes: u64,
    admit: Pin<Box<Admit>>,
    wakes: Arc<Wakes>,
}

impl Entry {
    fn is_granted(&self) -> bool {
        self.wakes.0.load(Ordering::Relaxed) > 0
    }
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0_u64..150).prop_map(Step::Admit),
        1 => (0_u64..60).prop_map(Step::Charge),
        4 => any::<usize>().prop_map(Step::Poll),
        1 => any::<usize>().prop_map(Step::Cancel),
        3 => any::<usize>().prop_map(Step::Free),
        1 => (any::<usize>(), 0_u64..80).prop_map(|(held, bytes)| Step::Resize(held, bytes)),
    ]
}

proptest! {
    #[test]
    fn what_is_used_is_what_is_held_and_everybody_gets_in_in_order(steps in vec(a_step(), 1..120)) {
        let budget = Budget::new(100);
        let mut line: Vec<Entry> = Vec::new();
        let mut held: Vec<Held> = Vec::new();
        for step in steps {
            match step {
                Step::Admit(bytes) => {
                    let mut admit = Box::pin(budget.admit(bytes));
                    let wakes = Arc::default();
                    match poll(&mut admit, &wakes) {
                        Some(got) => {
                            assert_eq!(budget.waiting(), 0, "nobody passes those who wait");
                            held.push(got);
                        }
                        None => line.push(Entry { bytes, admit, wakes }),
                    }
                }
                Step::Charge(bytes) => held.push(budget.charge(bytes)),
                Step::Poll(which) if !line.is_empty() => {
                    let at = which % line.len();
                    let entry = &mut line[at];
                    if let Some(got) = poll(&mut entry.admit, &entry.wakes) {
                        assert_eq!(got.bytes(), entry.bytes);
                        assert_eq!(entry.wakes.0.load(Ordering::Relaxed), 1, "granted means woken, once");
                        held.push(got);
                        drop(line.remove(at));
                    }
                }
                Step::Cancel(which) if !line.is_empty() => drop(line.remove(which % line.len())),
                Step::Free(which) if !held.is_empty() => drop(held.swap_remove(which % held.len())),
                Step::Resize(which, bytes) if !held.is_empty() => {
                    let at = which % held.len();
                    held[at].resize(bytes);
                }
                _ => {}
            }
            let granted = |entry: &&Entry| entry.is_granted();
            let reserved: u64 = line.iter().filter(granted).map(|entry| entry.bytes).sum();
            assert_eq!(budget.used(), held.iter().map(Held::bytes).sum::<u64>() + reserved);
            // Grants go from the front: no one who was not granted stands before one who was.
            let first_waiting = line.iter().position(|entry| !entry.is_granted());
            if let Some(first) = first_waiting {
                assert!(line[first..].iter().all(|entry| !entry.is_granted()));
                let fits = budget.used() == 0 || budget.used() + line[first].bytes <= 100;
                assert!(!fits, "the first waits only while it does not fit");
            }
        }
        held.clear();
        while !line.is_empty() {
            let mut entry = line.remove(0);
            assert!(poll(&mut entry.admit, &entry.wakes).is_some(), "with nothing held the first gets in");
        }
        assert_eq!((budget.used(), budget.waiting()), (0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_tasks_never_hold_more_than_the_limit_and_all_get_through() {
    const TASKS: u64 = 16;
    const ROUNDS: u64 = 200;
    let budget = Budget::new(1_000);
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let budget = budget.clone();
        tasks.spawn(async move {
            for round in 0..ROUNDS {
                let bytes = (task * 37 + round * 11) % 400 + 1;
                if round % 7 == 0 {
                    // Cancelled at its first pending poll.
                    let mut admit = Box::pin(budget.admit(bytes));
                    drop(poll_once(&mut admit).await);
                    continue;
                }
                let held = budget.admit(bytes).await;
                assert!(budget.used() <= budget.limit());
                tokio::task::yield_now().await;
                drop(held);
            }
        });
    }
    while let Some(joined) = tasks.join_next().await {
        joined.unwrap();
    }
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
}

async fn poll_once(admit: &mut Pin<Box<Admit>>) -> Option<Held> {
    std::future::poll_fn(|cx| {
        Poll::Ready(match admit.as_mut().poll(cx) {
            Poll::Ready(held) => Some(held),
            Poll::Pending => None,
        })
    })
    .await
}

#[test]
fn a_parent_is_counted_as_long_as_what_stands_beside_it() {
    let budget = Budget::new(100);
    let parent = std::sync::Arc::new(budget.charge(30));
    let mut child = budget.charge(5).beside(std::sync::Arc::clone(&parent));
    let piece = child.split(2);
    drop((parent, child));
    assert_eq!(budget.used(), 32);
    drop(piece);
    assert_eq!(budget.used(), 0);
}
