//! Files that hold what the code says: compared, or written when `NSPL_WRITE` is set.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of a file, by its path from the root.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below a folder that have an extension: paths from the root, sorted.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    for entry in entries {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&path, extension));
        } else if path.ends_with(&format!(".{extension}")) {
            found.push(path);
        }
    }
    found.sort_unstable();
    found
}

#[expect(
    clippy::disallowed_methods,
    reason = "whether to write is a setting of this test executable"
)]
fn is_writing() -> bool {
    std::env::var("NSPL_WRITE").is_ok()
}

/// Files as they have to be.
#[derive(Default)]
pub(crate) struct Golden {
    expected: BTreeSet<String>,
    stale: Vec<String>,
}

impl Golden {
    /// A file and its text.
    pub(crate) fn file(&mut self, path: &str, text: &str) {
        self.expected.insert(path.to_owned());
        let old = fs::read_to_string(root().join(path)).unwrap_or_default();
        if old == text {
            return;
        }
        if is_writing() {
            fs::create_dir_all(root().join(path).parent().unwrap()).unwrap();
            fs::write(root().join(path), text).unwrap();
            return;
        }
        let differs = old.lines().zip(text.lines()).find(|(old, new)| old != new);
        let (old, new) = differs.unwrap_or(("(an end)", "(another end)"));
        self.stale.push(format!("{path}\n  has   {old}\n  wants {new}"));
    }

    /// A file that is there and is not written here.
    pub(crate) fn kept(&mut self, path: &str) {
        self.expected.insert(path.to_owned());
        assert!(!read(path).is_empty(), "{path} is empty");
    }

    /// Nothing else has the extension below the folder, and all that was given is as it has to be.
    pub(crate) fn finish(mut self, folder: &str, extension: &str) {
        for path in files(folder, extension) {
            if !self.expected.contains(&path) && is_writing() {
                fs::remove_file(root().join(&path)).unwrap();
            } else if !self.expected.contains(&path) {
                self.stale.push(format!("{path}\n  has no source"));
            }
        }
        self.check();
    }

    /// All that was given is as it has to be.
    pub(crate) fn check(self) {
        assert!(
            self.stale.is_empty(),
            "stale: make docs writes them; read the difference\n{}",
            self.stale.join("\n")
        );
    }
}
