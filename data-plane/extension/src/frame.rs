//! Jobs and answers on the pipes: a length in eight bytes, the least first, and so many bytes.

use std::io::{self, Read, Write};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// What is taken for a length that no job has.
const FRAME_BYTES_MAX: u64 = 4 << 30;

/// The process reads a job; none when there will be no more.
pub(crate) fn read(input: &mut impl Read) -> io::Result<Option<Bytes>> {
    let mut length = [0; 8];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = checked(u64::from_le_bytes(length), FRAME_BYTES_MAX)?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes.into()))
}

/// The process writes an answer.
pub(crate) fn write(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    output.write_all(&(bytes.len() as u64).to_le_bytes())?;
    output.write_all(bytes)?;
    output.flush()
}

/// The node sends a job.
pub(crate) async fn send(output: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    output.write_all(&(bytes.len() as u64).to_le_bytes()).await?;
    output.write_all(bytes).await?;
    output.flush().await
}

/// The node receives an answer of at most `most` bytes.
pub(crate) async fn receive(input: &mut (impl AsyncRead + Unpin), most: u64) -> io::Result<Bytes> {
    let length = checked(input.read_u64_le().await?, most)?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).await?;
    Ok(bytes.into())
}

fn checked(length: u64, most: u64) -> io::Result<usize> {
    let length = usize::try_from(length).ok().filter(|_| length <= most);
    length.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
}
