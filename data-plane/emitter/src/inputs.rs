//! The source relays of an emitter, read in turns.
//!
//! Invariant: a batch leaves a relay's queue only together with the answer, so a read that is dropped loses nothing
//! (X13). Sources take turns where several have batches.

use std::future::poll_fn;
use std::task::Poll;

use nervix_relay::{Consumer, RelayBatch};

/// One consumer for each relay of the FROM list, in its order.
pub(crate) struct Inputs {
    consumers: Vec<Input>,
    turn: usize,
}

struct Input {
    consumer: Consumer,
    open: bool,
}

impl Inputs {
    pub(crate) fn new(consumers: Vec<Consumer>) -> Self {
        let consumers = consumers
            .into_iter()
            .map(|consumer| Input { consumer, open: true })
            .collect();
        Self { consumers, turn: 0 }
    }

    /// The next batch and its source; pending for ever once all relays are closed. Cancel-safe.
    pub(crate) async fn next(&mut self) -> (usize, RelayBatch) {
        poll_fn(|cx| {
            for source in self.order() {
                let Some(input) = self.consumers.get_mut(source).filter(|input| input.open) else {
                    continue;
                };
                match input.consumer.poll_recv(cx) {
                    Poll::Ready(Some(batch)) => {
                        self.turn = source + 1;
                        return Poll::Ready((source, batch));
                    }
                    Poll::Ready(None) => input.open = false,
                    Poll::Pending => {}
                }
            }
            Poll::Pending
        })
        .await
    }

    /// A batch that is there already.
    pub(crate) fn try_next(&mut self) -> Option<(usize, RelayBatch)> {
        for source in self.order() {
            let Some(input) = self.consumers.get_mut(source).filter(|input| input.open) else {
                continue;
            };
            if let Some(batch) = input.consumer.try_recv() {
                self.turn = source + 1;
                return Some((source, batch));
            }
        }
        None
    }

    /// Whether no batch waits in any source.
    pub(crate) fn is_empty(&self) -> bool {
        self.consumers.iter().all(|input| input.consumer.is_empty())
    }

    fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let (count, turn) = (self.consumers.len(), self.turn);
        (0..count).map(move |step| (turn + step) % count)
    }
}
