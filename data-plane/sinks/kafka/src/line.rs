//! The line of records that go out one after the other: those that have to be alone in their request, and what is newer.
//!
//! Invariant: whoever stands in it comes when the one before has left, and does not go out when one before could not. The
//! line of an attempt that is over is left behind as a whole: its places wait for nobody any more.

use std::sync::Arc;

use nervix_sink::Failure;
use parking_lot::Mutex;
use tokio::sync::oneshot::{self, error::TryRecvError};

/// The end of the line.
#[derive(Debug, Default)]
pub(crate) struct Line {
    last: Option<oneshot::Receiver<()>>,
    closed: Closed,
}

/// Why nobody of a line goes out any more.
type Closed = Arc<Mutex<Option<Failure>>>;

/// A place in it; dropping it leaves the line.
#[derive(Debug)]
pub(crate) struct Place {
    before: Option<oneshot::Receiver<()>>,
    closed: Closed,
    _leaves: oneshot::Sender<()>,
}

impl Line {
    /// Whether somebody stands in it.
    pub(crate) fn is_busy(&mut self) -> bool {
        let last = self.last.as_mut().map(oneshot::Receiver::try_recv);
        let is_busy = matches!(last, Some(Err(TryRecvError::Empty)));
        if !is_busy {
            self.last = None;
        }
        is_busy
    }

    /// Takes the place behind the last one.
    pub(crate) fn join(&mut self) -> Place {
        let (leaves, left) = oneshot::channel();
        Place {
            before: self.last.replace(left),
            closed: Arc::clone(&self.closed),
            _leaves: leaves,
        }
    }

    /// Begins a new line.
    pub(crate) fn leave_behind(&mut self) {
        *self = Self::default();
    }
}

impl Place {
    /// Waits for its turn.
    ///
    /// # Errors
    /// Why it does not come: whoever goes out behind one that could not would overtake it.
    pub(crate) async fn turn(&mut self) -> Result<(), Failure> {
        if let Some(before) = self.before.take() {
            // Nothing is ever sent: the one before leaves by being dropped.
            before.await.unwrap_or_default();
        }
        self.closed.lock().clone().map_or(Ok(()), Err)
    }

    /// It could not go out.
    pub(crate) fn close(&self, failure: &Failure) {
        *self.closed.lock() = Some(failure.clone());
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use nervix_sink::{Failure, FailureKind};

    use super::Line;

    #[test]
    fn each_comes_when_the_one_before_has_left() {
        let mut line = Line::default();
        assert!(!line.is_busy());
        let mut first = line.join();
        let mut second = line.join();
        assert!(line.is_busy());
        assert_eq!(first.turn().now_or_never(), Some(Ok(())));
        assert!(second.turn().now_or_never().is_none());
        drop(first);
        assert_eq!(second.turn().now_or_never(), Some(Ok(())));
        drop(second);
        assert!(!line.is_busy());
    }

    #[test]
    fn nobody_goes_out_behind_one_that_could_not() {
        let mut line = Line::default();
        let (first, mut second) = (line.join(), line.join());
        let full = Failure::new(FailureKind::NodeBusy, "full");
        first.close(&full);
        drop(first);
        assert_eq!(second.turn().now_or_never(), Some(Err(full)));
        line.leave_behind();
        assert_eq!(line.join().turn().now_or_never(), Some(Ok(())));
    }

    #[test]
    fn a_line_that_is_left_behind_holds_nobody_up() {
        let mut line = Line::default();
        let _old = line.join();
        line.leave_behind();
        assert!(!line.is_busy());
        assert!(line.join().turn().now_or_never().is_some());
    }
}
