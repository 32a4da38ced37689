//! Uploading a folder as a new version of a resource: one message a file, then its bytes in chunks, and their totals last.
//!
//! Files are read chunk by chunk as the server takes them; symbolic links are refused, since what they name may lie
//! outside the folder. Invariant: the totals are sent only when every file was read whole, so that an upload which is
//! given up on the way never looks complete.

use std::path::{Path, PathBuf};

use nervix_proto::{
    UPLOAD_CHUNK_BYTES_MAX,
    v1::{
        UploadBegin, UploadEnd, UploadFile, UploadResourceRequest, UploadResourceResponse,
        control_client::ControlClient, upload_resource_request::Body,
    },
};
use tokio::{fs, io::AsyncReadExt, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Response, Status, transport::Channel};

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

/// Sends the folder; the inner result is what the server says.
pub(crate) async fn send(
    mut control: ControlClient<Channel>,
    domain: &str,
    resource: &str,
    folder: &Path,
) -> Result<Result<Response<UploadResourceResponse>, Status>, Error> {
    let files = files_of(folder).await?;
    let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
    let begin = UploadBegin {
        domain: domain.to_owned(),
        resource: resource.to_owned(),
    };
    let call = control.upload_resource(ReceiverStream::new(receiver));
    let reading = async move { read_all(&sender, begin, folder, &files).await };
    let call = async { Ok(call.await) };
    let ((), reply) = tokio::try_join!(reading, call)?;
    Ok(reply)
}

impl From<UploadResourceResponse> for UploadReply {
    fn from(reply: UploadResourceResponse) -> Self {
        UploadReply {
            version: reply.version,
            checksum: reply.checksum,
            size_bytes: reply.size_bytes,
        }
    }
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
    let mut totals = UploadEnd::default();
    for path in files {
        totals.files += 1;
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
            totals.size_bytes += chunk.len() as u64;
            if push(sender, Body::Chunk(chunk.into())).await.is_err() {
                return Ok(());
            }
        }
    }
    // Refused only when the server has ended the call; its status says why.
    drop(push(sender, Body::End(totals)).await);
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
    use nervix_proto::v1::{UploadBegin, UploadEnd, upload_resource_request::Body};
    use tokio::sync::mpsc;

    use super::read_all;

    /// The bodies that are sent for these files, of which `a` holds three bytes and nothing else is there.
    async fn sent(files: &[&str]) -> Vec<Body> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let (sender, mut receiver) = mpsc::channel(16);
        let read = read_all(&sender, UploadBegin::default(), folder.path(), &files).await;
        assert_eq!(read.is_ok(), files.len() == 1);
        drop(sender);
        let mut bodies = Vec::new();
        while let Some(request) = receiver.recv().await {
            bodies.extend(request.body);
        }
        bodies
    }

    #[tokio::test]
    async fn the_totals_come_last_and_only_when_all_was_read() {
        let totals = UploadEnd {
            files: 1,
            size_bytes: 3,
        };
        assert_eq!(sent(&["a"]).await.pop(), Some(Body::End(totals)));
        let given_up = sent(&["a", "gone"]).await;
        assert!(
            given_up.iter().all(|body| !matches!(body, Body::End(_))),
            "{given_up:?}"
        );
    }
}
