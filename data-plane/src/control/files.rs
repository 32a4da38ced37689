//! Files of resources, read from the control plane over a connection of their own.

use std::time::Duration;

use futures::{FutureExt, StreamExt, future::BoxFuture};
use nervix_clock::PhysicalClock;
use nervix_listener::cause;
use nervix_proto::{
    WORKER_MESSAGE_BYTES_MAX,
    worker::v1::{ReadResourceRequest, read_resource_response::Body, workers_client::WorkersClient},
};

use super::Way;
use crate::resources::{Contents, Manifest, Origin, ResourceError, VersionId};

/// How long the control plane may take to begin a version.
const BEGIN_BOUND: Duration = Duration::from_secs(10);

/// Reads from the control plane of this worker.
pub(crate) struct ControlPlaneFiles {
    pub(crate) way: Way,
    pub(crate) clock: PhysicalClock,
}

impl Origin for ControlPlaneFiles {
    fn read(&self, version: &VersionId) -> BoxFuture<'static, Result<(Manifest, Contents), ResourceError>> {
        let (way, clock, version) = (self.way.clone(), self.clock.clone(), version.clone());
        async move {
            let late = || unread(&version, "it does not answer");
            let begun = clock.timeout(BEGIN_BOUND, begin(way, version.clone())).await;
            begun.map_err(|_| late())?
        }
        .boxed()
    }
}

async fn begin(way: Way, version: VersionId) -> Result<(Manifest, Contents), ResourceError> {
    let channel = way.connect().await;
    let channel = channel.map_err(|error| unread(&version, &cause(&error)))?;
    let mut client = WorkersClient::new(channel).max_decoding_message_size(WORKER_MESSAGE_BYTES_MAX);
    let request = ReadResourceRequest {
        domain: version.domain.to_string(),
        resource: version.resource.clone(),
        version: version.version,
    };
    let refused = |status: tonic::Status| unread(&version, status.message());
    let mut stream = client.read_resource(request).await.map_err(refused)?.into_inner();
    let first = stream
        .message()
        .await
        .map_err(refused)?
        .and_then(|message| message.body);
    let Some(Body::Manifest(manifest)) = first else {
        return Err(unread(&version, "what it sends does not begin with a manifest"));
    };
    let files = manifest
        .files
        .into_iter()
        .map(|file| (file.path, file.size_bytes));
    let manifest = Manifest {
        checksum: manifest.checksum,
        files: files.collect(),
    };
    let contents = stream.map(move |message| match message {
        Ok(message) => match message.body {
            Some(Body::Chunk(chunk)) => Ok(chunk.into()),
            _ => Err(unread(&version, "it sends something else than a chunk")),
        },
        Err(status) => Err(unread(&version, status.message())),
    });
    Ok((manifest, contents.boxed()))
}

fn unread(version: &VersionId, cause: &str) -> ResourceError {
    ResourceError::Origin {
        version: version.clone(),
        cause: cause.to_owned(),
    }
}
