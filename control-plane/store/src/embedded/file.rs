//! The file of an embedded store: who may read it, and how it is opened.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use redb::{Builder, Database, DatabaseError, StorageError, backends::InMemoryBackend};

use crate::StoreError;

/// Only its owner reads a store: it holds the secrets of clients.
const MODE: u32 = 0o600;

const CACHE_BYTES: usize = 16 * 1024 * 1024;

pub(super) fn open(path: &Path) -> Result<Database, StoreError> {
    let place = path.display().to_string();
    create(path).map_err(|error| StoreError::Unavailable {
        place: place.clone(),
        message: error.to_string(),
    })?;
    Builder::new()
        .set_cache_size(CACHE_BYTES)
        .create(path)
        .map_err(|error| refusal(error, place))
}

pub(super) fn in_memory() -> Result<Database, StoreError> {
    Builder::new()
        .set_cache_size(CACHE_BYTES)
        .create_with_backend(InMemoryBackend::new())
        .map_err(|error| refusal(error, "memory".into()))
}

/// Makes sure that the file is there and that nobody else may read it.
fn create(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(path)
    {
        Ok(_) => File::open(folder)?.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::set_permissions(path, Permissions::from_mode(MODE))
        }
        Err(error) => Err(error),
    }
}

fn refusal(error: DatabaseError, place: String) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Locked { path: place },
        DatabaseError::Storage(StorageError::Corrupted(what)) => StoreError::Corrupt {
            what: format!("{place}: {what}"),
        },
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            StoreError::Corrupt {
                what: format!("{place} is not a store: {error}"),
            }
        }
        other => StoreError::Unavailable {
            place,
            message: other.to_string(),
        },
    }
}
