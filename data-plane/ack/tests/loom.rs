//! The root under every interleaving that the memory model allows.
//!
//! The root's own source is compiled here a second time, over loom's atomics and lock instead of the system's
//! (see `src/sync.rs`), so the model runs with the ordinary tests.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "parts of the crate, compiled as part of a test"
)]
#![allow(clippy::unwrap_used, reason = "a test may panic, also in its own functions")]

#[path = "../src/fate.rs"]
mod fate;
#[path = "../src/root.rs"]
mod root;
#[path = "../src/rows.rs"]
mod rows;

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};

    #[derive(Debug)]
    pub(crate) struct Lock<T>(loom::sync::Mutex<T>);

    impl<T> Lock<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
            change(&mut self.0.lock().unwrap())
        }
    }
}

use std::sync::Arc as StdArc;
use std::sync::Mutex as StdMutex;

use loom::sync::Arc;
use loom::thread;

use fate::{Fate, Reason, Verdict};
use root::Root;
use rows::Rows;

type Heard = StdArc<StdMutex<Vec<Verdict>>>;

fn observed(rows: u32) -> (Arc<Root>, Heard) {
    let heard = Heard::default();
    let tell = StdArc::clone(&heard);
    let root = Root::new(rows, Box::new(move |verdict| tell.lock().unwrap().push(verdict)));
    (Arc::new(root), heard)
}

fn only(heard: &Heard) -> Verdict {
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 1, "a root resolves exactly once");
    heard[0].clone()
}

fn range(start: u32, len: u32) -> Rows {
    Rows::Range { start, len }
}

#[test]
fn two_threads_that_settle_halves_resolve_the_root_once_with_both_fates() {
    loom::model(|| {
        let (root, heard) = observed(2);
        let other = Arc::clone(&root);
        let thread = thread::spawn(move || {
            other.settle(
                &range(0, 1),
                Fate::Refused,
                Some(Reason::new("validation", "null")),
            );
        });
        root.settle(&range(1, 1), Fate::Unresolved, None);
        thread.join().unwrap();
        let verdict = only(&heard);
        assert_eq!((verdict.done, verdict.refused, verdict.unresolved), (0, 1, 1));
    });
}

#[test]
fn a_fork_that_is_opened_while_another_thread_settles_keeps_the_root_open() {
    loom::model(|| {
        let (root, heard) = observed(2);
        let other = Arc::clone(&root);
        let thread = thread::spawn(move || other.settle(&range(0, 1), Fate::Done, None));
        root.fork(1);
        root.settle(&range(1, 1), Fate::Done, None);
        assert!(heard.lock().unwrap().is_empty(), "the forked path is open");
        root.settle(&range(1, 1), Fate::Refused, None);
        thread.join().unwrap();
        let verdict = only(&heard);
        assert_eq!((verdict.done, verdict.refused, verdict.unresolved), (1, 1, 0));
    });
}

#[test]
fn three_threads_settle_three_paths_of_the_same_rows() {
    loom::model(|| {
        let (root, heard) = observed(1);
        root.fork(1);
        root.fork(1);
        let threads = [Fate::Done, Fate::Refused].map(|fate| {
            let root = Arc::clone(&root);
            thread::spawn(move || root.settle(&range(0, 1), fate, None))
        });
        root.settle(&range(0, 1), Fate::Done, None);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(only(&heard).worst(), Fate::Refused);
    });
}
