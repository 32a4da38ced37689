//! The files of resources, for what is judged by them. Where they are is for the caller: nothing here opens a file.

use std::fmt;
use std::sync::Arc;

pub use nspl_protobuf::FileMap;

use crate::catalog::SharedMap;

/// Finds the files of resources.
pub trait ResourceFiles: Send + Sync {
    /// The number of the latest version that is stored, 0 when there is none; `None` where no store is at hand.
    fn latest(&self, domain: &str, resource: &str) -> Option<u64>;

    /// The files of a stored version.
    ///
    /// # Errors
    /// Why they are not to be had, as half a sentence.
    fn stored(&self, domain: &str, resource: &str, version: u64) -> Result<FileMap, String>;

    /// The files of a folder that the script uploads, as UPLOAD RESOURCE names it.
    ///
    /// # Errors
    /// Why they are not to be had, as half a sentence.
    fn folder(&self, folder: &str) -> Result<FileMap, String>;
}

/// Resources as far as a script has come: what is stored, and what it has uploaded since.
#[derive(Clone)]
pub struct Resources {
    files: Arc<dyn ResourceFiles>,
    /// Folders by domain and resource, numbered in the order of their uploads.
    uploads: SharedMap<(String, String), Folders>,
}

type Folders = SharedMap<usize, Arc<str>>;

/// A version of a resource. Its files are asked for only by who judges them.
pub(crate) struct Found {
    /// `None` where no store is at hand that counts.
    pub(crate) version: Option<u64>,
    place: Place,
    files: Arc<dyn ResourceFiles>,
}

/// Where the files of a version are.
enum Place {
    Stored {
        domain: String,
        resource: String,
        version: u64,
    },
    Folder(Arc<str>),
    Nowhere,
}

impl Found {
    /// The files, or why they are not to be had.
    pub(crate) fn files(&self) -> Result<FileMap, String> {
        match &self.place {
            Place::Stored {
                domain,
                resource,
                version,
            } => self.files.stored(domain, resource, *version),
            Place::Folder(folder) => self.files.folder(folder),
            Place::Nowhere => Err("this script does not upload it".to_owned()),
        }
    }
}

/// There is no such version.
pub(crate) struct NoVersion {
    /// The latest that there is, 0 when there is none.
    pub(crate) latest: u64,
}

impl Resources {
    /// What is stored, before a script.
    pub fn new(files: Arc<dyn ResourceFiles>) -> Resources {
        Resources {
            files,
            uploads: SharedMap::default(),
        }
    }

    /// One more version of a resource: a folder, as UPLOAD RESOURCE names it.
    pub fn upload(&mut self, domain: &str, resource: &str, folder: &str) {
        let key = (domain.to_owned(), resource.to_owned());
        let mut folders = self.uploads.remove(&key).unwrap_or_default();
        folders.insert(folders.len(), folder.into());
        self.uploads.insert(key, folders);
    }

    /// A version, or the latest. `fresh`: the resource is created by the transaction that asks, so nothing is stored of it.
    pub(crate) fn find(
        &self,
        (domain, resource): (&str, &str),
        version: Option<u64>,
        fresh: bool,
    ) -> Result<Found, NoVersion> {
        if fresh {
            return Err(NoVersion { latest: 0 });
        }
        let key = (domain.to_owned(), resource.to_owned());
        let uploads = self.uploads.get(&key).cloned().unwrap_or_default();
        let Some(stored) = self.files.latest(domain, resource) else {
            return Ok(self.uploaded(&uploads, version));
        };
        let latest = stored + uploads.len() as u64;
        let version = version.unwrap_or(latest);
        if version == 0 || version > latest {
            return Err(NoVersion { latest });
        }
        let folder = version
            .checked_sub(stored + 1)
            .and_then(|index| uploads.get(&usize::try_from(index).ok()?));
        let place = match folder {
            Some(folder) => Place::Folder(folder.clone()),
            None => Place::Stored {
                domain: key.0,
                resource: key.1,
                version,
            },
        };
        Ok(self.found(Some(version), place))
    }

    /// Without a store the uploads of the script are all that is known.
    fn uploaded(&self, uploads: &Folders, version: Option<u64>) -> Found {
        let index = match version {
            Some(version) => usize::try_from(version)
                .ok()
                .and_then(|version| version.checked_sub(1)),
            None => uploads.len().checked_sub(1),
        };
        let folder = index.and_then(|index| uploads.get(&index));
        let place = folder.map_or(Place::Nowhere, |folder| Place::Folder(folder.clone()));
        self.found(version, place)
    }

    fn found(&self, version: Option<u64>, place: Place) -> Found {
        Found {
            version,
            place,
            files: Arc::clone(&self.files),
        }
    }
}

/// Two are the same when they find the same files in the same place.
impl PartialEq for Resources {
    fn eq(&self, other: &Resources) -> bool {
        let uploads = |resources: &Resources| {
            let all = resources.uploads.sorted().into_iter();
            let all =
                all.flat_map(|(key, folders)| folders.sorted().into_iter().map(move |found| (key, found)));
            all.map(|(key, (number, folder))| (key.clone(), *number, folder.clone()))
                .collect::<Vec<_>>()
        };
        Arc::ptr_eq(&self.files, &other.files) && uploads(self) == uploads(other)
    }
}

impl Eq for Resources {}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("resources", &self.uploads.len())
            .finish_non_exhaustive()
    }
}
