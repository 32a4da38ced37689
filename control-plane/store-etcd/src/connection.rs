//! The connection to etcd: every request has a bound, every failure becomes one of ours.
//!
//! A request goes to the member that answered last. When that one does not answer, what may be done twice is asked of the
//! others in turn, and of all again while they choose a leader; a transaction is sent once, for its sender alone can tell
//! what came of it.

use std::{
    fmt::Display,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use etcd_client::{
    Client, ConnectOptions, DeleteOptions, Error, GetOptions, GetResponse, KeyValue, KvClient, SortOrder,
    SortTarget, Txn, WatchOptions, WatchStream,
};
use nervix_store::StoreError;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long etcd may take for one request, whoever of its members is asked.
pub(crate) const REQUEST_BOUND: Duration = Duration::from_secs(10);

/// How long one of several members may take. Its silence then does not take the bound of the request from the others.
const MEMBER_BOUND: Duration = Duration::from_secs(2);

/// While members choose a leader, how often they are asked.
const ELECTION_LOOK: Duration = Duration::from_millis(250);

const CONNECT_BOUND: Duration = Duration::from_secs(5);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
const KEEPALIVE_BOUND: Duration = Duration::from_secs(5);

/// The most bytes of one answer: a page of chunks, with room.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Entries of one page; each is a chunk at most.
const PAGE: i64 = 64;

/// Keys of one page where no values are read.
const KEYS_PAGE: i64 = 10_000;

/// Connections to the members; a clone shares them.
#[derive(Clone)]
pub(crate) struct Connection {
    members: Arc<[Client]>,
    /// The place of the member that is asked first.
    answering: Arc<AtomicUsize>,
    /// The addresses, for messages.
    pub(crate) place: String,
}

/// Why a request failed.
pub(crate) enum Failure {
    /// etcd refused it; it had no effect.
    Refused(String),
    /// No answer came; it may have had its effect.
    Lost(String),
    /// The member that was asked is silent or has no leader, for now; it may have had its effect.
    Undecided(String),
    /// The requested history is compacted.
    Compacted,
}

/// Entries read together, and etcd's revision at that moment.
pub(crate) struct Page {
    pub(crate) entries: Vec<(String, Vec<u8>, i64)>,
    pub(crate) at: i64,
}

impl Connection {
    pub(crate) async fn open(endpoints: &[String]) -> Result<Self, StoreError> {
        let place = format!("etcd://{}", endpoints.join(","));
        let options = ConnectOptions::new()
            .with_connect_timeout(CONNECT_BOUND)
            .with_keep_alive(KEEPALIVE_EVERY, KEEPALIVE_BOUND)
            .with_keep_alive_while_idle(true)
            // A member that has lost its quorum says so, instead of keeping a watch open on which nothing will come.
            .with_require_leader(true);
        let unavailable = |message: String| StoreError::Unavailable {
            place: place.clone(),
            message,
        };
        let mut members = Vec::new();
        for endpoint in endpoints {
            // It connects with its first request.
            let client = Client::connect([endpoint], Some(options.clone())).await;
            members.push(client.map_err(|error| unavailable(error.to_string()))?);
        }
        Ok(Self {
            members: members.into(),
            answering: Arc::default(),
            place,
        })
    }

    /// Asks the member that answered last, once. When it does not answer, the next one is asked from now on.
    async fn once<T, R>(&self, request: impl Fn(Client) -> R) -> Result<T, Failure>
    where
        R: Future<Output = Result<T, Error>>,
    {
        let asked = self.answering.load(Ordering::Relaxed);
        let member = self.members.get(asked).cloned();
        let member = member.ok_or_else(|| lost(&"it has no members"))?;
        let bound = match self.members.len() {
            1 => REQUEST_BOUND,
            _ => MEMBER_BOUND,
        };
        let answer = match timeout(bound, request(member)).await {
            Ok(answer) => answer.map_err(failure),
            Err(_) => Err(late()),
        };
        if matches!(answer, Err(Failure::Lost(_) | Failure::Undecided(_))) {
            let next = (asked + 1) % self.members.len();
            // Another request may have found that out before; then this changes nothing.
            let moved = self
                .answering
                .compare_exchange(asked, next, Ordering::Relaxed, Ordering::Relaxed);
            tracing::debug!(asked, moved = moved.is_ok(), "a member of etcd does not answer");
        }
        answer
    }

    /// Asks for what may be done twice: each member in turn, and all again while one of them is undecided.
    async fn ask<T, R>(&self, request: impl Fn(Client) -> R) -> Result<T, Failure>
    where
        R: Future<Output = Result<T, Error>>,
    {
        let mut last = late();
        let asking = async {
            let mut looks = interval(ELECTION_LOOK);
            looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                looks.tick().await;
                let mut goes_on = false;
                for _ in 0..self.members.len() {
                    match self.once(&request).await {
                        Err(failure @ Failure::Lost(_)) => last = failure,
                        Err(failure @ Failure::Undecided(_)) => {
                            goes_on = true;
                            last = failure;
                        }
                        settled => return Some(settled),
                    }
                }
                if !goes_on {
                    return None;
                }
            }
        };
        match timeout(REQUEST_BOUND, asking).await {
            Ok(Some(settled)) => settled,
            Ok(None) | Err(_) => Err(last),
        }
    }

    /// Sends one transaction; the answer tells whether its compares held.
    pub(crate) async fn txn(&self, txn: Txn) -> Result<bool, Failure> {
        let txn = &txn;
        let sent = self.once(|member| async move { kv(&member).txn(txn.clone()).await });
        sent.await.map(|answer| answer.succeeded())
    }

    pub(crate) async fn put(&self, key: String, value: Vec<u8>) -> Result<(), Failure> {
        let (key, value) = (key.as_str(), value.as_slice());
        let put = self.ask(|member| async move { kv(&member).put(key, value, None).await });
        put.await.map(drop)
    }

    /// Removes keys from `from` up to, and without, `to`.
    pub(crate) async fn remove_range(&self, from: String, to: String) -> Result<(), Failure> {
        let (from, options) = (from.as_str(), &DeleteOptions::new().with_range(to));
        let removed = self.ask(|member| async move { kv(&member).delete(from, Some(options.clone())).await });
        removed.await.map(drop)
    }

    pub(crate) async fn get(&self, key: String) -> Result<Page, Failure> {
        let key = key.as_str();
        let read = self.ask(|member| async move { kv(&member).get(key, None).await });
        read.await.and_then(page)
    }

    /// Entries from `from` up to, and without, `to`, as they were at one revision of etcd (0: now).
    pub(crate) async fn range(&self, from: String, to: String, at: i64) -> Result<Page, Failure> {
        self.pages(from, to, (at, PAGE, false)).await
    }

    /// The keys alone.
    pub(crate) async fn keys(&self, from: String, to: String, at: i64) -> Result<Page, Failure> {
        self.pages(from, to, (at, KEYS_PAGE, true)).await
    }

    async fn pages(
        &self,
        mut from: String,
        to: String,
        (mut at, limit, keys_only): (i64, i64, bool),
    ) -> Result<Page, Failure> {
        let mut entries = Vec::new();
        loop {
            let mut options = GetOptions::new()
                .with_range(to.as_str())
                .with_limit(limit)
                .with_revision(at)
                .with_sort(SortTarget::Key, SortOrder::Ascend);
            if keys_only {
                options = options.with_keys_only();
            }
            let (begin, options) = (from.as_str(), &options);
            let read = self.ask(|member| async move { kv(&member).get(begin, Some(options.clone())).await });
            let answer = read.await?;
            let more = answer.more();
            let read = page(answer)?;
            if at == 0 {
                at = read.at;
            }
            // The next page begins right after the last key.
            if let Some((last, _, _)) = read.entries.last() {
                from = format!("{last}\0");
            }
            entries.extend(read.entries);
            if !more {
                return Ok(Page { entries, at });
            }
        }
    }

    pub(crate) async fn watch(&self, key: String, from: i64) -> Result<WatchStream, Failure> {
        let options = WatchOptions::new().with_start_revision(from);
        let (key, options) = (key.as_str(), &options);
        let opened = self.ask(|member| async move {
            let mut watches = member.watch_client();
            watches.watch(key, Some(options.clone())).await
        });
        opened.await
    }

    pub(crate) fn unavailable(&self, failure: Failure) -> StoreError {
        let message = match failure {
            Failure::Refused(message) | Failure::Lost(message) | Failure::Undecided(message) => message,
            Failure::Compacted => "the history that was read is compacted; try again".into(),
        };
        StoreError::Unavailable {
            place: self.place.clone(),
            message,
        }
    }
}

