//! Messages of peers that cannot be read, such as one with a name that is no UTF-8.
//!
//! The transport answers INTERNAL to them, as to faults of this process. Nothing here is at fault, and sending the message
//! again cannot help: a service that is wrapped in [`Blaming`] answers INVALID_ARGUMENT, with the field that cannot be
//! read. What comes inside of a stream is answered by whoever reads the stream; [`unreadable`] knows the fault for them.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use http::{Request, Response};
use tonic::{Code, Status, body::Body, codegen::Service, server::NamedService};

/// What the transport says before it names the field.
const PREFIX: &str = "failed to decode Protobuf message: ";

/// What of a message cannot be read and why, without its value, such as `FlightDescriptor.path: invalid string value: data
/// is not UTF-8 encoded`. `None` for a status that says something else.
pub fn unreadable(status: &Status) -> Option<&str> {
    let is_fault = status.code() == Code::Internal;
    status.message().strip_prefix(PREFIX).filter(|_| is_fault)
}

/// A service whose calls are refused where the transport cannot read their only message.
#[derive(Clone, Debug)]
pub struct Blaming<S> {
    service: S,
    refusal: fn(&str) -> Status,
}

impl<S> Blaming<S> {
    /// Answers what [`invalid`] says.
    pub fn new(service: S) -> Self {
        Self::with(service, invalid)
    }

    /// Answers what `refusal` says of the fault.
    pub fn with(service: S, refusal: fn(&str) -> Status) -> Self {
        Self { service, refusal }
    }
}

/// INVALID_ARGUMENT with the fault.
pub fn invalid(fault: &str) -> Status {
    Status::invalid_argument(format!("the message cannot be read: {fault}"))
}

impl<S: NamedService> NamedService for Blaming<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Blaming<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let refusal = self.refusal;
        self.service
            .call(request)
            .map_ok(move |response| refused(&response, refusal).unwrap_or(response))
            .boxed()
    }
}

/// The answer in place of one that blames this process.
fn refused(response: &Response<Body>, refusal: fn(&str) -> Status) -> Option<Response<Body>> {
    let status = Status::from_header_map(response.headers())?;
    unreadable(&status).map(|fault| refusal(fault).into_http())
}

#[cfg(test)]
mod tests {
    use tonic::{Code, Status, body::Body};

    use super::{invalid, refused};

    fn answered(status: Status) -> Option<Status> {
        let refused = refused(&status.into_http::<Body>(), invalid)?;
        Status::from_header_map(refused.headers())
    }

    #[test]
    fn only_what_cannot_be_read_is_the_peers_fault() {
        let fault = "failed to decode Protobuf message: FlightDescriptor.path: invalid string value: data is not UTF-8";
        let status = answered(Status::internal(fault)).unwrap();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(
            status.message().contains("FlightDescriptor.path: invalid string"),
            "{status:?}"
        );
        for other in [Status::internal("the script ended early"), Status::unknown(fault)] {
            assert!(answered(other).is_none());
        }
        assert!(answered(Status::ok("")).is_none());
    }
}
