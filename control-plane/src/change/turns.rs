//! Turns for what costs a processor: reading, judging and quoting scripts.
//!
//! Invariants: such work is off the threads that serve calls; at most [`LARGE_AT_ONCE`] large and [`SMALL_AT_ONCE`] small
//! pieces of it run at a time, so that a statement of a line does not wait for a script of megabytes; a turn ends with
//! whoever waits for it: one that still queues does nothing then, and one that runs is told to stop.

use std::{
    future::pending,
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{sync::Semaphore, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::answer::{Refusal, code};

/// A text of more bytes is large.
const LARGE_BYTES: usize = 64 * 1024;

/// Large texts that are worked on at a time, on one thread each.
const LARGE_AT_ONCE: usize = 1;

/// Small texts that are worked on at a time, on one thread each.
const SMALL_AT_ONCE: usize = 4;

/// Large texts that wait for their turn; each is in memory meanwhile.
const LARGE_WAITING_MAX: usize = 16;

/// Small texts that wait for their turn.
const SMALL_WAITING_MAX: usize = 1_024;

/// The turns of one control plane; a clone takes of the same.
#[derive(Clone)]
pub(crate) struct Turns {
    large: Arc<Line>,
    small: Arc<Line>,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            large: Arc::new(Line::new("large ", LARGE_AT_ONCE, LARGE_WAITING_MAX)),
            small: Arc::new(Line::new("", SMALL_AT_ONCE, SMALL_WAITING_MAX)),
        }
    }
}

impl Turns {
    /// Does work on a text of so many bytes when its turn comes. The work is given a question to ask now and then, whether
    /// anybody still waits for it, and answers `None` when it stopped because nobody does. A panic of it goes on here.
    ///
    /// # Errors
    /// Too many wait already.
    pub(crate) async fn take<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let line = self.line(bytes);
        let place = line.stand()?;
        Ok(line.work(Some(place), work).await)
    }

    /// Does further work on a text that had a turn before, likewise; it is not refused.
    pub(crate) async fn take_again<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> T {
        self.line(bytes).work(None, work).await
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

    async fn work<T: Send + 'static>(
        &self,
        place: Option<Place<'_>>,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> T {
        let Ok(turn) = Arc::clone(&self.turns).acquire_owned().await else {
            // It is never closed.
            return pending().await;
        };
        drop(place);
        let left = CancellationToken::new();
        let _waits = left.clone().drop_guard();
        let working = spawn_blocking(move || {
            let done = work(&|| !left.is_cancelled());
            drop(turn);
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
        sync::mpsc::{Receiver, channel},
        time::Duration,
    };

    use futures::FutureExt;
    use nervix_clock::PhysicalClock;
    use tokio::task::JoinSet;

    use super::{LARGE_AT_ONCE, LARGE_BYTES, LARGE_WAITING_MAX, Turns};
    use crate::change::answer::Refusal;

    const LARGE: usize = LARGE_BYTES + 1;
    const BOUND: Duration = Duration::from_secs(30);

    async fn soon<T>(what: impl Future<Output = T>) -> T {
        let waited = PhysicalClock::system().timeout(BOUND, what).await;
        waited.map_err(|_| "it is late").unwrap()
    }

    /// A large turn that lasts until the sender goes, and what tells that it has begun.
    fn held(turns: &Turns, until: Receiver<()>) -> (JoinSet<Result<(), Refusal>>, impl Future<Output = ()>) {
        let (begun, begins) = tokio::sync::oneshot::channel();
        let turns = turns.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let work = move |_: &dyn Fn() -> bool| {
                begun.send(()).unwrap();
                assert!(until.recv().is_err(), "it goes");
                Some(())
            };
            turns.take(LARGE, work).await
        });
        (tasks, begins.map(|begun| begun.expect("it begins")))
    }

    #[tokio::test]
    async fn a_large_text_waits_for_its_turn_and_a_small_one_passes_it() {
        assert_eq!(LARGE_AT_ONCE, 1, "one holds all");
        let turns = Turns::default();
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
        let turns = Turns::default();
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
        let turns = Turns::default();
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
            own.take(LARGE, work).await
        });
        soon(begins).await.expect("it begins");
        tasks.abort_all();
        assert_eq!(soon(turns.take(LARGE, |_| Some(1))).await, Ok(1));
    }

    #[tokio::test]
    async fn past_the_bound_of_those_who_wait_one_is_refused() {
        let turns = Turns::default();
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
