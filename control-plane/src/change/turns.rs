//! Turns for what costs a processor: reading, judging and quoting scripts.
//!
//! Invariants: such work is off the threads that serve calls; at most [`LARGE_AT_ONCE`] large and [`SMALL_AT_ONCE`] small
//! pieces of it run at a time, so that a statement of a line does not wait for a script of megabytes; a small text that
//! takes longer than [`SMALL_TIME`] is told to stop, and begins again among the large ones; a turn ends with whoever
//! waits for it: one that still queues does nothing then, and one that runs is told to stop.

use std::{
    future::pending,
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use nervix_clock::PhysicalClock;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};
use tokio_util::sync::CancellationToken;

use super::answer::{Refusal, code};

/// A text of more bytes is large.
const LARGE_BYTES: usize = 64 * 1024;

/// Large texts that are worked on at a time, on one thread each.
const LARGE_AT_ONCE: usize = 1;

/// Small texts that are worked on at a time, on one thread each.
const SMALL_AT_ONCE: usize = 4;

/// How long a small text may take; a thousand plain statements take less.
const SMALL_TIME: Duration = Duration::from_millis(500);

/// Large texts that wait for their turn; each is in memory meanwhile.
const LARGE_WAITING_MAX: usize = 16;

/// Small texts that wait for their turn.
const SMALL_WAITING_MAX: usize = 1_024;

/// The turns of one control plane; a clone takes of the same.
#[derive(Clone)]
pub(crate) struct Turns {
    large: Arc<Line>,
    small: Arc<Line>,
    clock: PhysicalClock,
}

impl Turns {
    pub(crate) fn new(clock: PhysicalClock) -> Self {
        Self {
            large: Arc::new(Line::new("large ", LARGE_AT_ONCE, LARGE_WAITING_MAX)),
            small: Arc::new(Line::new("", SMALL_AT_ONCE, SMALL_WAITING_MAX)),
            clock,
        }
    }

    /// Does work on a text of so many bytes when its turn comes. The work is given a question to ask now and then, whether
    /// it is to go on, and answers `None` when it stopped because it was not; it may be asked for again then. A panic of
    /// it goes on here.
    ///
    /// # Errors
    /// Too many wait already.
    pub(crate) async fn take<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl Fn(&dyn Fn() -> bool) -> Option<T> + Clone + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes <= LARGE_BYTES {
            let turn = self.small.turn(self.small.stand()?).await;
            let done = turn.work(work.clone());
            if let Ok(done) = self.clock.timeout(SMALL_TIME, done).await {
                return Ok(done);
            }
        }
        let turn = self.large.turn(self.large.stand()?).await;
        Ok(turn.work(work).await)
    }

    /// Does further work on a text that had a turn before, likewise; it is not refused.
    pub(crate) async fn take_again<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> T {
        self.line(bytes).turn(()).await.work(work).await
    }

    fn line(&self, bytes: usize) -> &Line {
        if bytes > LARGE_BYTES {
            &self.large
        } else {
            &self.small
        }
    }
}

/// Who waits for turns of one kind.
struct Line {
    kind: &'static str,
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
}

/// A place in a line; dropped, it is free.
struct Place<'a>(&'a AtomicUsize);

impl Line {
    fn new(kind: &'static str, at_once: usize, waiting_max: usize) -> Self {
        Self {
            kind,
            turns: Arc::new(Semaphore::new(at_once)),
            waiting: AtomicUsize::new(0),
            waiting_max,
        }
    }

    fn stand(&self) -> Result<Place<'_>, Refusal> {
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.waiting);
        if waiting < self.waiting_max {
            return Ok(place);
        }
        let message = format!(
            "{} {}scripts wait already to be judged",
            self.waiting_max, self.kind
        );
        Err(Refusal::new(code::BUSY, message).help("run it again later"))
    }

    /// Waits for a turn; the place is given up then.
    async fn turn<P>(&self, place: P) -> Turn {
        let Ok(permit) = Arc::clone(&self.turns).acquire_owned().await else {
            // It is never closed.
            return pending().await;
        };
        drop(place);
        Turn { _permit: permit }
    }
}

