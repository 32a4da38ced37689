//! One folder with the files of one version.
//!
//! Invariant: it is removed when the last holder lets it go.

use std::{
    collections::BTreeMap,
    fs::{DirEntry, File, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use nspl_protobuf::FileMap;
use tempfile::{Builder, TempDir};

use super::{Manifest, ResourceError, VersionId};

/// Only the user of this process.
const PRIVATE: u32 = 0o700;

/// How folders in the system's place for temporary ones are called.
const TEMPORARY: &str = "nervix-files-";

/// The folder of a process; it goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    /// Locked while the process is there, where others look after what is left.
    _held: Option<File>,
}

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A new folder in the system's place for temporary ones. What processes of this user that were killed left there goes
/// first.
pub(crate) fn private_folder() -> io::Result<Scratch> {
    held_folder(&std::env::temp_dir())
}

fn held_folder(place: &Path) -> io::Result<Scratch> {
    loop {
        let folder = private(place, TEMPORARY)?;
        if let Some(held) = hold(folder.path())? {
            remove_left(place, held.metadata()?.uid())?;
            return Ok(Scratch {
                folder,
                _held: Some(held),
            });
        }
    }
}

/// Locks a folder, unless it is gone: before it is locked, another process may take it for one that was left.
fn hold(folder: &Path) -> io::Result<Option<File>> {
    let held = match File::open(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    held.lock()?;
    Ok(folder.exists().then_some(held))
}

/// What others remove meanwhile, or cannot be removed, is no concern of this process.
fn remove_left(place: &Path, user: u32) -> io::Result<()> {
    for entry in std::fs::read_dir(place)?.flatten() {
        if let Err(error) = remove_if_left(&entry, user) {
            tracing::debug!(%error, "a folder that a killed process left stays");
        }
    }
    Ok(())
}

fn remove_if_left(entry: &DirEntry, user: u32) -> io::Result<()> {
    if !entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
        return Ok(());
    }
    let found = entry.metadata()?;
    let private = found.permissions().mode() & 0o777 == PRIVATE;
    if !(found.is_dir() && private && found.uid() == user) {
        return Ok(());
    }
    let held = File::open(entry.path())?;
    match held.try_lock() {
        Ok(()) => std::fs::remove_dir_all(entry.path()),
        Err(_) => Ok(()),
    }
}

/// A new folder in a place beside this file of the node, whose holder alone may call it; it goes when it is dropped. What
/// a process that was killed left there goes first: resources may be large, and secret.
pub(crate) fn folder_beside(file: &Path) -> io::Result<Scratch> {
    let mut place = file.as_os_str().to_owned();
    place.push(".files");
    let place = PathBuf::from(place);
    match std::fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::DirBuilder::new().mode(PRIVATE).create(&place)?;
    Ok(Scratch {
        folder: private(&place, "run-")?,
        _held: None,
    })
}

pub(super) fn private(place: &Path, prefix: &str) -> io::Result<TempDir> {
    let mut folder = Builder::new();
    folder.prefix(prefix).permissions(Permissions::from_mode(PRIVATE));
    folder.tempdir_in(place)
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Folder {
    version: VersionId,
    files: Vec<String>,
    folder: TempDir,
}

impl Folder {
    pub(super) fn new(version: VersionId, manifest: &Manifest, folder: TempDir) -> Self {
        let files = manifest.files.iter().map(|(path, _)| path.clone()).collect();
        Self {
            version,
            files,
            folder,
        }
    }

    /// Where the files are.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The bytes of every file by its path; all of them are in memory at once. The control plane has bounded the versions
    /// that codecs name.
    pub(crate) async fn read(&self) -> Result<FileMap, ResourceError> {
        let mut map = BTreeMap::new();
        for file in &self.files {
            let path: PathBuf = self.path().join(file);
            let bytes = tokio::fs::read(path)
                .await
                .map_err(|error| ResourceError::Write {
                    version: self.version.clone(),
                    cause: error.to_string(),
                })?;
            map.insert(file.clone(), bytes);
        }
        Ok(Arc::new(map))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::{Scratch, TEMPORARY, folder_beside, held_folder, hold, private, remove_left};

    /// What a killed process leaves: the folder, and no lock.
    fn left(scratch: Scratch) -> std::path::PathBuf {
        let Scratch { folder, _held } = scratch;
        let path = folder.keep();
        std::fs::write(path.join("key.pem"), "secret").unwrap();
        path
    }

    #[test]
    fn what_a_killed_process_left_is_gone_at_the_next_start() {
        let data = tempfile::tempdir().unwrap();
        let states = data.path().join("dev.redb");
        let other = folder_beside(&data.path().join("dev.states")).unwrap();
        let killed = left(folder_beside(&states).unwrap());
        let next = folder_beside(&states).unwrap();
        assert!(!killed.exists() && next.path().exists());
        assert!(other.path().exists(), "it is another node's");
        drop(next);
        let place = std::fs::read_dir(data.path().join("dev.redb.files"));
        assert_eq!(place.unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_another_process_took_for_one_that_was_left_is_not_held() {
        let place = tempfile::tempdir().unwrap();
        let folder = private(place.path(), TEMPORARY).unwrap();
        assert!(hold(folder.path()).unwrap().is_some());
        remove_left(place.path(), folder.path().metadata().unwrap().uid()).unwrap();
        assert!(hold(folder.path()).unwrap().is_none());
    }

    #[test]
    fn in_the_place_for_temporary_folders_those_of_living_processes_and_of_others_stay() {
        let place = tempfile::tempdir().unwrap();
        let living = held_folder(place.path()).unwrap();
        let killed = left(held_folder(place.path()).unwrap());
        let open_to_others = place.path().join(format!("{TEMPORARY}x"));
        let of_another_name = private(place.path(), "nervix-").unwrap();
        std::fs::create_dir(&open_to_others).unwrap();
        std::fs::set_permissions(
            &open_to_others,
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        let next = held_folder(place.path()).unwrap();
        assert!(!killed.exists());
        for kept in [
            living.path(),
            next.path(),
            &open_to_others,
            of_another_name.path(),
        ] {
            assert!(kept.exists(), "{}", kept.display());
        }
    }
}
