//! A way to etcd that can hold a request back, and lose answers.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::oneshot,
    task::JoinSet,
};

/// Bytes that are passed on together; a small request is never parted.
const BUFFER_BYTES: usize = 64 * 1024;

/// A request that waits before etcd.
pub(crate) struct Held {
    /// It has come.
    pub(crate) seen: oneshot::Receiver<()>,
    /// Lets it through.
    pub(crate) go: oneshot::Sender<()>,
}

/// What a request is held for, and the other ends of [`Held`].
struct Hold {
    part: Vec<u8>,
    seen: oneshot::Sender<()>,
    go: oneshot::Receiver<()>,
}

#[derive(Default)]
struct Rules {
    hold: Mutex<Option<Hold>>,
    lose: Mutex<Option<Vec<u8>>>,
}

/// Passes connections on.
pub(crate) struct Proxy {
    pub(crate) address: String,
    rules: Arc<Rules>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    pub(crate) async fn start(target: &str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let rules = Arc::new(Rules::default());
        let (target, of_all) = (target.to_owned(), Arc::clone(&rules));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(&target).await else {
                    continue;
                };
                let ((from_client, to_client), (from_server, to_server)) =
                    (client.into_split(), server.into_split());
                let lost = Arc::new(AtomicBool::new(false));
                let rules = (Arc::clone(&of_all), Arc::clone(&lost));
                connections.spawn(requests(from_client, to_server, rules));
                connections.spawn(answers(from_server, to_client, lost));
            }
        });
        Ok(Self {
            address,
            rules,
            _tasks: tasks,
        })
    }

    /// Holds the next request that has `part` in it.
    pub(crate) fn hold(&self, part: &str) -> Held {
        let ((seen, has_come), (go, let_through)) = (oneshot::channel(), oneshot::channel());
        *locked(&self.rules.hold) = Some(Hold {
            part: part.into(),
            seen,
            go: let_through,
        });
        Held { seen: has_come, go }
    }

    /// From now on requests that have `part` in them arrive, and their connection ends in place of the answer.
    pub(crate) fn lose_answers_to(&self, part: &str) {
        *locked(&self.rules.lose) = Some(part.into());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn has(request: &[u8], part: &[u8]) -> bool {
    request.windows(part.len()).any(|there| there == part)
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    (rules, lost): (Arc<Rules>, Arc<AtomicBool>),
) {
    let mut buffer = vec![0; BUFFER_BYTES];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let request = &buffer[..read];
        let held = locked(&rules.hold).take_if(|hold| has(request, &hold.part));
        if let Some(hold) = held {
            let told = hold.seen.send(());
            if told.is_err() || hold.go.await.is_err() {
                return;
            }
        }
        let loses = locked(&rules.lose)
            .as_ref()
            .is_some_and(|part| has(request, part));
        lost.fetch_or(loses, Ordering::SeqCst);
        if to.write_all(request).await.is_err() {
            return;
        }
    }
}

/// Drops its side of the client's connection in place of an answer that is to be lost.
async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, lost: Arc<AtomicBool>) {
    let mut buffer = vec![0; BUFFER_BYTES];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if lost.load(Ordering::SeqCst) || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
