//! The response of DoExchange as frames of HTTP/2, with the bodies of deliveries as they are.
//!
//! Invariant: a body that is not small is never copied for a consumer: the connection lends the payload's own bytes until
//! the peer has taken them, and the payload's part of the node's budget is held as long. So what consumers that do not
//! read keep in memory is counted, and one payload that went to many of them counts once.
//!
//! The transport's own encoder copies each message into a buffer of its stream, uncounted; that is why it is not asked
//! here. It still reads requests and answers calls that are refused: a call that is taken hands its messages over in the
//! extensions of its response ([`HandedOver`]), and [`Lending`] makes the body of them.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use arrow_flight::FlightData;
use bytes::{BufMut, Bytes, BytesMut};
use futures::{FutureExt, StreamExt, TryFutureExt, future::BoxFuture, stream::BoxStream};
use http::{HeaderMap, Request, Response};
use hyper::body::{Body, Frame};
use nervix_sink::Payload;
use parking_lot::Mutex;
use prost::{
    Message as _,
    encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len},
};
use tonic::{Status, codegen::Service, server::NamedService};

use super::limits::MessageLimit;

/// Bodies of at most so many bytes are copied beside others, since a frame of its own costs more than the copy.
const COPIED_BYTES_MAX: usize = 16 * 1024;
/// Small messages are gathered into frames of about so many bytes.
const GATHERED_BYTES: usize = 32 * 1024;
/// The number of `FlightData.data_body`.
const BODY_FIELD: u32 = 1000;
/// What stands before each message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

/// One message to a consumer.
#[derive(Debug)]
pub(crate) struct Message {
    /// All of it but the body of a delivery.
    pub(crate) data: FlightData,
    /// What is delivered.
    pub(crate) payload: Option<Arc<Payload>>,
}

impl From<FlightData> for Message {
    fn from(data: FlightData) -> Self {
        Self { data, payload: None }
    }
}

/// What a consumer is sent.
pub(crate) type Messages = BoxStream<'static, Result<Message, Status>>;

/// The messages of a call that was taken, on their way from its handler to [`Lending`].
#[derive(Clone)]
pub(crate) struct HandedOver(Arc<Mutex<Option<Messages>>>);

impl HandedOver {
    pub(crate) fn new(messages: Messages) -> Self {
        Self(Arc::new(Mutex::new(Some(messages))))
    }
}

/// A service whose calls may hand their messages over.
#[derive(Clone, Debug)]
pub(crate) struct Lending<S> {
    service: S,
    limit: MessageLimit,
}

impl<S> Lending<S> {
    pub(crate) fn new(service: S, limit: MessageLimit) -> Self {
        Self { service, limit }
    }
}

impl<S: NamedService> NamedService for Lending<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<tonic::body::Body>> for Lending<S>
where
    S: Service<Request<tonic::body::Body>, Response = Response<tonic::body::Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Self::Future {
        let limit = self.limit;
        self.service
            .call(request)
            .map_ok(move |mut response| {
                let handed_over = response.extensions_mut().remove::<HandedOver>();
                match handed_over.and_then(|HandedOver(messages)| messages.lock().take()) {
                    Some(messages) => response.map(|_| tonic::body::Body::new(Frames::new(messages, limit))),
                    None => response,
                }
            })
            .boxed()
    }
}

/// The messages as frames.
struct Frames {
    messages: Messages,
    limit: MessageLimit,
    gathered: BytesMut,
    /// The body behind what is gathered.
    body: Option<Bytes>,
    /// How the stream ends, behind all that.
    end: Option<Status>,
    ended: bool,
}

impl Frames {
    fn new(messages: Messages, limit: MessageLimit) -> Self {
        Self {
            messages,
            limit,
            gathered: BytesMut::new(),
            body: None,
            end: None,
            ended: false,
        }
    }

    /// Takes messages in as long as there are any, up to one with a body that is lent, or a frame is full.
    fn gather(&mut self, cx: &mut Context<'_>) {
        while self.body.is_none() && self.end.is_none() && self.gathered.len() < GATHERED_BYTES {
            match self.messages.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(message))) => {
                    if let Err(status) = self.take(message) {
                        self.end = Some(status);
                    }
                }
                Poll::Ready(Some(Err(status))) => self.end = Some(status),
                Poll::Ready(None) => self.end = Some(Status::ok("")),
                Poll::Pending => return,
            }
        }
    }

    fn take(&mut self, message: Message) -> Result<(), Status> {
        let Message { data, payload } = message;
        let body_bytes = payload.as_ref().map_or(0, |payload| payload.body.len());
        let field_bytes = match body_bytes {
            0 => 0,
            bytes => key_len(BODY_FIELD) + encoded_len_varint(bytes as u64) + bytes,
        };
        let bytes = data.encoded_len() + field_bytes;
        let length = u32::try_from(bytes)
            .ok()
            .filter(|_| bytes <= self.limit.bytes())
            .ok_or_else(|| self.limit.exceeded().status())?;
        self.gathered.reserve(PREFIX_BYTES + bytes - body_bytes);
        self.gathered.put_u8(0);
        self.gathered.put_u32(length);
        data.encode(&mut self.gathered)
            .map_err(|_| self.limit.exceeded().status())?;
        let Some(payload) = payload.filter(|_| body_bytes > 0) else {
            return Ok(());
        };
        encode_key(BODY_FIELD, WireType::LengthDelimited, &mut self.gathered);
        encode_varint(body_bytes as u64, &mut self.gathered);
        if body_bytes <= COPIED_BYTES_MAX {
            self.gathered.put_slice(&payload.body);
        } else {
            self.body = Some(Bytes::from_owner(Lent(payload)));
        }
        Ok(())
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.gather(cx);
        if !self.gathered.is_empty() {
            let gathered = self.gathered.split().freeze();
            return Poll::Ready(Some(Ok(Frame::data(gathered))));
        }
        if let Some(body) = self.body.take() {
            return Poll::Ready(Some(Ok(Frame::data(body))));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        let Some(status) = self.end.clone() else {
            return Poll::Pending;
        };
        self.ended = true;
        let mut trailers = HeaderMap::new();
        // Refused only for a message that is no header, and what an ending says is escaped.
        if status.add_header(&mut trailers).is_err() {
            tracing::error!("the end of a consumer's stream has no form as trailers");
        }
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }
}

/// The body of a payload, and with it the payload's part of the budget.
struct Lent(Arc<Payload>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.0.body
    }
}

#[cfg(test)]
mod tests;
