//! Where a worker keeps its materialized states: one file a node, in the data folder.

use std::{
    io,
    path::{Path, PathBuf},
};

use nervix_data_plane::StatePlace;

use crate::exit::Failure;

/// The folder of the files.
const FOLDER: &str = "states";

/// The file of a node in the data folder.
pub(super) fn in_folder(data: &Path, node: &str) -> StatePlace {
    StatePlace::File(file(data, node))
}

/// Forgets the states of a node that does not run.
pub(super) fn forget(data: &Path, node: &str) -> Result<(), Failure> {
    let file = file(data, node);
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::io(file.display().to_string())(error))
        }
        _ => Ok(()),
    }
}

/// A node's name may have any character; a file's name gets those that are safe everywhere.
fn file(data: &Path, node: &str) -> PathBuf {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = node.chars().map(|c| if safe(c) { c } else { '_' }).collect();
    data.join(FOLDER).join(format!("{name}.redb"))
}
