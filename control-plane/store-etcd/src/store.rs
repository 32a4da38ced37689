//! The handle, and the trait over the other files.

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use nervix_store::{BlobId, Commit, Revision, Snapshot, Store, StoreError, Watch};

use crate::{
    connection::{Connection, Failure},
    layout::{FORMAT, Head, Layout, unreadable},
};

/// Where a store lives unless its address says otherwise.
const DEFAULT_PREFIX: &str = "/nervix";

/// A store on etcd; a clone is another handle on the same connection.
#[derive(Clone)]
pub struct EtcdStore {
    pub(crate) connection: Connection,
    pub(crate) layout: Layout,
}

impl EtcdStore {
    /// Connects by an address such as `etcd://host:2379,other:2379/prefix`; the prefix may be left out.
    ///
    /// # Errors
    /// As [`Self::connect`]; [`StoreError::Unavailable`] also when the address has another form.
    pub async fn open(address: &str) -> Result<Self, StoreError> {
        let malformed = || StoreError::Unavailable {
            place: "etcd".into(),
            message: "its address has the form etcd://HOST:PORT[,HOST:PORT...][/PREFIX]".into(),
        };
        let rest = address.strip_prefix("etcd://").ok_or_else(malformed)?;
        let (hosts, prefix) = match rest.split_once('/') {
            Some((hosts, prefix)) if !prefix.is_empty() => (hosts, format!("/{prefix}")),
            Some((hosts, _)) => (hosts, DEFAULT_PREFIX.to_owned()),
            None => (rest, DEFAULT_PREFIX.to_owned()),
        };
        let endpoints: Vec<String> = hosts.split(',').map(str::to_owned).collect();
        if endpoints
            .iter()
            .any(|endpoint| endpoint.is_empty() || endpoint.contains('@'))
        {
            return Err(malformed());
        }
        Self::at(&endpoints, &prefix).await
    }

    /// Connects to etcd's members, as host:port each, and uses the default place of a store.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when none answers, [`StoreError::Format`] when another release wrote the store.
    pub async fn connect(endpoints: &[String]) -> Result<Self, StoreError> {
        Self::at(endpoints, DEFAULT_PREFIX).await
    }

    async fn at(endpoints: &[String], prefix: &str) -> Result<Self, StoreError> {
        let store = Self {
            connection: Connection::open(endpoints).await?,
            layout: Layout::new(prefix),
        };
        store.check_format().await?;
        store.collect_half_written().await?;
        Ok(store)
    }

    async fn check_format(&self) -> Result<(), StoreError> {
        let page = self
            .connection
            .get(self.layout.format())
            .await
            .map_err(|e| self.connection.unavailable(e))?;
        let Some((key, value, _)) = page.entries.first() else {
            return Ok(());
        };
        let found = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
        match found.ok_or_else(|| unreadable(key))? {
            FORMAT => Ok(()),
            found => Err(StoreError::Format {
                place: self.connection.place.clone(),
                found,
                supported: FORMAT,
            }),
        }
    }

    /// Where the store is, and etcd's revision at that moment.
    pub(crate) async fn find_head(&self) -> Result<(Head, i64), Failure> {
        let page = self.connection.get(self.layout.head()).await?;
        let Some((_, value, moved_at)) = page.entries.first() else {
            return Ok((
                Head {
                    revision: Revision(0),
                    moved_at: 0,
                },
                page.at,
            ));
        };
        let text = std::str::from_utf8(value).unwrap_or_default();
        let number = text.split(' ').next().and_then(|number| number.parse().ok());
        let revision = number.ok_or_else(|| Failure::Refused("the head cannot be read".into()))?;
        Ok((
            Head {
                revision: Revision(revision),
                moved_at: *moved_at,
            },
            page.at,
        ))
    }
}

impl Store for EtcdStore {
    fn head(&self) -> BoxFuture<'_, Result<Revision, StoreError>> {
        async {
            let found = self
                .find_head()
                .await
                .map_err(|failure| self.connection.unavailable(failure))?;
            Ok(found.0.revision)
        }
        .boxed()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Revision, StoreError>> {
        self.make_commit(commit).boxed()
    }

    fn read(&self, at: Option<Revision>) -> BoxFuture<'_, Result<Snapshot, StoreError>> {
        self.read_at(at).boxed()
    }

    fn watch(&self, after: Revision) -> BoxFuture<'_, Result<Watch, StoreError>> {
        self.clone().watch_after(after).boxed()
    }

    fn put_chunk(&self, blob: BlobId, index: u32, chunk: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.put_blob_chunk(blob, index, chunk).boxed()
    }

    fn chunk(&self, blob: BlobId, index: u32) -> BoxFuture<'_, Result<Bytes, StoreError>> {
        self.blob_chunk(blob, index).boxed()
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>, StoreError>> {
        self.all_blobs().boxed()
    }

    fn remove_blob(&self, blob: BlobId) -> BoxFuture<'_, Result<(), StoreError>> {
        self.drop_blob(blob).boxed()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn place(&self) -> String {
        self.connection.place.clone()
    }
}
