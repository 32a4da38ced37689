//! Reading the files of a stored version; its checksum tells whether they are what was uploaded.

use std::collections::BTreeMap;

use bytes::{Buf, Bytes};
use nervix_resource::resource_checksum;
use nervix_store::{BlobId, Store, StoreError};
use sha2::{Digest, Sha256};

use super::resource::ResourceVersion;

/// The bytes of every file of a version, by its path. All of them are in memory at once: look at its size before.
///
/// # Errors
/// [`StoreError::Corrupt`] when they are not what was uploaded, and whatever reading a chunk comes to.
pub(crate) async fn read_files(
    store: &dyn Store,
    version: &ResourceVersion,
) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let blob = BlobId::new(version.blob.as_str())?;
    let (mut chunk, mut index) = (Bytes::new(), 0);
    let mut files = BTreeMap::new();
    let mut hashes = BTreeMap::new();
    for file in &version.files {
        let mut bytes = Vec::new();
        let mut left = file.size_bytes;
        while left > 0 {
            if chunk.is_empty() {
                chunk = store.chunk(blob.clone(), index).await?;
                index += 1;
            }
            let here = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
            if here == 0 {
                return Err(damaged(version));
            }
            bytes.extend_from_slice(chunk.get(..here).unwrap_or_default());
            chunk.advance(here);
            left -= here as u64;
        }
        hashes.insert(file.path.clone(), Sha256::new_with_prefix(&bytes));
        files.insert(file.path.clone(), bytes);
    }
    if resource_checksum(hashes) == version.checksum {
        Ok(files)
    } else {
        Err(damaged(version))
    }
}

fn damaged(version: &ResourceVersion) -> StoreError {
    StoreError::Corrupt {
        what: format!("blob {} is not what its checksum says", version.blob),
    }
}

#[cfg(test)]
mod tests {
    use nervix_store::{BLOB_CHUNK_BYTES_MAX, BlobId, EmbeddedStore, Store};
    use sha2::{Digest, Sha256};

    use nervix_resource::resource_checksum;

    use super::read_files;
    use crate::catalog::{ResourceFile, ResourceVersion};

    #[tokio::test]
    async fn files_come_back_over_the_ends_of_chunks_and_damage_is_noticed() {
        let store = EmbeddedStore::in_memory().unwrap();
        let blob = BlobId::new("b").unwrap();
        let contents = [
            ("z", vec![1; BLOB_CHUNK_BYTES_MAX - 1]),
            ("a", b"xyz".to_vec()),
            ("empty", Vec::new()),
        ];
        let all: Vec<u8> = contents.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        for (index, chunk) in (0..).zip(all.chunks(BLOB_CHUNK_BYTES_MAX)) {
            let chunk = chunk.to_vec().into();
            store.put_chunk(blob.clone(), index, chunk).await.unwrap();
        }
        let hashes = contents
            .iter()
            .map(|(path, bytes)| ((*path).to_owned(), Sha256::new_with_prefix(bytes)));
        let version = ResourceVersion {
            checksum: resource_checksum(hashes.collect()),
            blob: "b".to_owned(),
            files: contents
                .iter()
                .map(|(path, bytes)| ResourceFile {
                    path: (*path).to_owned(),
                    size_bytes: bytes.len() as u64,
                })
                .collect(),
        };
        let files = read_files(&store, &version).await.unwrap();
        assert_eq!(files.len(), 3);
        for (path, bytes) in &contents {
            assert_eq!(files.get(*path), Some(bytes), "{path}");
        }
        let other = ResourceVersion {
            checksum: "00".repeat(32),
            ..version.clone()
        };
        assert!(read_files(&store, &other).await.is_err());
        let mut longer = version;
        longer.files[1].size_bytes += 1;
        assert!(read_files(&store, &longer).await.is_err());
    }
}
