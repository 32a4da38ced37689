//! The connection to etcd: every request has a bound, every failure becomes one of ours.

use std::{fmt::Display, time::Duration};

use etcd_client::{
    Client, ConnectOptions, DeleteOptions, Error, GetOptions, GetResponse, KeyValue, KvClient, SortOrder,
    SortTarget, Txn, WatchOptions, WatchStream,
};
use nervix_store::StoreError;
use tokio::time::timeout;

/// How long etcd may take for one request.
pub(crate) const REQUEST_BOUND: Duration = Duration::from_secs(10);

const CONNECT_BOUND: Duration = Duration::from_secs(5);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
const KEEPALIVE_BOUND: Duration = Duration::from_secs(5);

/// The most bytes of one answer: a page of chunks, with room.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Entries of one page; each is a chunk at most.
const PAGE: i64 = 64;

/// Keys of one page where no values are read.
const KEYS_PAGE: i64 = 10_000;

/// A connected client; a clone shares the connection.
#[derive(Clone)]
pub(crate) struct Connection {
    client: Client,
    /// The addresses, for messages.
    pub(crate) place: String,
}

/// Why a request failed.
pub(crate) enum Failure {
    /// etcd refused it; it had no effect.
    Refused(String),
    /// No answer came; it may have had its effect.
    Lost(String),
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
        let connected = timeout(REQUEST_BOUND, Client::connect(endpoints, Some(options))).await;
        let client = connected
            .map_err(|_| unavailable("it did not answer in time".into()))?
            .map_err(|error| unavailable(error.to_string()))?;
        Ok(Self { client, place })
    }

    fn kv(&self) -> KvClient {
        self.client
            .kv_client()
            .max_decoding_message_size(ANSWER_BYTES_MAX)
    }

    /// Sends one transaction; the answer tells whether its compares held.
    pub(crate) async fn txn(&self, txn: Txn) -> Result<bool, Failure> {
        bounded(self.kv().txn(txn)).await.map(|answer| answer.succeeded())
    }

    pub(crate) async fn put(&self, key: String, value: Vec<u8>) -> Result<(), Failure> {
        bounded(self.kv().put(key, value, None)).await.map(drop)
    }

    /// Removes keys from `from` up to, and without, `to`.
    pub(crate) async fn remove_range(&self, from: String, to: String) -> Result<(), Failure> {
        bounded(self.kv().delete(from, Some(DeleteOptions::new().with_range(to))))
            .await
            .map(drop)
    }

    pub(crate) async fn get(&self, key: String) -> Result<Page, Failure> {
        bounded(self.kv().get(key, None)).await.and_then(page)
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
            let answer = bounded(self.kv().get(from.as_str(), Some(options))).await?;
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
        bounded(self.client.watch_client().watch(key, Some(options))).await
    }

    pub(crate) fn unavailable(&self, failure: Failure) -> StoreError {
        let message = match failure {
            Failure::Refused(message) | Failure::Lost(message) => message,
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

async fn bounded<T>(request: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
    match timeout(REQUEST_BOUND, request).await {
        Ok(answer) => answer.map_err(failure),
        Err(_) => Err(lost(&"it did not answer in time")),
    }
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
    } else {
        lost(&status.message())
    }
}

/// gRPC codes that say that a request had no effect: INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED,
/// RESOURCE_EXHAUSTED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED.
const HAD_NO_EFFECT: [i32; 9] = [3, 5, 6, 7, 8, 9, 11, 12, 16];
