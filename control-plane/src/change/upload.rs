//! Storing a version of a resource: the files' bytes as one blob, then the version that names it.
//!
//! Until the version is committed the blob means nothing, and an upload that ends early removes it; one that was left
//! behind by a control plane that died is removed at a later upload, once it is old.

use std::{collections::BTreeMap, sync::Arc};

use bytes::{Bytes, BytesMut};
use nervix_resource::resource_checksum;
use nervix_store::{BLOB_CHUNK_BYTES_MAX, BlobId, StoreError};
use nspl::model::{EntityKey, EntityKind};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::Changes;
use crate::catalog::{Edit, LoadError, ResourceFile, ResourceVersion, missing, resource_key};

/// Bytes of one version.
const VERSION_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Files of one version.
const FILES_MAX: usize = 10_000;

/// Bytes of a file's path.
const PATH_BYTES_MAX: usize = 512;

/// Uploads at a time: so many versions may be in the store that nobody has committed.
pub(crate) const UPLOADS_MAX: usize = 8;

/// How often the version is committed again because another control plane was first.
const ATTEMPTS_MAX: usize = 16;

/// Age after which a blob that no version names counts as left behind.
const LEFT_BEHIND_NS: i64 = 24 * 3600 * 1_000_000_000;

/// Why an upload was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UploadError {
    #[error("{0}: CREATE it first")]
    NoResource(String),
    #[error(
        "the path {path:?} is refused: relative, `/` between parts, no `.` or `..`, no control characters, at most {PATH_BYTES_MAX} bytes"
    )]
    Path { path: String },
    #[error("the path {path:?} comes twice")]
    Twice { path: String },
    #[error("{path:?} is a file and also a folder of another file")]
    FileAndFolder { path: String },
    #[error("a version has at most {VERSION_BYTES_MAX} bytes in {FILES_MAX} files")]
    TooLarge,
    #[error("{UPLOADS_MAX} uploads are under way: send it again later")]
    Busy,
    #[error("{0}")]
    Order(&'static str),
    #[error(
        "the upload was cut off: `end` says {files} files of {size_bytes} bytes, and {came_files} of {came_bytes} bytes came; send it again"
    )]
    Totals {
        files: u32,
        size_bytes: u64,
        came_files: usize,
        came_bytes: u64,
    },
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl From<StoreError> for UploadError {
    fn from(error: StoreError) -> Self {
        Self::Load(error.into())
    }
}

/// What was stored.
pub(crate) struct Uploaded {
    pub(crate) version: u64,
    pub(crate) checksum: String,
    pub(crate) size_bytes: u64,
}

/// One upload while its files arrive; one that is not finished has to be abandoned.
pub(crate) struct Upload {
    changes: Changes,
    domain: String,
    resource: String,
    blob: BlobId,
    written: u32,
    buffer: BytesMut,
    files: Vec<ResourceFile>,
    hashes: BTreeMap<String, Sha256>,
    size_bytes: u64,
    /// Whether the version may have been committed although no answer says so.
    in_doubt: bool,
    _place: OwnedSemaphorePermit,
}

impl Changes {
    /// Begins a new version of a resource.
    pub(crate) async fn upload(&self, domain: String, resource: String) -> Result<Upload, UploadError> {
        let key = EntityKey::new(EntityKind::Resource, resource.as_str());
        let state = self.catalog.state();
        if state.catalog.get(&domain, &key).is_none() {
            return Err(UploadError::NoResource(missing(&state.catalog, &domain, &key)));
        }
        let place = Arc::clone(&self.uploads).try_acquire_owned();
        let place = place.map_err(|_| UploadError::Busy)?;
        self.remove_left_behind().await?;
        Ok(Upload {
            changes: self.clone(),
            domain,
            resource,
            blob: BlobId::new(Uuid::now_v7().to_string())?,
            written: 0,
            buffer: BytesMut::new(),
            files: Vec::new(),
            hashes: BTreeMap::new(),
            size_bytes: 0,
            in_doubt: false,
            _place: place,
        })
    }

    async fn remove_left_behind(&self) -> Result<(), StoreError> {
        let named = self.catalog.state().blobs();
        let now = self.clock.utc().0;
        for blob in self.catalog.store().blobs().await? {
            let born = Uuid::parse_str(blob.as_str())
                .ok()
                .and_then(|id| id.get_timestamp());
            let born_ns = born.map_or(0, |stamp| {
                let (seconds, nanos) = stamp.to_unix();
                i64::try_from(seconds)
                    .unwrap_or(i64::MAX)
                    .saturating_mul(1_000_000_000)
                    .saturating_add(nanos.into())
            });
            if !named.contains(blob.as_str()) && now.saturating_sub(born_ns) > LEFT_BEHIND_NS {
                self.catalog.store().remove_blob(blob).await?;
            }
        }
        Ok(())
    }
}

impl Upload {
    /// The next file begins.
    pub(crate) fn file(&mut self, path: String) -> Result<(), UploadError> {
        if !is_path(&path) {
            return Err(UploadError::Path { path });
        }
        if self.files.len() >= FILES_MAX {
            return Err(UploadError::TooLarge);
        }
        if self.hashes.contains_key(&path) {
            return Err(UploadError::Twice { path });
        }
        if let Some(path) = file_and_folder(&path, &self.hashes) {
            return Err(UploadError::FileAndFolder { path });
        }
        self.hashes.insert(path.clone(), Sha256::new());
        self.files.push(ResourceFile { path, size_bytes: 0 });
        Ok(())
    }

