//! A database in one file: who may read it, how it is opened, and how it comes back after its disk failed.
//!
//! Invariant: nobody but its owner may read the file, whatever it was before. What is in it, tables and their format, is
//! the business of whoever opens it.

mod file;

pub use file::{DatabaseFile, FileError};

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use redb::{Builder, Database, DatabaseError, StorageError, backends::InMemoryBackend};

/// Only its owner reads the file: it holds rows, or the secrets of clients.
const MODE: u32 = 0o600;
/// What is kept of the file in memory.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("{place} is open in another process")]
    Locked {
        /// The file.
        place: String,
    },
    /// What was stored cannot be read.
    #[error("{place} is damaged: {what}")]
    Damaged {
        /// The file.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// The file is something else.
    #[error("{place} is no database: {what}")]
    Foreign {
        /// The file.
        place: String,
        /// How that was noticed.
        what: String,
    },
    /// It cannot be read or written.
    #[error("{place} cannot be read or written: {message}")]
    Unavailable {
        /// The file.
        place: String,
        /// What the operating system says.
        message: String,
    },
}

/// The database in the file `path`, which is made when it is not there, with the folders above it.
///
/// # Errors
/// See [`OpenError`].
fn open(path: &Path) -> Result<Database, OpenError> {
    let place = path.display().to_string();
    create(path).map_err(|error| OpenError::Unavailable {
        place: place.clone(),
        message: error.to_string(),
    })?;
    Builder::new()
        .set_cache_size(CACHE_BYTES)
        .create(path)
        .map_err(|error| refusal(error, place))
}

/// A database that is gone with the process.
///
/// # Errors
/// See [`OpenError`].
fn in_memory() -> Result<Database, OpenError> {
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

fn refusal(error: DatabaseError, place: String) -> OpenError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::Locked { place },
        DatabaseError::Storage(StorageError::Corrupted(what)) => OpenError::Damaged { place, what },
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            OpenError::Foreign {
                place,
                what: error.to_string(),
            }
        }
        other => OpenError::Unavailable {
            place,
            message: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::{MODE, OpenError, open};

    #[test]
    fn only_the_owner_may_read_the_file_and_only_one_process_has_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/file.redb");
        let database = open(&path).unwrap();
        assert!(matches!(open(&path), Err(OpenError::Locked { .. })));
        drop(database);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        drop(open(&path).unwrap());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
    }

    #[test]
    fn something_else_is_no_database_and_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        fs::write(&path, "not a database, and long enough to look at".repeat(100)).unwrap();
        let before = fs::read(&path).unwrap();
        assert!(matches!(open(&path), Err(OpenError::Foreign { .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}
