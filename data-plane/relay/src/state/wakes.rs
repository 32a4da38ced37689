//! Who is told that a state has come.

use std::future::poll_fn;
use std::task::{Poll, Waker};

use parking_lot::Mutex;

/// Collects the ids of watches whose state has come. Each watch is told once, so it holds no more than there are watches.
#[derive(Debug, Default)]
pub struct Wakes {
    woken: Mutex<Woken>,
}

#[derive(Debug, Default)]
struct Woken {
    ids: Vec<u64>,
    waker: Option<Waker>,
}

impl Wakes {
    /// Waits until a state has come. Cancel-safe: it takes nothing.
    pub async fn any(&self) {
        poll_fn(|cx| {
            let mut woken = self.woken.lock();
            if !woken.ids.is_empty() {
                return Poll::Ready(());
            }
            woken.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// The ids whose state has come since the last call.
    pub fn take(&self) -> Vec<u64> {
        std::mem::take(&mut self.woken.lock().ids)
    }

    pub(super) fn wake(&self, id: u64) {
        let waker = {
            let mut woken = self.woken.lock();
            woken.ids.push(id);
            woken.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
