//! Writing a version into a folder of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Component, Path},
};

use bytes::Bytes;
use futures::StreamExt;
use nervix_resource::resource_checksum;
use sha2::{Digest, Sha256};
use tokio::{
    fs::{File, create_dir_all},
    io::AsyncWriteExt,
};

use super::{Contents, Folder, Manifest, ResourceError, VersionId, folder::private};

/// Writes the files and checks that they are what was uploaded. What ends early leaves nothing.
pub(super) async fn fetch(
    version: &VersionId,
    manifest: &Manifest,
    contents: Contents,
    place: &Path,
) -> Result<Folder, ResourceError> {
    let unwritten = |error: io::Error| ResourceError::Write {
        version: version.clone(),
        cause: error.to_string(),
    };
    let damaged = || ResourceError::Damaged(version.clone());
    let mut paths = BTreeSet::new();
    if !manifest
        .files
        .iter()
        .all(|(path, _)| is_below(path) && paths.insert(path))
    {
        return Err(damaged());
    }
    let folder = private(place, "resource-").map_err(unwritten)?;
    let mut bytes = Reading {
        contents,
        chunk: Bytes::new(),
    };
    let mut hashes = BTreeMap::new();
    for (path, size) in &manifest.files {
        let target = folder.path().join(path);
        if let Some(parent) = target.parent() {
            create_dir_all(parent).await.map_err(unwritten)?;
        }
        let mut file = File::create(&target).await.map_err(unwritten)?;
        let mut hash = Sha256::new();
        let mut left = *size;
        while left > 0 {
            let part = bytes.next(left).await?.ok_or_else(damaged)?;
            hash.update(&part);
            file.write_all(&part).await.map_err(unwritten)?;
            left -= part.len() as u64;
        }
        file.flush().await.map_err(unwritten)?;
        hashes.insert(path.clone(), hash);
    }
    if resource_checksum(hashes) != manifest.checksum || bytes.next(1).await?.is_some() {
        return Err(damaged());
    }
    Ok(Folder::new(version.clone(), manifest, folder))
}

/// Whether a path stays below its folder.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// The bytes as they come.
struct Reading {
    contents: Contents,
    chunk: Bytes,
}

impl Reading {
    /// The next bytes, at most `most`; none at the end.
    async fn next(&mut self, most: u64) -> Result<Option<Bytes>, ResourceError> {
        while self.chunk.is_empty() {
            match self.contents.next().await {
                Some(chunk) => self.chunk = chunk?,
                None => return Ok(None),
            }
        }
        let here = usize::try_from(most).map_or(self.chunk.len(), |most| most.min(self.chunk.len()));
        Ok(Some(self.chunk.split_to(here)))
    }
}