    /// More bytes of the file that began last.
    pub(crate) async fn chunk(&mut self, chunk: &Bytes) -> Result<(), UploadError> {
        let file = self
            .files
            .last_mut()
            .ok_or(UploadError::Order("`file` comes before its `chunk`s"))?;
        let size = chunk.len() as u64;
        file.size_bytes += size;
        self.size_bytes += size;
        if self.size_bytes > VERSION_BYTES_MAX {
            return Err(UploadError::TooLarge);
        }
        if let Some(hash) = self.hashes.get_mut(&file.path) {
            hash.update(chunk);
        }
        self.buffer.extend_from_slice(chunk);
        while self.buffer.len() >= BLOB_CHUNK_BYTES_MAX {
            let full = self.buffer.split_to(BLOB_CHUNK_BYTES_MAX).freeze();
            self.write(full).await?;
        }
        Ok(())
    }

    /// Compares what came with what the client says that it sent.
    pub(crate) fn check(&self, files: u32, size_bytes: u64) -> Result<(), UploadError> {
        let (came_files, came_bytes) = (self.files.len(), self.size_bytes);
        if u64::from(files) == came_files as u64 && size_bytes == came_bytes {
            return Ok(());
        }
        Err(UploadError::Totals {
            files,
            size_bytes,
            came_files,
            came_bytes,
        })
    }

    /// Commits the version.
    pub(crate) async fn finish(&mut self) -> Result<Uploaded, UploadError> {
        if self.files.is_empty() {
            return Err(UploadError::Order("a version has at least one file"));
        }
        let rest = self.buffer.split().freeze();
        if !rest.is_empty() {
            self.write(rest).await?;
        }
        let version = ResourceVersion {
            checksum: resource_checksum(std::mem::take(&mut self.hashes)),
            blob: self.blob.to_string(),
            files: std::mem::take(&mut self.files),
        };
        let committed = self.commit(&version).await;
        self.in_doubt = matches!(
            &committed,
            Err(UploadError::Load(LoadError::Store(StoreError::Unknown { .. })))
        );
        let number = committed?;
        Ok(Uploaded {
            version: number,
            checksum: version.checksum.clone(),
            size_bytes: version.size_bytes(),
        })
    }

    /// Removes what was stored of an upload that comes to nothing.
    pub(crate) async fn abandon(self) {
        let store = self.changes.catalog.store();
        if self.written > 0
            && !self.in_doubt
            && let Err(error) = store.remove_blob(self.blob.clone()).await
        {
            tracing::warn!(%error, blob = %self.blob, "what was stored of an upload that ended early stays until a later upload");
        }
    }

    async fn write(&mut self, chunk: Bytes) -> Result<(), StoreError> {
        let store = self.changes.catalog.store();
        store.put_chunk(self.blob.clone(), self.written, chunk).await?;
        self.written += 1;
        Ok(())
    }

    async fn commit(&self, version: &ResourceVersion) -> Result<u64, UploadError> {
        let changing = self.changes.catalog.changing().await;
        let mut state = changing.state();
        for _ in 0..ATTEMPTS_MAX {
            let key = EntityKey::new(EntityKind::Resource, self.resource.as_str());
            if state.catalog.get(&self.domain, &key).is_none() {
                let missing = missing(&state.catalog, &self.domain, &key);
                return Err(UploadError::NoResource(missing));
            }
            let last = state
                .resource_versions(&self.domain, &self.resource)
                .last()
                .map_or(0, |(last, _)| *last);
            let mut edit = Edit::default();
            edit.put(
                resource_key(&self.domain, &self.resource, last + 1),
                version.write(),
            );
            match changing.commit(&state, edit).await {
                Ok(_) => return Ok(last + 1),
                Err(LoadError::Store(StoreError::Conflict { .. })) => state = changing.catch_up().await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(StoreError::Conflict {
            head: state.revision(),
        }
        .into())
    }
}

/// The path, of a file that was sent or of `path` itself, that would have to be a file and a folder.
fn file_and_folder<T>(path: &str, files: &BTreeMap<String, T>) -> Option<String> {
    let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let folder = format!("{path}/");
    let mut below = files.range(folder.clone()..);
    let is_folder = below.next().is_some_and(|(next, _)| next.starts_with(&folder));
    let mut above = above.filter(|folder| files.contains_key(*folder));
    above.next().or(is_folder.then_some(path)).map(str::to_owned)
}

fn is_path(path: &str) -> bool {
    let parts = path
        .split('/')
        .all(|part| !part.is_empty() && part != "." && part != "..");
    parts && path.len() <= PATH_BYTES_MAX && !path.contains(|c: char| c.is_control() || c == '\\')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{file_and_folder, is_path};

    #[test]
    fn nothing_is_a_file_and_a_folder() {
        let files = BTreeMap::from([
            ("a".to_owned(), ()),
            ("b/c".to_owned(), ()),
            ("b.d".to_owned(), ()),
        ]);
        for (path, found) in [
            ("a/x", Some("a")),
            ("b", Some("b")),
            ("b/c/d/e", Some("b/c")),
            ("b/d", None),
            ("ab", None),
            ("b.e", None),
        ] {
            assert_eq!(file_and_folder(path, &files).as_deref(), found, "{path}");
        }
    }

    #[test]
    fn only_relative_paths_below_the_root_are_taken() {
        for path in ["a.proto", "a/b/c.txt", ".hidden", "ä b"] {
            assert!(is_path(path), "{path}");
        }
        for path in ["", "/a", "a/", "a//b", ".", "a/../b", "a\nb", "a\\b"] {
            assert!(!is_path(path), "{path}");
        }
    }
}
