//! The streamed upload of a resource. One that breaks off, is refused or cannot be committed leaves nothing in the store.
//!
//! Invariant: a version is committed only when `end` has come and its totals are those of what came before it; the end of
//! the stream alone says nothing, since a client that gives up can end it as well. What is ended before it is committed is
//! ABORTED: UNAVAILABLE and DEADLINE_EXCEEDED would leave open whether it was stored.

use std::time::Duration;

use nervix_listener::{invalid, unreadable};
use nervix_proto::{
    UPLOAD_CHUNK_BYTES_MAX,
    v1::{UploadResourceRequest, UploadResourceResponse, upload_resource_request::Body},
};
use nervix_store::StoreError;
use tonic::{Status, Streaming};

use super::{Stopping, refused};
use crate::{
    catalog::LoadError,
    change::{Changes, Upload, UploadError},
};

/// How long an upload may say nothing.
const SILENCE_MAX: Duration = Duration::from_secs(60);
const SILENT: &str = "the upload was cut off: nothing came for 60 s; send it again";

/// How long an upload may take: well below the age at which what was stored of it would count as left behind.
const UPLOAD_TIME_MAX: Duration = Duration::from_secs(6 * 3600);

pub(super) async fn receive(
    changes: &Changes,
    mut stream: Streaming<UploadResourceRequest>,
    stopping: Stopping,
) -> Result<UploadResourceResponse, Status> {
    let first = next(changes, &mut stream).await?.and_then(|request| request.body);
    let Some(Body::Begin(begin)) = first else {
        return Err(Status::invalid_argument("an upload begins with `begin`"));
    };
    let mut upload = changes
        .upload(begin.domain, begin.resource)
        .await
        .map_err(status)?;
    // What ends here is not yet committed: the files are taken in first.
    let taken = tokio::select! {
        taken = take(changes, &mut upload, &mut stream) => taken,
        () = changes.clock.sleep(UPLOAD_TIME_MAX) => Err(Status::aborted("an upload lasts at most 6 hours")),
        () = stopping => Err(Status::aborted("this control plane stops: send it again")),
    };
    let finished = match taken {
        Ok(()) => upload.finish().await.map_err(status),
        Err(refused) => Err(refused),
    };
    match finished {
        Ok(stored) => Ok(UploadResourceResponse {
            version: stored.version,
            checksum: stored.checksum,
            size_bytes: stored.size_bytes,
        }),
        Err(refused) => {
            upload.abandon().await;
            Err(refused)
        }
    }
}

async fn take(
    changes: &Changes,
    upload: &mut Upload,
    stream: &mut Streaming<UploadResourceRequest>,
) -> Result<(), Status> {
    while let Some(request) = next(changes, stream).await? {
        match request.body {
            Some(Body::File(file)) => upload.file(file.path).map_err(status)?,
            Some(Body::Chunk(chunk)) if chunk.len() <= UPLOAD_CHUNK_BYTES_MAX => {
                upload.chunk(&chunk).await.map_err(status)?;
            }
            Some(Body::Chunk(chunk)) => {
                let sizes = format!(
                    "a chunk of {} bytes; the most is {UPLOAD_CHUNK_BYTES_MAX}",
                    chunk.len()
                );
                return Err(Status::invalid_argument(sizes));
            }
            Some(Body::End(end)) => {
                upload.check(end.files, end.size_bytes).map_err(status)?;
                return match next(changes, stream).await? {
                    None => Ok(()),
                    Some(_) => Err(Status::invalid_argument("nothing comes behind `end`")),
                };
            }
            Some(Body::Begin(_)) => return Err(Status::invalid_argument("`begin` comes once, and first")),
            None => return Err(Status::invalid_argument("an upload request without a body")),
        }
    }
    Err(Status::invalid_argument(
        "the upload was cut off: its stream ended before `end`; send it again",
    ))
}

/// The next message of an upload; its client may not be silent for longer than [`SILENCE_MAX`].
async fn next(
    changes: &Changes,
    stream: &mut Streaming<UploadResourceRequest>,
) -> Result<Option<UploadResourceRequest>, Status> {
    let message = changes.clock.timeout(SILENCE_MAX, stream.message()).await;
    message.map_err(|_| Status::aborted(SILENT))?.map_err(malformed)
}

/// A message that cannot be read, such as one with a path that is no UTF-8, is the client's fault, not this server's.
fn malformed(status: Status) -> Status {
    unreadable(&status).map(invalid).unwrap_or(status)
}

fn status(error: UploadError) -> Status {
    let message = error.to_string();
    match error {
        UploadError::NoResource(_) => refused::not_found(&message),
        UploadError::Path { .. }
        | UploadError::Twice { .. }
        | UploadError::FileAndFolder { .. }
        | UploadError::Order(_)
        | UploadError::Totals { .. } => refused::invalid(&message),
        UploadError::TooLarge | UploadError::Busy => Status::resource_exhausted(message),
        UploadError::Load(LoadError::Store(StoreError::Unknown { .. })) => Status::unavailable(message),
        UploadError::Load(_) => Status::aborted(message),
    }
}
