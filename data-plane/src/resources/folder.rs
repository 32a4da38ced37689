//! One folder with the files of one version.
//!
//! Invariant: it is removed when the last holder lets it go.

use std::{
    collections::BTreeMap,
    fs::Permissions,
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use nspl_protobuf::FileMap;
use tempfile::{Builder, TempDir};

use super::{Manifest, ResourceError, VersionId};

/// Only the user of this process.
const PRIVATE: u32 = 0o700;

/// A new folder in the system's place for such ones, which goes when it is dropped.
pub(crate) fn private_folder() -> io::Result<TempDir> {
    private(&std::env::temp_dir(), "nervix-")
}

/// A new folder in a place beside this file of the node, whose holder alone may call it; it goes when it is dropped. What
/// a process that was killed left there goes first: resources may be large, and secret.
pub(crate) fn folder_beside(file: &Path) -> io::Result<TempDir> {
    let mut place = file.as_os_str().to_owned();
    place.push(".files");
    let place = PathBuf::from(place);
    match std::fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::DirBuilder::new().mode(PRIVATE).create(&place)?;
    private(&place, "run-")
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
    use super::folder_beside;

    #[test]
    fn what_a_killed_process_left_is_gone_at_the_next_start() {
        let data = tempfile::tempdir().unwrap();
        let states = data.path().join("dev.redb");
        let other = folder_beside(&data.path().join("dev.states")).unwrap();
        let killed = folder_beside(&states).unwrap().keep();
        std::fs::write(killed.join("key.pem"), "secret").unwrap();
        let next = folder_beside(&states).unwrap();
        assert!(!killed.exists() && next.path().exists());
        assert!(other.path().exists(), "it is another node's");
        drop(next);
        let place = std::fs::read_dir(data.path().join("dev.redb.files"));
        assert_eq!(place.unwrap().count(), 0);
    }
}
