//! Folders that a script uploads, as `check` finds them: relative to the script's own folder (rulings section 1).

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nspl_check::{FileMap, ResourceFiles};

/// The most files of a folder that is looked into.
const FILES_MAX: usize = 10_000;

/// The most bytes of all of them.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The deepest folder below it.
const DEPTH_MAX: usize = 32;

/// Folders beside a script. There is no store: what a script uploads is all that is known.
#[derive(Clone, Debug)]
pub struct Folders {
    base: PathBuf,
}

impl Folders {
    /// Folders relative to that of a file; to the working directory when the file has none, as standard input.
    pub fn beside(file: &str) -> Folders {
        let base = Path::new(file).parent().unwrap_or(Path::new(""));
        Folders {
            base: base.to_owned(),
        }
    }
}

impl ResourceFiles for Folders {
    fn latest(&self, _: &str, _: &str) -> Option<u64> {
        None
    }

    fn stored(&self, _: &str, _: &str, _: u64) -> Result<FileMap, String> {
        Err("there is no store here".to_owned())
    }

    fn folder(&self, folder: &str) -> Result<FileMap, String> {
        let mut reading = Reading::default();
        let path = self.base.join(folder);
        match reading.folder(&path, "", 0) {
            Ok(()) => Ok(Arc::new(reading.files)),
            Err(error) => Err(format!("the folder '{folder}' cannot be read here: {error}")),
        }
    }
}

#[derive(Default)]
struct Reading {
    files: BTreeMap<String, Vec<u8>>,
    bytes: u64,
}

impl Reading {
    /// Takes in a folder; `prefix` is its path below the root with a slash at its end. Links and devices are refused, as
    /// an upload refuses them.
    fn folder(&mut self, path: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        if depth > DEPTH_MAX {
            return Err(past(format!("more than {DEPTH_MAX} folders inside one another")));
        }
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                return Err(past("a name is not UTF-8"));
            };
            let below = format!("{prefix}{name}");
            let path = entry.path();
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.folder(&path, &format!("{below}/"), depth + 1)?;
                continue;
            }
            if !kind.is_file() {
                return Err(past(format!("'{below}' is neither a file nor a folder")));
            }
            let room = BYTES_MAX.saturating_sub(self.bytes);
            let mut bytes = Vec::new();
            fs::File::open(&path)?
                .take(room.saturating_add(1))
                .read_to_end(&mut bytes)?;
            self.bytes = self.bytes.saturating_add(bytes.len() as u64);
            if self.files.len() == FILES_MAX || self.bytes > BYTES_MAX {
                return Err(past(format!("more than {FILES_MAX} files or {BYTES_MAX} bytes")));
            }
            self.files.insert(below, bytes);
        }
        Ok(())
    }
}

fn past(what: impl Into<String>) -> io::Error {
    io::Error::other(what.into())
}

#[cfg(test)]
mod tests {
    use nspl_check::ResourceFiles;

    use super::Folders;

    #[test]
    fn a_folder_is_found_beside_the_script_and_read_with_what_is_below() {
        let crate_root = env!("CARGO_MANIFEST_DIR");
        let folders = Folders::beside(&format!("{crate_root}/script.nspl"));
        let files = folders.folder("src").unwrap();
        assert!(files.contains_key("folders.rs") && files.contains_key("render/narrow.rs"));
        assert!(
            folders
                .folder("nothing")
                .unwrap_err()
                .contains("'nothing' cannot be read")
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_an_upload_refuses_is_refused_here() {
        let root = tempfile::tempdir().unwrap();
        let folders = Folders::beside(&root.path().join("script.nspl").to_string_lossy());
        let refused = |folder: &str| folders.folder(folder).unwrap_err();
        std::fs::create_dir_all(root.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.path().join("linked/a.proto")).unwrap();
        assert!(refused("linked").contains("'a.proto' is neither a file nor a folder"));
        let deepest = vec!["d"; super::DEPTH_MAX + 1].join("/");
        std::fs::create_dir_all(root.path().join("deep").join(&deepest)).unwrap();
        assert!(refused("deep").contains("more than 32 folders inside one another"));
        std::fs::create_dir_all(root.path().join("large")).unwrap();
        let large = std::fs::File::create(root.path().join("large/a.proto")).unwrap();
        large.set_len(super::BYTES_MAX + 1).unwrap();
        assert!(refused("large").contains("67108864 bytes"));
    }
}
