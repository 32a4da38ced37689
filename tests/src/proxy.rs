//! A TCP proxy that cuts a connection in the middle of what the client sends, so that the server sees half a frame, or
//! falls silent and closes nothing, as a machine does that lost its power.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::wait::must;

/// A running proxy; dropping it ends it.
#[derive(Debug)]
pub struct Proxy {
    address: String,
    remaining: Arc<AtomicU64>,
    silent: watch::Sender<bool>,
    _task: JoinSet<()>,
}

impl Proxy {
    /// Listens on a free port and passes one connection on to `target`.
    ///
    /// # Panics
    /// When no port can be bound.
    pub async fn before(target: &str) -> Self {
        let listener = must("bind the proxy", TcpListener::bind(("127.0.0.1", 0)).await);
        let address = must("ask for the port", listener.local_addr()).to_string();
        let remaining = Arc::new(AtomicU64::new(u64::MAX));
        let (budget, target) = (Arc::clone(&remaining), target.to_owned());
        let (silent, falls_silent) = watch::channel(false);
        let mut task = JoinSet::new();
        task.spawn(async move {
            if let Ok((client, _)) = listener.accept().await {
                // The end of either side is the end of both.
                pass(client, &target, &budget, falls_silent)
                    .await
                    .unwrap_or_default();
            }
        });
        Self {
            address,
            remaining,
            silent,
            _task: task,
        }
    }

    /// Where clients connect.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Lets `bytes` more through from the client, then closes both sides.
    pub fn cut_after(&self, bytes: u64) {
        self.remaining.store(bytes, Ordering::SeqCst);
    }

    /// Passes nothing on any more, in either direction, and closes nothing as long as this is.
    pub fn fall_silent(&self) {
        self.silent.send_replace(true);
    }
}

async fn pass(
    client: TcpStream,
    target: &str,
    budget: &AtomicU64,
    mut silent: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let server = TcpStream::connect(target).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let read = from_client.read(&mut buffer).await?;
            let left = budget.load(Ordering::SeqCst);
            let allowed = usize::try_from(left).unwrap_or(usize::MAX).min(read);
            to_server
                .write_all(buffer.get(..allowed).unwrap_or_default())
                .await?;
            if read == 0 || allowed < read {
                return Ok(());
            }
            if left != u64::MAX {
                budget.store(left - u64::try_from(allowed).unwrap_or(0), Ordering::SeqCst);
            }
        }
    };
    let falls_silent = async { silent.wait_for(|silent| *silent).await.is_ok() };
    tokio::select! {
        done = up => done,
        done = tokio::io::copy(&mut from_server, &mut to_client) => done.map(drop),
        true = falls_silent => std::future::pending().await,
    }
}
