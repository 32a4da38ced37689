//! What a server may send: so much until the connection stands, and so much in one message.
//!
//! The driver keeps a message until all of it is there, and everything that comes while it logs in; a server that is broken
//! or hostile would fill the memory of the node. Invariant: a message that is larger than a small one counts in the node's
//! budget while it comes, and one that is larger than a server has reason to send ends the connection at its head.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_budget::{Budget, Held};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

use crate::limits::{LOGIN_BYTES_MAX, MESSAGE_BYTES_MAX};

/// A tag and a length.
const HEAD_BYTES: usize = 5;
/// The tag of ReadyForQuery.
const READY: u8 = b'Z';
/// Messages up to here are not counted one by one.
const SMALL_BYTES: u64 = 64 * 1024;

/// The server sent more than it has reason to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Flood {
    #[error("more than {} bytes before the connection stood", LOGIN_BYTES_MAX)]
    Login,
    #[error("a message of {0} bytes")]
    Message(u64),
}

/// The bytes of the write that is under way, which the server's answer may quote.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quotable(Arc<AtomicU64>);

impl Quotable {
    /// The write under way has so many.
    pub(crate) fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }
}

/// Follows the messages of a server.
pub(crate) struct Intake {
    budget: Budget,
    quotable: Quotable,
    /// The tag and length of the message that begins, as far as they have come.
    head: [u8; HEAD_BYTES],
    head_len: usize,
    /// Bytes of the message under way that have not come.
    left: u64,
    held: Option<Held>,
    /// Bytes until the connection stands; none when it does.
    login: Option<u64>,
}

impl Intake {
    pub(crate) fn new(budget: Budget, quotable: Quotable) -> Self {
        Self {
            budget,
            quotable,
            head: [0; HEAD_BYTES],
            head_len: 0,
            left: 0,
            held: None,
            login: Some(0),
        }
    }

    /// Takes what has come into account.
    fn take(&mut self, mut bytes: &[u8]) -> Result<(), Flood> {
        if let Some(login) = &mut self.login {
            *login += bytes.len() as u64;
            if *login > LOGIN_BYTES_MAX {
                return Err(Flood::Login);
            }
        }
        while !bytes.is_empty() {
            if self.left > 0 {
                let passed = self.left.min(bytes.len() as u64);
                self.left -= passed;
                bytes = usize::try_from(passed)
                    .ok()
                    .and_then(|passed| bytes.get(passed..))
                    .unwrap_or_default();
            } else if let Some((byte, rest)) = bytes.split_first() {
                if let Some(place) = self.head.get_mut(self.head_len) {
                    *place = *byte;
                }
                self.head_len += 1;
                bytes = rest;
                if self.head_len == HEAD_BYTES {
                    self.begin()?;
                }
            }
            if self.left == 0 {
                self.held = None;
            }
        }
        Ok(())
    }

    /// A message begins, whose head is there.
    fn begin(&mut self) -> Result<(), Flood> {
        self.head_len = 0;
        let [tag, length @ ..] = self.head;
        // The length counts itself; one that does not is the driver's to refuse.
        self.left = u64::from(u32::from_be_bytes(length)).saturating_sub(length.len() as u64);
        if tag == READY {
            self.login = None;
        }
        let quotable = self.quotable.0.load(Ordering::Relaxed);
        if self.left > MESSAGE_BYTES_MAX.saturating_add(quotable.saturating_mul(2)) {
            return Err(Flood::Message(self.left));
        }
        if self.left > SMALL_BYTES {
            self.held = Some(self.budget.charge(self.left));
        }
        Ok(())
    }
}

/// A stream whose messages are followed.
pub(crate) struct Bounded<S> {
    stream: S,
    intake: Intake,
}

impl<S> Bounded<S> {
    pub(crate) fn new(stream: S, intake: Intake) -> Self {
        Self { stream, intake }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let come = buf.filled().get(before..).unwrap_or_default();
        Poll::Ready(self.intake.take(come).map_err(io::Error::other))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Bounded<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

/// A connector of TLS whose streams are bounded inside of the encryption.
pub(crate) struct BoundedTls<T> {
    connector: T,
    intake: Intake,
}

impl<T> BoundedTls<T> {
    pub(crate) fn new(connector: T, intake: Intake) -> Self {
        Self { connector, intake }
    }
}

impl<T> TlsConnect<TcpStream> for BoundedTls<T>
where
    T: TlsConnect<TcpStream>,
    T::Stream: Unpin,
    T::Future: Send + 'static,
{
    type Stream = Bounded<T::Stream>;
    type Error = T::Error;
    type Future = BoxFuture<'static, Result<Self::Stream, Self::Error>>;

    fn connect(self, stream: TcpStream) -> Self::Future {
        let Self { connector, intake } = self;
        let connecting = connector.connect(stream);
        connecting.map(|stream| Ok(Bounded::new(stream?, intake))).boxed()
    }
}

impl<S> fmt::Debug for Bounded<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use nervix_budget::Budget;

    use super::{Flood, Intake, Quotable};
    use crate::limits::{LOGIN_BYTES_MAX, MESSAGE_BYTES_MAX};

    fn head(tag: u8, bytes: u64) -> Vec<u8> {
        let length = u32::try_from(bytes + 4).unwrap();
        [&[tag][..], &length.to_be_bytes()].concat()
    }

    fn standing() -> (Intake, Budget, Quotable) {
        let (budget, quotable) = (Budget::new(1), Quotable::default());
        let mut intake = Intake::new(budget.clone(), quotable.clone());
        intake.take(&[head(b'Z', 1), vec![b'I']].concat()).unwrap();
        (intake, budget, quotable)
    }

    #[test]
    fn a_connection_stands_within_its_bytes_or_not_at_all() {
        let mut intake = Intake::new(Budget::new(1), Quotable::default());
        let message = [head(b'S', 1_000), vec![0; 1_000]].concat();
        let fitting = LOGIN_BYTES_MAX / message.len() as u64;
        for _ in 0..fitting {
            assert_eq!(intake.take(&message), Ok(()));
        }
        assert_eq!(intake.take(&message), Err(Flood::Login));
        let (mut intake, ..) = standing();
        for _ in 0..=fitting {
            assert_eq!(intake.take(&message), Ok(()), "what comes later is passed on");
        }
    }

    #[test]
    fn a_large_message_counts_while_it_comes_however_it_is_cut() {
        let (mut intake, budget, _) = standing();
        let bytes = 100_000;
        for byte in head(b'N', bytes) {
            assert_eq!(intake.take(&[byte]), Ok(()));
        }
        assert_eq!(budget.used(), bytes);
        assert_eq!(intake.take(&vec![0; 99_999]), Ok(()));
        assert_eq!(budget.used(), bytes);
        assert_eq!(intake.take(&[&[0][..], &head(b'C', 3)].concat()), Ok(()));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_message_may_be_larger_where_it_may_quote_what_is_written() {
        let (mut intake, _, quotable) = standing();
        let refused = head(b'E', MESSAGE_BYTES_MAX + 2_001);
        quotable.set(1_000);
        assert_eq!(
            intake.take(&refused),
            Err(Flood::Message(MESSAGE_BYTES_MAX + 2_001))
        );
        let (mut intake, _, quotable) = standing();
        quotable.set(1_001);
        assert_eq!(intake.take(&refused), Ok(()));
    }
}
