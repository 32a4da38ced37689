//! Connections within one process. They have no address: neither a file nor a port, so nobody else gets there.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
};

use futures::Stream;
use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::{io::DuplexStream, sync::mpsc};
use tonic::codegen::Service;

/// Bytes on their way, each way.
const BUFFER_BYTES: usize = 64 * 1024;
/// Connections that may wait to be accepted.
const WAITING_MAX: usize = 16;

/// The two ends: who has a clone of the first may connect, the second is served.
pub fn within() -> (Dialler, Dialled) {
    let (accepted, waiting) = mpsc::channel(WAITING_MAX);
    (Dialler(accepted), Dialled(waiting))
}

/// Connects to whoever serves the other end, whatever address is asked for; an error of kind `ConnectionRefused` when
/// nobody does any more.
#[derive(Clone, Debug)]
pub struct Dialler(mpsc::Sender<DuplexStream>);

impl Service<Uri> for Dialler {
    type Response = TokioIo<DuplexStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let waiting = self.0.clone();
        Box::pin(async move {
            let (here, there) = tokio::io::duplex(BUFFER_BYTES);
            let taken = waiting.send(there).await;
            taken.map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
            Ok(TokioIo::new(here))
        })
    }
}

/// The connections that the diallers made.
#[derive(Debug)]
pub struct Dialled(mpsc::Receiver<DuplexStream>);

impl Stream for Dialled {
    type Item = io::Result<DuplexStream>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx).map(|stream| stream.map(Ok))
    }
}
