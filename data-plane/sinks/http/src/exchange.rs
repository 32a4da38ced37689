//! A request goes out and final headers come in, on one connection.
//!
//! Both happen at once: an endpoint may answer before it has read the whole request, and what it answers then counts. A
//! send that fails is told only when no final headers came in spite of it.

use std::io;
use std::pin::pin;

use bytes::{Buf, Bytes};
use futures::FutureExt;
use futures::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, WriteHalf};

use crate::fault::AttemptFault;
use crate::head::{FinalHead, HeadReader};

/// Sends `head` and `body` over `stream` and reads until the final headers are complete.
pub(crate) async fn exchange<S>(stream: &mut S, head: Bytes, body: Bytes) -> Result<FinalHead, AttemptFault>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut reader, mut writer) = tokio::io::split(stream);
    let mut heads = HeadReader::default();
    let sending = pin!(send(&mut writer, head, body));
    let reading = pin!(heads.read_final(&mut reader));
    match select(sending, reading).await {
        Either::Left((Ok(()), reading)) => reading.await,
        Either::Left((Err(error), reading)) => match reading.await {
            Err(fault) if fault.is_loss() => Err(AttemptFault::send(&error)),
            answered => answered,
        },
        Either::Right((answered, _)) => answered,
    }
}

/// What ends TLS in good order, if it leaves at once; nothing is waited for. Without TLS closing says the same.
pub(crate) fn farewell<S: AsyncWrite + Unpin>(stream: &mut S) {
    if let Some(Err(error)) = stream.shutdown().now_or_never() {
        // The connection is gone already, and the answer stands.
        drop(error);
    }
}

async fn send<S: AsyncWrite>(writer: &mut WriteHalf<S>, head: Bytes, body: Bytes) -> io::Result<()> {
    writer.write_all_buf(&mut head.chain(body)).await?;
    writer.flush().await
}