fn page(mut answer: GetResponse) -> Result<Page, Failure> {
    let at = answer.header().map_or(0, |header| header.revision());
    let entries = answer
        .take_kvs()
        .into_iter()
        .map(entry)
        .collect::<Result<_, _>>()?;
    Ok(Page { entries, at })
}

fn entry(pair: KeyValue) -> Result<(String, Vec<u8>, i64), Failure> {
    let revision = pair.mod_revision();
    let (key, value) = pair.into_key_value();
    let key = String::from_utf8(key).map_err(|_| Failure::Refused("a key is not text".into()))?;
    Ok((key, value, revision))
}

fn kv(member: &Client) -> KvClient {
    member.kv_client().max_decoding_message_size(ANSWER_BYTES_MAX)
}

fn late() -> Failure {
    Failure::Undecided("it did not answer in time".into())
}

fn lost(why: &impl Display) -> Failure {
    Failure::Lost(why.to_string())
}

fn failure(error: Error) -> Failure {
    let Error::GRpcStatus(status) = &error else {
        return lost(&error);
    };
    // etcd's own words: "etcdserver: mvcc: required revision has been compacted".
    if status.message().contains("has been compacted") {
        return Failure::Compacted;
    }
    if HAD_NO_EFFECT.contains(&i32::from(status.code())) {
        Failure::Refused(status.message().to_owned())
    } else if status.message().starts_with(OF_ETCD) {
        Failure::Undecided(status.message().to_owned())
    } else {
        lost(&status.message())
    }
}

/// How what a member says itself begins, unlike what the connection to it says: "etcdserver: no leader", "etcdserver:
/// request timed out, possibly due to previous leader failure".
const OF_ETCD: &str = "etcdserver: ";

/// gRPC codes that say that a request had no effect: INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED,
/// RESOURCE_EXHAUSTED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED.
const HAD_NO_EFFECT: [i32; 9] = [3, 5, 6, 7, 8, 9, 11, 12, 16];
