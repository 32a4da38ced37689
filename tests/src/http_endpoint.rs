//! An HTTP endpoint that keeps what it receives and answers as it is told, well or badly.
//!
//! It answers over raw sockets, so that nothing about an answer is taken care of by a library. Each connection carries one
//! request.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::wait::{must, until};

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Request line and fields, up to and with the empty line.
    pub head: String,
    /// The body, as long as Content-Length says.
    pub body: Vec<u8>,
}

/// What the endpoint does about a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Writes these bytes and closes.
    Close(Vec<u8>),
    /// Writes these bytes and then holds the connection, saying nothing more, until the client ends it.
    Hold(Vec<u8>),
    /// Writes these bytes before it reads a body, and reads none.
    Early(Vec<u8>),
    /// Writes one byte after the other, each in a segment of its own, and closes.
    Drip(Vec<u8>),
    /// Resets the connection.
    Reset,
}

impl Reply {
    /// An empty answer with this status.
    pub fn status(status: u16) -> Self {
        Self::with_fields(status, "")
    }

    /// An empty answer with this status and these lines, each with its end.
    pub fn with_fields(status: u16, fields: &str) -> Self {
        Self::Close(format!("HTTP/1.1 {status} Said\r\n{fields}Content-Length: 0\r\n\r\n").into_bytes())
    }
}

impl Received {
    /// The method as it was written.
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// The target as it was written.
    pub fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// The values of a field, in order.
    pub fn values(&self, name: &str) -> Vec<&str> {
        let fields = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields
            .filter(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect()
    }
}

/// A running endpoint on a free loopback port; dropping it ends it.
pub struct HttpEndpoint {
    port: u16,
    shared: Arc<Shared>,
    task: JoinSet<()>,
}

impl HttpEndpoint {
    /// Answers each request as `decide` says; it is given how many requests came before, and the head.
    pub async fn start(decide: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve(None, decide).await
    }

    /// [`Self::start`] behind TLS.
    pub async fn start_tls(
        server: Arc<ServerConfig>,
        decide: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::serve(Some(TlsAcceptor::from(server)), decide).await
    }

    async fn serve(
        tls: Option<TlsAcceptor>,
        decide: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let shared = Shared {
            decide: Box::new(decide),
            came: AtomicUsize::new(0),
            received: Mutex::default(),
            tls,
        };
        let mut endpoint = Self {
            port: 0,
            shared: Arc::new(shared),
            task: JoinSet::new(),
        };
        endpoint.start_again().await;
        endpoint
    }

    /// Ends it with all its connections, as a crash would; what it received stays.
    pub async fn kill(&mut self) {
        self.task.shutdown().await;
    }

    /// Starts it again on its port.
    ///
    /// # Panics
    /// When the port is taken.
    pub async fn start_again(&mut self) {
        let bound = TcpListener::bind(("127.0.0.1", self.port)).await;
        let listener = must("bind an endpoint", bound);
        self.port = must("ask for the port", listener.local_addr()).port();
        self.task.spawn(accept(listener, Arc::clone(&self.shared)));
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What came whole, in the order in which it did.
    pub async fn received(&self) -> Vec<Received> {
        self.shared.received.lock().await.clone()
    }

    /// Waits until so many requests came whole; gives them all.
    ///
    /// # Panics
    /// When they do not come.
    pub async fn until_received(&self, count: usize) -> Vec<Received> {
        until(&format!("{count} requests have come"), || async {
            let received = self.received().await;
            (received.len() >= count).then_some(received)
        })
        .await
    }
}

/// What is done about a request: how many came before, and its head.
type Decide = dyn Fn(usize, &Received) -> Reply + Send + Sync;

struct Shared {
    decide: Box<Decide>,
    came: AtomicUsize,
    received: Mutex<Vec<Received>>,
    tls: Option<TlsAcceptor>,
}

impl std::fmt::Debug for HttpEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpEndpoint")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // A client that goes away in the middle is part of what is tried.
            connection(stream, &shared).await.unwrap_or_default();
        });
    }
}

async fn connection(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match &shared.tls {
        Some(tls) => {
            let stream = tls.accept(stream).await?;
            answer(stream, shared).await.map(drop)
        }
        None => {
            if let Some(stream) = answer(stream, shared).await? {
                reset(stream)?;
            }
            Ok(())
        }
    }
}

/// Gives the stream back when it is to be reset.
async fn answer<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, shared: &Shared) -> io::Result<Option<S>> {
    let (head, mut body) = read_head(&mut stream).await?;
    let mut received = Received {
        head,
        body: Vec::new(),
    };
    let reply = (shared.decide)(shared.came.fetch_add(1, Ordering::SeqCst), &received);
    if !matches!(reply, Reply::Early(_)) {
        let length = received.values("Content-Length");
        let length = length.first().and_then(|length| length.parse().ok()).unwrap_or(0);
        while body.len() < length {
            if stream.read_buf(&mut body).await? == 0 {
                return Ok(None);
            }
        }
    }
    received.body = body;
    shared.received.lock().await.push(received);
    match reply {
        Reply::Close(bytes) | Reply::Early(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
        }
        Reply::Hold(bytes) => {
            stream.write_all(&bytes).await?;
            stream.flush().await?;
            stream.read_to_end(&mut Vec::new()).await?;
        }
        Reply::Drip(bytes) => {
            for byte in bytes {
                stream.write_all(&[byte]).await?;
                stream.flush().await?;
                tokio::task::yield_now().await;
            }
            stream.shutdown().await?;
        }
        Reply::Reset => return Ok(Some(stream)),
    }
    Ok(None)
}

/// Request line and fields as text, and what came of the body with them.
async fn read_head<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<(String, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    loop {
        if let Some(at) = bytes.windows(END.len()).position(|window| window == END) {
            let body = bytes.split_off(at + END.len());
            return Ok((String::from_utf8_lossy(&bytes).into_owned(), body));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn reset(stream: TcpStream) -> io::Result<()> {
    stream.set_zero_linger()?;
    drop(stream);
    Ok(())
}
