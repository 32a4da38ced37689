//! Reading what an emitter delivers (flight.md "Consuming").
//!
//! A [`Consumer`] is an async stream of [`Delivery`] items. Each is answered once: [`Delivery::ack`], [`Delivery::retry`]
//! or [`Delivery::reject`]; dropping it unanswered is a retry. At most `window` deliveries are with the application at a
//! time, buffered or in its hands: credit is granted as they are answered. A broken stream is opened again; deliveries of
//! the old one are revoked then, and answers whose outcome was not heard yet are asked again.
//!
//! It does not decide when work is done: only an ack does, and only the server's outcome says that it counted.

mod builder;
mod delivery;
mod ledger;
mod session;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use arrow::datatypes::SchemaRef;
use futures::Stream;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

use self::ledger::Desk;
pub use self::{
    builder::ConsumerBuilder,
    delivery::{Delivery, Outcome, Receipt, Revocation},
};
use crate::{error::Error, pause};

/// How long [`Consumer::close`] waits for the outcomes of answers.
const CLOSE_PATIENCE: Duration = Duration::from_secs(10);

/// An open consumer. Dropping it gives everything unanswered back to the emitter; [`Consumer::close`] does so in order.
///
/// ```no_run
/// # use nervix_client::{Client, Error, Outcome, arrow::array::RecordBatch};
/// # fn store(_: &RecordBatch) -> Result<(), bool> { Ok(()) }
/// # async fn example(client: Client) -> Result<(), Error> {
/// use futures::StreamExt;
///
/// let mut consumer = client.consumer("shop", "large_orders").open().await?;
/// while let Some(delivery) = consumer.next().await {
///     let delivery = delivery?;
///     let receipt = match store(delivery.batch()) {
///         Ok(()) => delivery.ack(),
///         Err(true) => delivery.retry(),                      // again, after the emitter's backoff
///         Err(false) => delivery.reject("bad-customer")?,     // follows ON MESSAGE ERROR
///     };
///     // The answer is on its way; waiting for its outcome is optional.
///     if receipt.await? == Outcome::Stale {
///         eprintln!("another consumer has this batch now");
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Consumer {
    deliveries: mpsc::Receiver<Result<Delivery, Error>>,
    schema: SchemaRef,
    desk: Arc<Desk>,
    trouble: watch::Receiver<Option<String>>,
    task: JoinSet<()>,
}

impl Consumer {
    /// The schema of every batch. When a replacement of the emitter changes it, the stream ends with an error.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Why nothing moves at the moment, such as a lost connection; `None` while the stream is up.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.trouble.borrow().clone()
    }

    /// Sends what was answered, waits up to 10 s for its outcomes and ends the stream. What is buffered goes back to the
    /// emitter, and what the application still holds is revoked.
    ///
    /// # Errors
    /// [`Error::Closed`] when outcomes were still missing: those answers may or may not have counted.
    pub async fn close(mut self) -> Result<(), Error> {
        self.deliveries.close();
        // A buffered delivery that is dropped is a retry.
        while self.deliveries.recv().await.is_some() {}
        self.desk.close();
        let deadline = pause::now() + CLOSE_PATIENCE;
        tokio::select! {
            _ended = self.task.join_next() => {}
            () = pause::until(Some(deadline)) => {}
        }
        if self.desk.is_settled() {
            Ok(())
        } else {
            Err(Error::Closed)
        }
    }
}

impl Stream for Consumer {
    type Item = Result<Delivery, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.deliveries.poll_recv(cx) {
                // Taken back while it was buffered: its room becomes credit only now, so that a consumer that does not
                // come for its batches is not given them again and again.
                Poll::Ready(Some(Ok(delivery))) if delivery.revocation().is_some() => drop(delivery),
                other => return other,
            }
        }
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        self.desk.abandon();
    }
}
