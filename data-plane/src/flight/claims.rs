//! Room in the node's budget for messages before they are taken from the connection.
//!
//! Purpose: the size of a gRPC message stands before it. A message that is not small waits there until the budget has
//! room for it, and HTTP/2's flow control stops the peer meanwhile; so of what a peer sends only its window and small
//! messages are in memory uncounted.
//!
//! Invariants: only writers wait here, since what consumers say frees the budget; whoever waits for a message of his
//! holds nothing of the budget; whoever holds a claim has its bytes come whatever others wait for, since the window of a
//! connection has room for the windows of all its streams. A message that has nothing to add for [`MESSAGE_STALL_MAX`],
//! or comes slower than [`MESSAGE_RATE_MIN`], gives its claim up, with its stream.

use std::{
    collections::VecDeque,
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use http::Request;
use hyper::body::{Body, Frame};
use nervix_budget::{Admit, Held};
use nervix_clock::Sleep;
use parking_lot::Mutex;
use tonic::{Status, codegen::Service, server::NamedService};

use super::put::Admission;

/// A message of at most so many bytes is taken before the budget has room for it.
pub(crate) const UNCLAIMED_BYTES_MAX: u64 = 64 * 1024;
/// How long a message that has begun may have nothing to add.
pub(crate) const MESSAGE_STALL_MAX: Duration = Duration::from_secs(20);
/// The least rate of a message that holds room, in bytes a second, once [`MESSAGE_STALL_MAX`] has passed.
pub(crate) const MESSAGE_RATE_MIN: u64 = 64 * 1024;
/// The calls whose messages wait for room.
const DO_PUT: &str = "/arrow.flight.protocol.FlightService/DoPut";
/// What stands before each message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

/// What one stream has claimed for messages that it has not given out yet.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    claims: Mutex<VecDeque<(u64, Held)>>,
}

impl Claims {
    /// The claims of a call; none for a call that came past [`Claiming`].
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Arc<Self> {
        let known = request.extensions().get::<Arc<Self>>();
        known.map(Arc::clone).unwrap_or_default()
    }

    /// The claim of a message, counted from 1; those of earlier ones are given up.
    pub(crate) fn take(&self, message: u64) -> Option<Held> {
        let mut claims = self.claims.lock();
        while let Some((number, held)) = claims.pop_front() {
            if number == message {
                return Some(held);
            }
            if number > message {
                claims.push_front((number, held));
                return None;
            }
        }
        None
    }

    /// A stream that has ended, and takes no claims any more, keeps the last one alone.
    fn put(&self, message: u64, held: Held) {
        let mut claims = self.claims.lock();
        claims.retain(|(number, _)| number.saturating_add(1) >= message);
        claims.push_back((message, held));
    }
}

/// One service in two forms: DoPut goes to the first and claims room for what it is sent; every other call goes to the
/// second and waits for nothing.
#[derive(Clone, Debug)]
pub(crate) struct Claiming<S> {
    writing: S,
    others: S,
    admission: Admission,
}

impl<S> Claiming<S> {
    pub(crate) fn new(writing: S, others: S, admission: Admission) -> Self {
        Self {
            writing,
            others,
            admission,
        }
    }
}

impl<S: NamedService> NamedService for Claiming<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<tonic::body::Body>> for Claiming<S>
where
    S: Service<Request<tonic::body::Body>, Error = Infallible>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        ready!(self.writing.poll_ready(cx))?;
        self.others.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<tonic::body::Body>) -> Self::Future {
        if request.uri().path() != DO_PUT {
            return self.others.call(request);
        }
        let claims = Arc::new(Claims::default());
        request.extensions_mut().insert(Arc::clone(&claims));
        let admission = self.admission.clone();
        let claiming = request.map(|body| tonic::body::Body::new(Messages::new(body, admission, claims)));
        self.writing.call(claiming)
    }
}

/// The body of one call, message by message.
struct Messages {
    body: tonic::body::Body,
    admission: Admission,
    claims: Arc<Claims>,
    /// What came and is not passed on.
    unread: Bytes,
    /// Bytes of the message under way that are not passed on.
    missing: u64,
    /// Messages that have begun.
    number: u64,
    /// The wait for room.
    admit: Option<Admit>,
    /// Room is held for the message under way.
    claimed: bool,
    stall: Option<Sleep>,
    /// When the message that holds room has to be whole.
    whole: Option<Sleep>,
}

