//! One connection, driven by whoever uses it.
//!
//! Invariant: the connection moves only while something is asked of it, so nothing of it is left when that is dropped. An
//! unused one notices its end when it is looked at. Notices of the server are not read: they may quote rows.

use std::collections::VecDeque;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use futures::task::noop_waker_ref;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Connection, Error, SimpleQueryMessage, Statement};

use crate::bounded::Quotable;
use crate::limits::STATEMENTS_MAX;

/// A session of the server.
pub(crate) struct Session {
    client: Client,
    /// None when it has ended.
    wire: Option<Box<dyn Wire>>,
    /// Statements that the server has read; the one that was used last is at the back.
    prepared: VecDeque<(Box<str>, Statement)>,
    /// What the server may quote.
    quotable: Quotable,
}

/// The side of a connection that reads and writes.
trait Wire: Send {
    /// Moves what there is to move; ready when the connection has ended.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<Error>>;
}

impl<S, T> Wire for Connection<S, T>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    T: AsyncRead + AsyncWrite + Unpin + Send,
{
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<Error>> {
        loop {
            match ready!(self.poll_message(cx)) {
                Some(Ok(_notice)) => {}
                Some(Err(error)) => return Poll::Ready(Some(error)),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl Session {
    pub(crate) fn new<S, T>(client: Client, connection: Connection<S, T>, quotable: Quotable) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Self {
            client,
            wire: Some(Box::new(connection)),
            prepared: VecDeque::new(),
            quotable,
        }
    }

    /// Whether it has not ended, as far as can be seen.
    pub(crate) fn is_alive(&mut self) -> bool {
        let Some(wire) = &mut self.wire else { return false };
        let mut cx = Context::from_waker(noop_waker_ref());
        if wire.poll_end(&mut cx).is_ready() {
            self.wire = None;
        }
        self.wire.is_some()
    }

    /// Runs statements that give no rows.
    pub(crate) async fn run(&mut self, statements: &str) -> Result<(), Error> {
        drive(&mut self.wire, self.client.batch_execute(statements)).await
    }

    /// Whether the server refuses writes, since it is a standby or was told to.
    pub(crate) async fn is_read_only(&mut self) -> Result<bool, Error> {
        let question = self.client.simple_query("SHOW transaction_read_only");
        let answered = drive(&mut self.wire, question).await?;
        let says_on = |message| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some("on"));
        Ok(answered.into_iter().any(says_on))
    }

    /// Runs a statement that gives one text, or none.
    pub(crate) async fn text(&mut self, statement: &str) -> Result<Option<String>, Error> {
        let row = drive(&mut self.wire, self.client.query_one(statement, &[])).await?;
        row.try_get(0)
    }

    /// Has the server read a statement, and tell of its columns.
    pub(crate) async fn describe(&mut self, statement: &str) -> Result<Statement, Error> {
        drive(&mut self.wire, self.client.prepare(statement)).await
    }

    /// Runs one statement with its parameters, of so many bytes, as a transaction of its own. The server reads it once.
    pub(crate) async fn execute(
        &mut self,
        statement: &str,
        (parameters, bytes): (&[&(dyn ToSql + Sync)], u64),
    ) -> Result<u64, Error> {
        self.quotable.set(bytes);
        let prepared = self.prepare(statement).await?;
        drive(&mut self.wire, self.client.execute(&prepared, parameters)).await
    }

    /// The statement as the server has read it, now or before.
    async fn prepare(&mut self, statement: &str) -> Result<Statement, Error> {
        let known = self.prepared.iter().rposition(|(text, _)| **text == *statement);
        let (text, read) = match known.and_then(|at| self.prepared.remove(at)) {
            Some(known) => known,
            None => (statement.into(), self.describe(statement).await?),
        };
        if self.prepared.len() >= STATEMENTS_MAX {
            self.prepared.pop_front();
        }
        self.prepared.push_back((text, read.clone()));
        Ok(read)
    }

    /// Ends it in good order.
    pub(crate) async fn close(self) {
        let Self {
            client,
            wire,
            prepared,
            quotable: _,
        } = self;
        drop((prepared, client));
        if let Some(mut wire) = wire {
            std::future::poll_fn(|cx| wire.poll_end(cx)).await;
        }
    }
}

/// Waits for an answer while the connection moves. When it ends, the answer that came before counts, else why it ended.
async fn drive<T>(
    wire: &mut Option<Box<dyn Wire>>,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let mut answer = pin!(answer);
    let mut end = None;
    std::future::poll_fn(|cx| {
        loop {
            if let Poll::Ready(answered) = answer.as_mut().poll(cx) {
                return Poll::Ready(match (answered, end.take()) {
                    (Err(error), Some(end)) if error.is_closed() => Err(end),
                    (answered, _) => answered,
                });
            }
            let Some(connection) = wire else {
                return Poll::Pending;
            };
            end = ready!(connection.poll_end(cx));
            // What waits for an answer learns that none will come.
            *wire = None;
        }
    })
    .await
}
