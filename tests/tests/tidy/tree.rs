//! The files of the repository, as git knows them.

use std::path::PathBuf;
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the tests live in the repository")
}

/// Paths, relative to the root, of all files with the extension that git tracks or would track.
pub(crate) fn files(extension: &str) -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files");
    assert!(output.status.success(), "git ls-files failed");
    let suffix = format!(".{extension}");
    let listing = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let found: Vec<String> = listing
        .lines()
        .filter(|path| path.ends_with(&suffix) && root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    assert!(
        !found.is_empty(),
        "no .{extension} file found: is this a git checkout?"
    );
    found
}

/// The text of one file.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether a file holds tests alone.
pub(crate) fn is_test(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "tests" || part == "tests.rs" || part.ends_with("_tests.rs"))
}