impl Messages {
    fn new(body: tonic::body::Body, admission: Admission, claims: Arc<Claims>) -> Self {
        Self {
            body,
            admission,
            claims,
            unread: Bytes::new(),
            missing: 0,
            number: 0,
            admit: None,
            claimed: false,
            stall: None,
            whole: None,
        }
    }

    /// What may be passed on now of what has come; nothing where that is nothing.
    fn pass(&mut self) -> Option<Bytes> {
        let mut passed = 0_usize;
        while self.admit.is_none() {
            let left = self.unread.len().saturating_sub(passed);
            if self.missing == 0 && !self.begin(passed) {
                break;
            }
            let step = left.min(usize::try_from(self.missing).unwrap_or(usize::MAX));
            if step == 0 {
                break;
            }
            passed = passed.saturating_add(step);
            self.missing = self.missing.saturating_sub(step as u64);
        }
        (passed > 0).then(|| self.unread.split_to(passed))
    }

    /// Begins the message whose prefix is at `at`; false where it is not there yet, or has to wait for room.
    fn begin(&mut self, at: usize) -> bool {
        let prefix = self
            .unread
            .get(at..)
            .and_then(<[u8]>::first_chunk::<PREFIX_BYTES>);
        let Some([_, length @ ..]) = prefix else {
            return false;
        };
        let bytes = u64::from(u32::from_be_bytes(*length));
        self.number = self.number.saturating_add(1);
        self.missing = bytes.saturating_add(PREFIX_BYTES as u64);
        self.claimed = false;
        // What is past the bound is refused when its length is read.
        if bytes <= UNCLAIMED_BYTES_MAX || bytes > self.admission.limit.bytes() as u64 {
            return true;
        }
        self.admit = Some(self.admission.budget.admit(bytes));
        false
    }

    /// Takes over the room for the message under way, which has to come in time.
    fn claim(&mut self, held: Held) {
        let seconds = held.bytes().div_ceil(MESSAGE_RATE_MIN);
        let bound = MESSAGE_STALL_MAX.saturating_add(Duration::from_secs(seconds));
        self.whole = Some(self.admission.clock.sleep(bound));
        self.admit = None;
        self.claimed = true;
        self.claims.put(self.number, held);
    }

    /// Ends a message that has stopped in the middle, or comes too slowly.
    fn stalled(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        if !self.claimed || self.missing == 0 {
            return Poll::Pending;
        }
        if let Some(whole) = &mut self.whole
            && Pin::new(whole).poll(cx).is_ready()
        {
            return Poll::Ready(Status::deadline_exceeded(format!(
                "a message came slower than {MESSAGE_RATE_MIN} bytes a second; send it again, or smaller ones"
            )));
        }
        let clock = &self.admission.clock;
        let stall = self.stall.get_or_insert_with(|| clock.sleep(MESSAGE_STALL_MAX));
        ready!(Pin::new(stall).poll(cx));
        let seconds = MESSAGE_STALL_MAX.as_secs();
        Poll::Ready(Status::deadline_exceeded(format!(
            "a message stopped in the middle for {seconds} s; send it again"
        )))
    }
}

impl Body for Messages {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        loop {
            if let Some(admit) = &mut self.admit {
                let held = ready!(Pin::new(admit).poll(cx));
                self.claim(held);
            }
            if let Some(passed) = self.pass() {
                return Poll::Ready(Some(Ok(Frame::data(passed))));
            }
            if self.admit.is_some() {
                continue;
            }
            let frame = match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => return self.stalled(cx).map(|status| Some(Err(status))),
            };
            self.stall = None;
            match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.unread = joined(std::mem::take(&mut self.unread), data),
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                // Half a prefix is passed on, so that it is refused.
                None if self.unread.has_remaining() => {
                    let rest = std::mem::take(&mut self.unread);
                    return Poll::Ready(Some(Ok(Frame::data(rest))));
                }
                other => return Poll::Ready(other),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.unread.is_empty() && self.admit.is_none() && self.body.is_end_stream()
    }
}

fn joined(first: Bytes, second: Bytes) -> Bytes {
    if first.is_empty() {
        return second;
    }
    let mut both = BytesMut::with_capacity(first.len().saturating_add(second.len()));
    both.extend_from_slice(&first);
    both.extend_from_slice(&second);
    both.freeze()
}

#[cfg(test)]
mod tests;
