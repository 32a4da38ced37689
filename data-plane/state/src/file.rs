//! The file: who may read it, and how it is opened.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use redb::{Builder, Database, DatabaseError, StorageError, backends::InMemoryBackend};

use crate::StateError;

/// Only its owner reads states: they are rows.
const MODE: u32 = 0o600;
/// What is kept of the file in memory.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

pub(crate) fn open(path: &Path) -> Result<Database, StateError> {
    let place = path.display().to_string();
    create(path).map_err(|error| StateError::Unavailable {
        place: place.clone(),
        message: error.to_string(),
    })?;
    Builder::new()
        .set_cache_size(CACHE_BYTES)
        .create(path)
        .map_err(|error| refusal(error, place))
}

pub(crate) fn in_memory() -> Result<Database, StateError> {
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

fn refusal(error: DatabaseError, place: String) -> StateError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StateError::Locked { path: place },
        DatabaseError::Storage(StorageError::Corrupted(what)) => StateError::Corrupt {
            what: format!("{place} is damaged: {what}"),
        },
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            StateError::Corrupt {
                what: format!("{place} holds no states: {error}"),
            }
        }
        other => StateError::Unavailable {
            place,
            message: other.to_string(),
        },
    }
}
