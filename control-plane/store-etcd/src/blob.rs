//! Blobs: each chunk under a key of its own, in pieces that etcd takes.

use bytes::{Bytes, BytesMut};
use nervix_store::{BLOB_CHUNK_BYTES_MAX, BlobId, StoreError};

use crate::{
    EtcdStore,
    connection::Failure,
    layout::{CHUNK_BYTES, Layout, unreadable},
};

/// Pieces of one chunk.
const PIECES: usize = BLOB_CHUNK_BYTES_MAX.div_ceil(CHUNK_BYTES);

impl EtcdStore {
    pub(crate) async fn put_blob_chunk(
        &self,
        blob: BlobId,
        index: u32,
        chunk: Bytes,
    ) -> Result<(), StoreError> {
        if chunk.len() > BLOB_CHUNK_BYTES_MAX {
            let (what, bytes) = ("a blob's chunk", chunk.len());
            return Err(StoreError::TooLarge {
                what,
                bytes,
                max: BLOB_CHUNK_BYTES_MAX,
            });
        }
        let prefix = self.chunk_prefix(&blob, index);
        // A longer chunk may have been stored before under the same name.
        for piece in 0..PIECES {
            let begin = (piece * CHUNK_BYTES).min(chunk.len());
            let end = (begin + CHUNK_BYTES).min(chunk.len());
            let written = self
                .connection
                .put(Layout::chunk(&prefix, piece), chunk.slice(begin..end).to_vec())
                .await;
            written.map_err(|failure| self.connection.unavailable(failure))?;
        }
        Ok(())
    }

    pub(crate) async fn blob_chunk(&self, blob: BlobId, index: u32) -> Result<Bytes, StoreError> {
        let prefix = self.chunk_prefix(&blob, index);
        let page = self
            .connection
            .range(prefix.clone(), format!("{prefix}~"), 0)
            .await;
        let page = page.map_err(|failure| self.connection.unavailable(failure))?;
        if page.entries.len() < PIECES {
            return Err(StoreError::NoChunk {
                blob: blob.to_string(),
                index,
            });
        }
        let mut bytes = BytesMut::new();
        for (_, piece, _) in &page.entries {
            bytes.extend_from_slice(piece);
        }
        Ok(bytes.freeze())
    }

    pub(crate) async fn all_blobs(&self) -> Result<Vec<BlobId>, StoreError> {
        let from = self.layout.blobs();
        let page = self.connection.keys(from.clone(), format!("{from}~"), 0).await;
        let page = page.map_err(|failure: Failure| self.connection.unavailable(failure))?;
        let mut blobs: Vec<BlobId> = Vec::new();
        for (key, _, _) in &page.entries {
            let name = key.strip_prefix(&from).and_then(|rest| rest.split('/').next());
            let blob = BlobId::new(name.ok_or_else(|| unreadable(key))?)?;
            if blobs.last() != Some(&blob) {
                blobs.push(blob);
            }
        }
        blobs.sort();
        blobs.dedup();
        Ok(blobs)
    }

    pub(crate) async fn drop_blob(&self, blob: BlobId) -> Result<(), StoreError> {
        let prefix = self.layout.blob(&blob);
        let removed = self
            .connection
            .remove_range(prefix.clone(), format!("{prefix}~"))
            .await;
        removed.map_err(|failure| self.connection.unavailable(failure))
    }

    fn chunk_prefix(&self, blob: &BlobId, index: u32) -> String {
        format!("{}{index:010}/", self.layout.blob(blob))
    }
}
