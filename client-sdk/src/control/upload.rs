//! Uploading a folder as a new version of a resource: one message a file, then its bytes in chunks.
//!
//! Files are read chunk by chunk as the server takes them; symbolic links are refused, since what they name may lie
//! outside the folder.

use std::{
    future::ready,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::{Stream, StreamExt, stream};
use nervix_proto::{
    UPLOAD_CHUNK_BYTES_MAX,
    v1::{
        UploadBegin, UploadFile, UploadResourceRequest, control_client::ControlClient,
        upload_resource_request::Body,
    },
};
use tokio::{fs, io::AsyncReadExt, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

use crate::error::Error;

/// Chunks that are read ahead of the server.
const CHUNKS_AHEAD: usize = 2;
/// The most files of one upload, the same that the server takes.
const FILES_MAX: usize = 10_000;

/// A stored version of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadReply {
    /// Counts from 1.
    pub version: u64,
    /// Lower-case hexadecimal SHA-256 over the files in the order of their paths.
    pub checksum: String,
    /// Bytes of all files.
    pub size_bytes: u64,
}

pub(crate) async fn send(
    mut control: ControlClient<Channel>,
    domain: &str,
    resource: &str,
    folder: &Path,
) -> Result<UploadReply, Error> {
    let files = files_of(folder).await?;
    let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
    let begin = UploadBegin {
        domain: domain.to_owned(),
        resource: resource.to_owned(),
    };
    let complete = Arc::new(AtomicBool::new(false));
    let call = control.upload_resource(requests(receiver, Arc::clone(&complete)));
    let reading = async move {
        read_all(&sender, begin, folder, &files).await?;
        complete.store(true, Ordering::Release);
        Ok::<(), Error>(())
    };
    let call = async { call.await.map_err(Error::from) };
    let ((), reply) = tokio::try_join!(reading, call)?;
    let reply = reply.into_inner();
    Ok(UploadReply {
        version: reply.version,
        checksum: reply.checksum,
        size_bytes: reply.size_bytes,
    })
}

/// What is sent. The end of the stream means that the upload is complete, and it ends as well when a file cannot be read or
/// nobody waits any more: then a request without a body comes last, which the server refuses.
fn requests(
    receiver: mpsc::Receiver<UploadResourceRequest>,
    complete: Arc<AtomicBool>,
) -> impl Stream<Item = UploadResourceRequest> {
    let spoilt = stream::once(async move { complete.load(Ordering::Acquire) })
        .filter_map(|complete| ready((!complete).then(UploadResourceRequest::default)));
    ReceiverStream::new(receiver).chain(spoilt)
}

async fn read_all(
    sender: &mpsc::Sender<UploadResourceRequest>,
    begin: UploadBegin,
    folder: &Path,
    files: &[String],
) -> Result<(), Error> {
    if push(sender, Body::Begin(begin)).await.is_err() {
        return Ok(());
    }
    for path in files {
        if push(sender, Body::File(UploadFile { path: path.clone() }))
            .await
            .is_err()
        {
            return Ok(());
        }
        let full = folder.join(path);
        let mut file = fs::File::open(&full)
            .await
            .map_err(|error| unreadable(&full, &error))?;
        loop {
            let mut chunk = Vec::with_capacity(UPLOAD_CHUNK_BYTES_MAX);
            let limit = UPLOAD_CHUNK_BYTES_MAX as u64;
            let read = (&mut file).take(limit).read_to_end(&mut chunk).await;
            if read.map_err(|error| unreadable(&full, &error))? == 0 {
                break;
            }
            if push(sender, Body::Chunk(chunk.into())).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Fails when the server has ended the call; its status says why.
async fn push(
    sender: &mpsc::Sender<UploadResourceRequest>,
    body: Body,
) -> Result<(), mpsc::error::SendError<UploadResourceRequest>> {
    sender.send(UploadResourceRequest { body: Some(body) }).await
}

/// Relative paths with `/` between parts, sorted.
async fn files_of(folder: &Path) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(relative) = folders.pop() {
        let here = folder.join(&relative);
        let mut entries = fs::read_dir(&here)
            .await
            .map_err(|error| unreadable(&here, &error))?;
        while let Some(entry) = entries
            .next_entry()
            .await
            .map_err(|error| unreadable(&here, &error))?
        {
            let path = relative.join(entry.file_name());
            let kind = entry
                .file_type()
                .await
                .map_err(|error| unreadable(&entry.path(), &error))?;
            let text = path
                .to_str()
                .ok_or_else(|| refuse(&entry.path(), "the name is not UTF-8"))?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && files.len() < FILES_MAX {
                files.push(text.replace(std::path::MAIN_SEPARATOR, "/"));
            } else if kind.is_file() {
                return Err(refuse(folder, "it has more than 10,000 files"));
            } else {
                return Err(refuse(&entry.path(), "it is neither a file nor a folder"));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    refuse(path, &error.to_string())
}

fn refuse(path: &Path, message: &str) -> Error {
    Error::Unreadable {
        path: path.display().to_string(),
        message: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::AtomicBool};

    use futures::StreamExt;
    use nervix_proto::v1::{UploadFile, UploadResourceRequest, upload_resource_request::Body};
    use tokio::sync::mpsc;

    use super::requests;

    async fn sent(complete: bool) -> Vec<UploadResourceRequest> {
        let (sender, receiver) = mpsc::channel(1);
        let body = Some(Body::File(UploadFile { path: "a".into() }));
        let stream = requests(receiver, Arc::new(AtomicBool::new(complete)));
        sender.send(UploadResourceRequest { body }).await.unwrap();
        drop(sender);
        stream.collect().await
    }

    #[tokio::test]
    async fn an_upload_that_is_given_up_does_not_look_complete() {
        assert_eq!(sent(true).await.len(), 1);
        let given_up = sent(false).await;
        assert_eq!(given_up.len(), 2);
        assert_eq!(given_up[1].body, None);
    }
}
