//! One accepted connection: it counts until it is dropped, and its peer must say something in time.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use nervix_clock::Sleep;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::OwnedSemaphorePermit,
};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// See the module.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// How many bytes are awaited, and until when; nothing once they are there.
    first: Option<(usize, Sleep)>,
    _permit: OwnedSemaphorePermit,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, first: (usize, Sleep), permit: OwnedSemaphorePermit) -> Self {
        Self {
            stream,
            first: Some(first),
            _permit: permit,
        }
    }

    /// Whether what it writes leaves at once.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn nodelay(&self) -> io::Result<bool> {
        self.stream.nodelay()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let Some((missing, deadline)) = &mut self.first else {
            return read;
        };
        if read.is_ready() {
            *missing = missing.saturating_sub(buffer.filled().len().saturating_sub(before));
            if *missing == 0 {
                self.first = None;
            }
            return read;
        }
        match Pin::new(deadline).poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.stream.connect_info()
    }
}
