//! Files of resources on this node: what `{{ resource }}` of a CLIENT is a path to, and what codecs are compiled from
//! (rulings section 8, companion section 13).
//!
//! Invariants: a folder has exactly the files of one stored version, checked by its checksum before anybody sees it;
//! nobody but this process's user may read it; it is there as long as somebody holds it, and fetched once however many
//! do. A version never changes, so nothing here is ever stale.

mod fetch;
mod folder;

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Weak},
};

use bytes::Bytes;
use futures::{future::BoxFuture, stream::BoxStream};
use parking_lot::Mutex;

pub(crate) use folder::{Folder, Scratch, folder_beside, private_folder};

/// A stored version of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VersionId {
    pub(crate) domain: Arc<str>,
    pub(crate) resource: String,
    pub(crate) version: u64,
}

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            domain,
            resource,
            version,
        } = self;
        write!(f, "version {version} of RESOURCE {resource} of domain {domain}")
    }
}

/// What a version consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) checksum: String,
    /// Path and bytes of each file, in the order of their bytes.
    pub(crate) files: Vec<(String, u64)>,
}

/// The bytes of all files of a version, one after the other.
pub(crate) type Contents = BoxStream<'static, Result<Bytes, ResourceError>>;

/// Where versions come from.
pub(crate) trait Origin: Send + Sync {
    /// Begins to read a version.
    fn read(&self, version: &VersionId) -> BoxFuture<'static, Result<(Manifest, Contents), ResourceError>>;
}

/// Why the files of a version are not here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResourceError {
    #[error("{version} cannot be read from the control plane: {cause}")]
    Origin { version: VersionId, cause: String },
    #[error("{0} is not what its checksum says; upload it again")]
    Damaged(VersionId),
    #[error("{version} cannot be written to this node: {cause}")]
    Write { version: VersionId, cause: String },
    #[error("{0}'s version is not pinned in what was assigned")]
    Unpinned(String),
}

/// The folders of this node; clones share everything.
#[derive(Clone)]
pub(crate) struct Resources {
    origin: Arc<dyn Origin>,
    /// A folder of this node alone, in which each version gets one of its own.
    place: PathBuf,
    folders: Arc<Mutex<BTreeMap<VersionId, Arc<Slot>>>>,
}

/// One version: whoever needs it waits while another fetches it.
type Slot = tokio::sync::Mutex<Weak<Folder>>;

impl Resources {
    pub(crate) fn new(origin: Arc<dyn Origin>, place: PathBuf) -> Self {
        Self {
            origin,
            place,
            folders: Arc::default(),
        }
    }

    /// The folder of a version, fetched unless somebody holds it.
    pub(crate) async fn folder(&self, version: &VersionId) -> Result<Arc<Folder>, ResourceError> {
        let slot = self.slot(version);
        let mut folder = slot.lock().await;
        if let Some(folder) = folder.upgrade() {
            return Ok(folder);
        }
        let (manifest, contents) = self.origin.read(version).await?;
        let fetched = Arc::new(fetch::fetch(version, &manifest, contents, &self.place).await?);
        *folder = Arc::downgrade(&fetched);
        Ok(fetched)
    }

    /// The slot of a version; those of versions that nobody holds or waits for are forgotten.
    fn slot(&self, version: &VersionId) -> Arc<Slot> {
        let mut folders = self.folders.lock();
        let held = |slot: &Slot| slot.try_lock().is_ok_and(|folder| folder.strong_count() > 0);
        folders.retain(|_, slot| Arc::strong_count(slot) > 1 || held(slot));
        Arc::clone(folders.entry(version.clone()).or_default())
    }
}

#[cfg(test)]
mod tests;
