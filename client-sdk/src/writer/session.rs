//! The life of a writer on the network: connect, send, read answers, come back.
//!
//! It alone owns the window. Nothing in it waits for two things at once in order: reading answers never waits for
//! sending, and sending never waits for the application.

use std::{collections::VecDeque, time::Duration};

use arrow_flight::{FlightData, FlightDescriptor, PutResult};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::{
    progress::Progress,
    ticket::{Answer, Reply},
    window::Window,
};
use crate::{
    comeback::{Comeback, reserve},
    encode::{Encoded, Encoder},
    error::Error,
    metadata::{self, AnswerMessage, AnswerStatus, Said},
    pause::{self, Instant},
};

/// Messages handed to the transport ahead of its sending them.
const FRAMES_AHEAD: usize = 4;

/// What the writer hands to its session.
#[derive(Debug)]
pub(super) enum Command {
    Write(Item),
    Close,
}

/// A batch in the window. Its permits give the room back when it is settled.
#[derive(Debug)]
pub(super) struct Item {
    number: u64,
    rows: u64,
    encoded: Encoded,
    reply: Reply,
    _room: [OwnedSemaphorePermit; 2],
}

impl Item {
    pub(super) fn new(
        number: u64,
        rows: u64,
        encoded: Encoded,
        reply: Reply,
        room: [OwnedSemaphorePermit; 2],
    ) -> Self {
        Item {
            number,
            rows,
            encoded,
            reply,
            _room: room,
        }
    }
}

/// Where the stream goes and how it begins.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) descriptor: FlightDescriptor,
    pub(super) comeback: Comeback,
    pub(super) schema: Encoder,
}

/// One side of an open stream each.
struct Stream {
    frames: mpsc::Sender<FlightData>,
    answers: Streaming<PutResult>,
}

/// Why a stream ended.
enum End {
    /// The writer was closed, or dropped.
    Closed,
    Broken(Error),
}

pub(super) struct Session {
    target: Target,
    commands: mpsc::Receiver<Command>,
    progress: watch::Sender<Progress>,
    window: Window<Item>,
    /// The rest of a batch of which a part is with the transport.
    started: VecDeque<FlightData>,
    closing: bool,
}

impl Session {
    pub(super) fn new(
        target: Target,
        commands: mpsc::Receiver<Command>,
        progress: watch::Sender<Progress>,
    ) -> Self {
        Session {
            target,
            commands,
            progress,
            window: Window::new(),
            started: VecDeque::new(),
            closing: false,
        }
    }

    pub(super) async fn run(mut self) {
        loop {
            let end = match self.open().await {
                Ok(stream) => self.pump(stream).await,
                Err(error) => End::Broken(error),
            };
            let error = match end {
                End::Closed => return,
                End::Broken(error) => error,
            };
            self.window.break_stream();
            self.started.clear();
            self.take_commands();
            if self.closing && self.window.is_empty() {
                return;
            }
            if self.target.comeback.is_final(&error) {
                return self.fail(&error).await;
            }
            tracing::warn!(%error, "the stream of a writer broke; it comes back");
            self.progress
                .send_modify(|now| now.trouble = Some(error.to_string()));
            self.target.comeback.pause().await;
        }
    }

    async fn open(&mut self) -> Result<Stream, Error> {
        let mut flight = self.target.comeback.connect().await?;
        let (frames, receiver) = mpsc::channel(FRAMES_AHEAD);
        let first = self
            .target
            .schema
            .schema_frame(self.target.descriptor.clone(), metadata::hello());
        frames.send(first).await.map_err(|_| Error::Closed)?;
        let answers = flight.do_put(ReceiverStream::new(receiver)).await?.into_inner();
        self.progress.send_modify(|now| now.trouble = None);
        Ok(Stream { frames, answers })
    }

    async fn pump(&mut self, stream: Stream) -> End {
        let Stream { frames, mut answers } = stream;
        // Dropping the sender half-closes the stream.
        let mut frames = Some(frames);
        let mut refused = false;
        loop {
            if self.closing && self.window.is_empty() {
                frames = None;
            }
            let now = pause::now();
            let sends = !self.started.is_empty() || self.window.has_work(now);
            let due = if sends { None } else { self.window.due() };
            tokio::select! {
                biased;
                answer = answers.message() => match answer {
                    Ok(Some(result)) => if let Err(error) = self.answered(&result) { return End::Broken(error) },
                    Ok(None) if self.closing && self.window.is_empty() => return End::Closed,
                    Ok(None) => return End::Broken(Status::unavailable("the server ended the stream").into()),
                    Err(status) => return End::Broken(status.into()),
                },
                permit = reserve(frames.as_ref()), if sends && !refused => match permit {
                    Some(permit) => if let Some(frame) = self.next_frame(now) { permit.send(frame) },
                    // The transport has stopped taking messages: the status of the stream comes next.
                    None => refused = true,
                },
                command = self.commands.recv(), if !self.closing => match command {
                    Some(Command::Write(item)) => self.window.admit(item.number, item),
                    Some(Command::Close) => self.closing = true,
                    None => return End::Closed,
                },
                () = pause::until(due), if due.is_some() => {}
            }
        }
    }

    /// Between two streams: what the application has asked for in the meantime.
    fn take_commands(&mut self) {
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Write(item) => self.window.admit(item.number, item),
                Command::Close => self.closing = true,
            }
        }
    }

    fn next_frame(&mut self, now: Instant) -> Option<FlightData> {
        if self.started.is_empty() {
            let item = self.window.send(now)?;
            self.started.extend(item.encoded.frames.iter().cloned());
        }
        self.started.pop_front()
    }

    fn answered(&mut self, result: &PutResult) -> Result<(), Error> {
        if result.app_metadata.is_empty() {
            return Ok(());
        }
        match metadata::read(&result.app_metadata)? {
            None => {}
            Some(Said::Answer(message, status)) => self.take(message, status)?,
            Some(_) => {
                return Err(Error::Protocol(
                    "a message of an exchange on a put stream".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn take(&mut self, message: AnswerMessage, status: AnswerStatus) -> Result<(), Error> {
        let (first, last) = (message.first, message.last);
        let answer = match status {
            AnswerStatus::Done => Answer::Done,
            AnswerStatus::Refused => Answer::Refused {
                code: message.code,
                message: message.message,
            },
            AnswerStatus::Unresolved => {
                let asked = Duration::from_millis(message.retry_after_ms);
                self.window.delay(first, last, asked, pause::now());
                self.progress
                    .send_modify(|now| now.trouble = Some(message.message));
                return Ok(());
            }
            AnswerStatus::Unspecified => {
                return Err(Error::Protocol("an answer without a status".to_owned()));
            }
        };
        self.target.comeback.succeeded();
        let settled = self.window.settle(first, last);
        let resends = self.window.resends();
        self.progress.send_modify(|now| {
            now.trouble = None;
            now.report.resends = resends;
            settled
                .iter()
                .for_each(|item| now.report.count(item.number, item.rows, &answer));
        });
        settled
            .into_iter()
            .for_each(|item| item.reply.settle(Ok(answer.clone())));
        Ok(())
    }

    async fn fail(mut self, error: &Error) {
        self.progress.send_modify(|now| now.failure = Some(error.clone()));
        for item in self.window.drain() {
            item.reply.settle(Err(error.clone()));
        }
        self.commands.close();
        while let Some(command) = self.commands.recv().await {
            if let Command::Write(item) = command {
                item.reply.settle(Err(error.clone()));
            }
        }
    }
}