/// The right to work now.
struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Turn {
    /// Works until it is done; dropped, it tells the work to stop, and the turn ends when that has.
    async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> T {
        let left = CancellationToken::new();
        let _waits = left.clone().drop_guard();
        let working = spawn_blocking(move || {
            let done = work(&|| !left.is_cancelled());
            drop(self);
            done
        });
        match working.await {
            Ok(Some(done)) => done,
            Err(ended) if ended.is_panic() => resume_unwind(ended.into_panic()),
            // Whoever would read this is gone, or the runtime ends.
            Ok(None) | Err(_) => pending().await,
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
            mpsc::{Receiver, channel},
        },
        time::Duration,
    };

    use futures::FutureExt;
    use nervix_clock::{ManualClock, PhysicalClock};
    use tokio::{sync::mpsc, task::JoinSet};

    use super::{LARGE_AT_ONCE, LARGE_BYTES, LARGE_WAITING_MAX, SMALL_AT_ONCE, SMALL_TIME, Turns};

    const LARGE: usize = LARGE_BYTES + 1;
    const BOUND: Duration = Duration::from_secs(30);

    async fn soon<T>(what: impl Future<Output = T>) -> T {
        let waited = PhysicalClock::system().timeout(BOUND, what).await;
        waited.map_err(|_| "it is late").unwrap()
    }

    /// A large turn that lasts until the sender goes, and what tells that it has begun.
    fn held(turns: &Turns, until: Receiver<()>) -> (JoinSet<()>, impl Future<Output = ()>) {
        let (begun, begins) = tokio::sync::oneshot::channel();
        let turns = turns.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let work = move |_: &dyn Fn() -> bool| {
                begun.send(()).unwrap();
                assert!(until.recv().is_err(), "it goes");
                Some(())
            };
            turns.take_again(LARGE, work).await;
        });
        (tasks, begins.map(|begun| begun.expect("it begins")))
    }

    #[tokio::test]
    async fn a_large_text_waits_for_its_turn_and_a_small_one_passes_it() {
        assert_eq!(LARGE_AT_ONCE, 1, "one holds all");
        let turns = Turns::new(PhysicalClock::system());
        let (end, ends) = channel();
        let (mut first, begins) = held(&turns, ends);
        soon(begins).await;
        let mut second = Box::pin(turns.take(LARGE, |_| Some("large")));
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(soon(turns.take(1, |_| Some("small"))).await, Ok("small"));
        assert!((&mut second).now_or_never().is_none());
        drop(end);
        assert_eq!(soon(second).await, Ok("large"));
        assert!(soon(first.join_next()).await.is_some());
    }

    #[tokio::test]
    async fn who_leaves_while_queueing_has_done_nothing_and_holds_no_place() {
        let turns = Turns::new(PhysicalClock::system());
        let (end, ends) = channel();
        let (_first, begins) = held(&turns, ends);
        soon(begins).await;
        for _ in 0..2 * LARGE_WAITING_MAX {
            let mut left = Box::pin(turns.take::<()>(LARGE, |_| unreachable!("nobody waits for it")));
            assert!((&mut left).now_or_never().is_none());
        }
        drop(end);
        assert_eq!(soon(turns.take(LARGE, |_| Some(1))).await, Ok(1));
    }

    #[tokio::test]
    async fn who_leaves_while_it_runs_frees_the_turn() {
        let turns = Turns::new(PhysicalClock::system());
        let (begun, begins) = tokio::sync::oneshot::channel();
        let own = turns.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let work = move |is_wanted: &dyn Fn() -> bool| {
                begun.send(()).unwrap();
                while is_wanted() {
                    std::thread::yield_now();
                }
                None::<()>
            };
            own.take_again(LARGE, work).await;
        });
        soon(begins).await.expect("it begins");
        tasks.abort_all();
        assert_eq!(soon(turns.take(LARGE, |_| Some(1))).await, Ok(1));
    }

    #[tokio::test]
    async fn a_small_text_that_takes_long_is_stopped_and_begins_again_among_the_large_ones() {
        let clock = ManualClock::new();
        let turns = Turns::new(clock.physical());
        let (end, ends) = channel();
        let (_large, begins) = held(&turns, ends);
        soon(begins).await;
        let (begun, mut begins) = mpsc::channel(2 * SMALL_AT_ONCE);
        let mut long = JoinSet::new();
        for _ in 0..SMALL_AT_ONCE {
            let (turns, begun, runs) = (turns.clone(), begun.clone(), Arc::new(AtomicUsize::new(0)));
            let work = move |is_wanted: &dyn Fn() -> bool| {
                begun.try_send(()).unwrap();
                if runs.fetch_add(1, Ordering::SeqCst) == 1 {
                    return Some("again");
                }
                while is_wanted() {
                    std::thread::yield_now();
                }
                None
            };
            long.spawn(async move { turns.take(1, work).await });
        }
        for _ in 0..SMALL_AT_ONCE {
            soon(begins.recv()).await.expect("it begins");
        }
        let mut quick = Box::pin(turns.take(1, |_| Some("quick")));
        assert!((&mut quick).now_or_never().is_none(), "all turns are taken");
        clock.advance(SMALL_TIME).await;
        assert_eq!(soon(quick).await, Ok("quick"));
        assert!(begins.try_recv().is_err(), "the large one goes first");
        drop(end);
        assert_eq!(soon(long.join_all()).await, vec![Ok("again"); SMALL_AT_ONCE]);
    }

    #[tokio::test]
    async fn past_the_bound_of_those_who_wait_one_is_refused() {
        let turns = Turns::new(PhysicalClock::system());
        let (end, ends) = channel();
        let (_first, begins) = held(&turns, ends);
        soon(begins).await;
        let waiting = || Box::pin(turns.take(LARGE, |_| Some(())));
        let mut all: Vec<_> = (0..LARGE_WAITING_MAX).map(|_| waiting()).collect();
        assert!(all.iter_mut().all(|one| one.now_or_never().is_none()));
        let refused = soon(waiting()).await.expect_err("one too many");
        assert!(refused.message.contains("16 large scripts wait"), "{refused}");
        drop(end);
        for one in all {
            assert_eq!(soon(one).await, Ok(()));
        }
    }
}
