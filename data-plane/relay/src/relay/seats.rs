//! The consumers' places and what waits in them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Poll, Waker};

use nervix_ack::Share;
use nspl_model::Attachment;

use super::SeatStatus;
use crate::batch::RelayBatch;

/// Room that an empty queue keeps, in batches; what a backlog grew beyond it is given back.
const QUEUE_SPARE_MAX: usize = 16;

/// Which seat, and which of its successive holders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeatId {
    place: usize,
    holder: u64,
}

/// Seats at fixed places; a place is used again after a seat was removed.
#[derive(Default)]
pub(crate) struct Seats {
    places: Vec<Option<Seat>>,
    next_holder: u64,
}

struct Seat {
    name: Arc<str>,
    attachment: Attachment,
    queue: VecDeque<Queued>,
    /// What is queued weighs, in bytes.
    bytes: u64,
    /// The current holder, or none while the seat is vacant.
    holder: Option<u64>,
    waker: Option<Waker>,
}

/// A batch that waits, and what it weighs: nothing where it is a part of what the one before it keeps counted.
pub(super) struct Queued {
    batch: RelayBatch,
    bytes: u64,
}

impl Seat {
    fn push(&mut self, batch: RelayBatch) {
        let last = self.queue.back();
        let shares = last.is_some_and(|last| Arc::ptr_eq(&last.batch.held, &batch.held));
        let bytes = if shares { 0 } else { batch.held.bytes() };
        self.bytes = self.bytes.saturating_add(bytes);
        self.queue.push_back(Queued { batch, bytes });
    }

    fn pop(&mut self) -> Option<RelayBatch> {
        let Queued { batch, bytes } = self.queue.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        if self.queue.is_empty() && self.queue.capacity() > QUEUE_SPARE_MAX {
            self.queue.shrink_to(QUEUE_SPARE_MAX);
        }
        Some(batch)
    }
}

impl Seats {
    /// Seats the consumer called `name`, in its old seat if there is one. Gives the waker of a superseded holder.
    pub(super) fn take(&mut self, name: &str, attachment: Attachment) -> (SeatId, Option<Waker>) {
        self.next_holder += 1;
        let holder = self.next_holder;
        if let Some(place) = self.place_of(name)
            && let Some(seat) = &mut self.places[place]
        {
            seat.attachment = attachment;
            seat.holder = Some(holder);
            return (SeatId { place, holder }, seat.waker.take());
        }
        let seat = Seat {
            name: name.into(),
            attachment,
            queue: VecDeque::new(),
            bytes: 0,
            holder: Some(holder),
            waker: None,
        };
        let place = match self.places.iter().position(Option::is_none) {
            Some(place) => {
                self.places[place] = Some(seat);
                place
            }
            None => {
                self.places.push(Some(seat));
                self.places.len() - 1
            }
        };
        (SeatId { place, holder }, None)
    }

    /// Leaves the seat, which stays with what is queued in it.
    pub(crate) fn vacate(&mut self, id: SeatId) -> Option<Waker> {
        let seat = self.held(id)?;
        seat.holder = None;
        seat.waker.take()
    }

    pub(super) fn remove_named(&mut self, name: &str) -> Option<(VecDeque<Queued>, Option<Waker>)> {
        let place = self.place_of(name)?;
        let seat = self.places[place].take()?;
        Some((seat.queue, seat.waker))
    }

    /// Removes every seat and gives what was queued, and whom to wake.
    pub(super) fn clear(&mut self) -> (Vec<VecDeque<Queued>>, Vec<Waker>) {
        let mut queues = Vec::new();
        let mut woken = Vec::new();
        for seat in self.places.drain(..).flatten() {
            queues.push(seat.queue);
            woken.extend(seat.waker);
        }
        (queues, woken)
    }

    /// The next batch of a seat, nothing when the seat is no longer `id`'s, or pending.
    pub(crate) fn pop(&mut self, id: SeatId, waker: Option<&Waker>) -> Poll<Option<RelayBatch>> {
        let Some(seat) = self.held(id) else {
            return Poll::Ready(None);
        };
        if let Some(batch) = seat.pop() {
            return Poll::Ready(Some(batch));
        }
        if let Some(waker) = waker {
            match &mut seat.waker {
                Some(known) => known.clone_from(waker),
                none => *none = Some(waker.clone()),
            }
        }
        Poll::Pending
    }

    /// Batches queued for the holder `id`.
    pub(crate) fn queued(&self, id: SeatId) -> usize {
        let seat = self.places.get(id.place).and_then(Option::as_ref);
        seat.filter(|seat| seat.holder == Some(id.holder))
            .map_or(0, |seat| seat.queue.len())
    }

    /// Puts `batch` into every queue. Gives back the share that no ATTACHED consumer took, and, where there is no
    /// seat at all, the batch: neither may be dropped under the lock.
    pub(super) fn push(&mut self, mut batch: RelayBatch) -> (Option<Share>, Option<RelayBatch>) {
        let is_attached = |seat: &&mut Seat| seat.attachment == Attachment::Attached;
        let mut attached = self.seated().filter(is_attached).count();
        let mut last = self.seated().count();
        let mut share = Some(std::mem::take(&mut batch.share));
        let rows = batch.rows();
        for seat in self.places.iter_mut().flatten() {
            let own = match seat.attachment {
                Attachment::Detached => Share::untracked(rows),
                Attachment::Attached => {
                    attached -= 1;
                    let own = if attached == 0 {
                        share.take()
                    } else {
                        share.as_ref().map(Share::fork)
                    };
                    own.unwrap_or_default()
                }
            };
            last -= 1;
            if last == 0 {
                batch.share = own;
                seat.push(batch);
                return (share, None);
            }
            seat.push(batch.with_share(own));
        }
        (share, Some(batch))
    }

    /// Takes the wakers of those who wait for a batch.
    pub(super) fn wake_receivers(&mut self, woken: &mut Vec<Waker>) {
        woken.extend(self.seated().filter_map(|seat| seat.waker.take()));
    }

    /// The length of the longest queue.
    pub(super) fn longest(&self) -> usize {
        self.places
            .iter()
            .flatten()
            .map(|seat| seat.queue.len())
            .max()
            .unwrap_or(0)
    }

    /// What the heaviest queue weighs, in bytes.
    pub(super) fn heaviest(&self) -> u64 {
        let seats = self.places.iter().flatten();
        seats.map(|seat| seat.bytes).max().unwrap_or(0)
    }

    pub(super) fn status(&self) -> Vec<SeatStatus> {
        let status = |seat: &Seat| SeatStatus {
            name: Arc::clone(&seat.name),
            attachment: seat.attachment,
            buffered: seat.queue.len(),
            vacant: seat.holder.is_none(),
        };
        self.places.iter().flatten().map(status).collect()
    }

    fn seated(&mut self) -> impl Iterator<Item = &mut Seat> {
        self.places.iter_mut().flatten()
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.places
            .iter()
            .position(|seat| seat.as_ref().is_some_and(|seat| *seat.name == *name))
    }

    fn held(&mut self, id: SeatId) -> Option<&mut Seat> {
        let seat = self.places.get_mut(id.place)?.as_mut()?;
        (seat.holder == Some(id.holder)).then_some(seat)
    }
}
