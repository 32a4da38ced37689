//! A database in one file: who may read it, how it is opened, and how it comes back after its disk failed.
//!
//! Invariants: nobody but its owner may read the file, whatever it was before; a file is made whole or not at all, so that
//! one without bytes has lost what it held and is never taken for a new one. What is in it, tables and their format, is
//! the business of whoever opens it.

mod file;
mod seal;

pub use file::{DatabaseFile, FileError};
pub use seal::{seal, unseal};

use std::{
    fs::{self, File, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::Path,
};

use redb::{Builder, Database, DatabaseError, StorageError, backends::InMemoryBackend};

/// Only its owner reads the file: it holds rows, or the secrets of clients.
const MODE: u32 = 0o600;
/// What there is to do about a file whose contents are not what was written.
const REMEDY: &str = "restore a copy of it, or begin anew without it";
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

/// Makes the file `path` when it is not there, with the folders above it.
///
/// # Errors
/// See [`OpenError`].
fn make_missing(path: &Path) -> Result<(), OpenError> {
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => make(path),
        Err(error) => Err(unavailable(path, &error)),
    }
}

/// The database in the file `path`, which is there.
///
/// # Errors
/// See [`OpenError`].
fn open(path: &Path) -> Result<Database, OpenError> {
    let look = || {
        fs::set_permissions(path, Permissions::from_mode(MODE))?;
        fs::metadata(path)
    };
    if look().map_err(|error| unavailable(path, &error))?.len() == 0 {
        return Err(OpenError::Damaged {
            place: path.display().to_string(),
            what: "it has no bytes, and was never without: what it held is lost; restore a copy of it, or remove it \
                   to begin anew"
                .to_owned(),
        });
    }
    builder()
        .open(path)
        .map_err(|error| refusal(error, path.display().to_string()))
}

/// A database that is gone with the process.
///
/// # Errors
/// See [`OpenError`].
fn in_memory() -> Result<Database, OpenError> {
    builder()
        .create_with_backend(InMemoryBackend::new())
        .map_err(|error| refusal(error, "memory".into()))
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

/// Makes an empty database that nobody else may read. Its file gets its name when it is whole, so that a crash leaves
/// either none or all of it; where another process was first, its file stays.
fn make(path: &Path) -> Result<(), OpenError> {
    let failed = |error: io::Error| unavailable(path, &error);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let file = tempfile::Builder::new()
        .prefix(path.file_name().unwrap_or_default())
        .suffix(".new")
        .permissions(Permissions::from_mode(MODE))
        .tempfile_in(folder)
        .map_err(failed)?;
    let made = builder().create(file.path());
    drop(made.map_err(|error| refusal(error, path.display().to_string()))?);
    file.as_file().sync_all().map_err(failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(fault) => return Err(failed(fault.error)),
    }
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(failed)
}

fn unavailable(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Unavailable {
        place: path.display().to_string(),
        message: error.to_string(),
    }
}

fn refusal(error: DatabaseError, place: String) -> OpenError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::Locked { place },
        DatabaseError::Storage(StorageError::Corrupted(what)) => OpenError::Damaged {
            place,
            what: format!("{what}; {REMEDY}"),
        },
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
    use std::{
        fs,
        os::unix::fs::{MetadataExt, PermissionsExt},
    };

    use redb::Database;

    use super::{MODE, OpenError, make, make_missing, open};

    fn start(path: &std::path::Path) -> Result<Database, OpenError> {
        make_missing(path)?;
        open(path)
    }

    #[test]
    fn only_the_owner_may_read_the_file_and_only_one_process_has_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/file.redb");
        let database = start(&path).unwrap();
        assert!(matches!(start(&path), Err(OpenError::Locked { .. })));
        drop(database);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        drop(start(&path).unwrap());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
    }

    #[test]
    fn a_file_that_lost_its_bytes_is_refused_with_a_remedy_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.redb");
        drop(start(&path).unwrap());
        fs::File::create(&path).unwrap();
        let refused = start(&path).unwrap_err();
        assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
        let text = refused.to_string();
        assert!(
            text.contains("file.redb") && text.contains("restore") && text.contains("remove it"),
            "{text}"
        );
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    }

    #[test]
    fn a_file_is_made_whole_under_its_name_and_by_one_of_several_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.redb");
        make(&path).unwrap();
        let names = || -> Vec<_> {
            fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect()
        };
        assert_eq!(names(), ["file.redb"], "nothing is left beside it");
        let first = fs::metadata(&path).unwrap().ino();
        // Another process that saw no file a moment ago.
        make(&path).unwrap();
        assert_eq!(names(), ["file.redb"]);
        assert_eq!(fs::metadata(&path).unwrap().ino(), first, "the first one stays");
        drop(open(&path).unwrap());
    }

    #[test]
    fn what_a_crash_left_beside_it_is_no_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.redb");
        fs::write(folder.path().join("file.redbQ7.new"), "half of it").unwrap();
        drop(start(&path).unwrap());
        assert!(path.exists());
    }

    #[test]
    fn something_else_is_no_database_and_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        fs::write(&path, "not a database, and long enough to look at".repeat(100)).unwrap();
        let before = fs::read(&path).unwrap();
        assert!(matches!(start(&path), Err(OpenError::Foreign { .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}
