//! Handing the files of a stored version to a worker, chunk by chunk as the store has them.
//!
//! Nothing is judged here: whoever puts the files together finds by the checksum whether they are what was uploaded. A
//! version that the catalog does not know yet may come with the next change, so its lack is told as unavailable.

use std::sync::Arc;

use futures::stream::{self, BoxStream, StreamExt};
use nervix_proto::worker::v1::{
    ReadResourceRequest, ReadResourceResponse, ResourceFile, ResourceManifest, read_resource_response::Body,
};
use nervix_store::{BlobId, Store, StoreError};
use tonic::Status;

use super::Stopping;
use crate::catalog::ResourceVersion;
use crate::change::Changes;

/// The messages of one version.
pub(super) type Files = BoxStream<'static, Result<ReadResourceResponse, Status>>;

pub(super) fn read(
    changes: &Changes,
    request: &ReadResourceRequest,
    stopping: Stopping,
) -> Result<Files, Status> {
    let ReadResourceRequest {
        domain,
        resource,
        version,
    } = request;
    let state = changes.catalog.state();
    let stored = state
        .resource_version(domain, resource, *version)
        .ok_or_else(|| {
            Status::unavailable(format!(
                "version {version} of RESOURCE {resource} of domain {domain} is not known here"
            ))
        })?;
    let blob = BlobId::new(stored.blob.as_str()).map_err(|error| unread(&error))?;
    let manifest = ReadResourceResponse {
        body: Some(Body::Manifest(manifest(&stored))),
    };
    let store = Arc::clone(changes.catalog.store());
    let chunks = stream::try_unfold((store, blob, 0, stored.size_bytes()), next_chunk);
    let messages = stream::once(async { Ok(manifest) }).chain(chunks);
    Ok(messages.take_until(stopping).boxed())
}

/// Where the reading of a blob has come: the store, the blob, the next chunk, and the bytes that are left.
type Place = (Arc<dyn Store>, BlobId, u32, u64);

async fn next_chunk(
    (store, blob, index, left): Place,
) -> Result<Option<(ReadResourceResponse, Place)>, Status> {
    if left == 0 {
        return Ok(None);
    }
    let chunk = store
        .chunk(blob.clone(), index)
        .await
        .map_err(|error| unread(&error))?;
    let left = match chunk.len() as u64 {
        0 => 0,
        bytes => left.saturating_sub(bytes),
    };
    let message = ReadResourceResponse {
        body: Some(Body::Chunk(chunk.into())),
    };
    Ok(Some((message, (store, blob, index + 1, left))))
}

fn manifest(version: &ResourceVersion) -> ResourceManifest {
    let files = version.files.iter().map(|file| ResourceFile {
        path: file.path.clone(),
        size_bytes: file.size_bytes,
    });
    ResourceManifest {
        checksum: version.checksum.clone(),
        files: files.collect(),
    }
}

fn unread(error: &StoreError) -> Status {
    Status::unavailable(format!("the store cannot be read: {error}"))
}
