//! The wait for a moment of any clock.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::fine::{FINE_SPAN, FineKey, FineTimer, monotonic_now};
use crate::instant::PhysicalInstant;
use crate::manual::{HandKey, Hands};
use crate::physical::{Source, SourceKind};

/// How long a sleep rests at a time whose end the system cannot name.
const UNNAMED_SPAN: Duration = Duration::from_secs(86_400);

/// A future that is ready once its deadline has come, never before. It registers when it is first polled.
#[must_use = "a sleep does nothing until it is awaited"]
pub struct Sleep {
    source: Arc<Source>,
    deadline: PhysicalInstant,
    place: Place,
}

enum Place {
    Outside,
    Fine(FineKey),
    Runtime(Pin<Box<tokio::time::Sleep>>),
    Manual(HandKey),
}

impl Sleep {
    pub(crate) fn new(source: Arc<Source>, deadline: PhysicalInstant) -> Self {
        Self {
            source,
            deadline,
            place: Place::Outside,
        }
    }

    fn poll_system(
        place: &mut Place,
        (origin, fine): (Instant, &FineTimer),
        deadline: PhysicalInstant,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let due = origin.checked_add(Duration::from_nanos(deadline.0));
        loop {
            let now = monotonic_now();
            if due.is_some_and(|due| due <= now) {
                return Poll::Ready(());
            }
            let pending = match place {
                Place::Fine(key) => fine.update(*key, cx.waker()),
                Place::Runtime(sleep) => sleep.as_mut().poll(cx).is_pending(),
                _ => false,
            };
            if pending {
                return Poll::Pending;
            }
            // A deadline past what the system can name is as good as never; a day later we look again.
            let due = due.unwrap_or(now + UNNAMED_SPAN);
            let fine_key = if due - now <= FINE_SPAN {
                fine.register(due, cx.waker())
            } else {
                None
            };
            if let Some(key) = fine_key {
                *place = Place::Fine(key);
                return Poll::Pending;
            }
            *place = Place::Runtime(Box::pin(tokio::time::sleep_until(due.into())));
        }
    }

    fn poll_manual(
        place: &mut Place,
        hands: &Hands,
        deadline: PhysicalInstant,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        let key = match place {
            Place::Manual(key) => Some(*key),
            _ => None,
        };
        match hands.wait(key, deadline, cx.waker()) {
            None => {
                *place = Place::Outside;
                Poll::Ready(())
            }
            Some(key) => {
                *place = Place::Manual(key);
                Poll::Pending
            }
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        match &this.source.kind {
            SourceKind::System { origin, fine } => {
                Self::poll_system(&mut this.place, (*origin, fine), this.deadline, cx)
            }
            SourceKind::Manual(hands) => Self::poll_manual(&mut this.place, hands, this.deadline, cx),
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        match (&self.place, &self.source.kind) {
            (Place::Fine(key), SourceKind::System { fine, .. }) => fine.cancel(*key),
            (Place::Manual(key), SourceKind::Manual(hands)) => hands.cancel(*key),
            _ => {}
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
