//! `nervix consume`: what an emitter delivers, to standard output or a file.

mod answers;
mod sink;

use std::{collections::VecDeque, path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use futures::StreamExt;
use nervix_client::{Consumer, Delivery, Outcome, Receipt};

use self::{
    answers::{Answer, Answers},
    sink::{Format, Sink},
};
use crate::{
    connection::Connection,
    exit::{Exit, Failure},
    output, patience, quantity,
    serve::signals::Stop,
    target::Target,
};

/// Answers whose outcome is not waited for yet.
const RECEIPTS_AHEAD: usize = 64;

/// How long an interrupt waits for a write that does not end.
const WRITE_PATIENCE: Duration = Duration::from_secs(1);

/// How long the end waits for outcomes that are on their way.
const HEAR_PATIENCE: Duration = Duration::from_secs(10);

/// Read what an emitter delivers, and acknowledge it
///
/// Prints each delivered batch and acknowledges it once it is flushed to the output: as a table on a terminal, otherwise
/// as one JSON object a line (BYTES as padded base64, DATETIME as RFC 3339), or as an Arrow IPC stream. Consumers of one
/// emitter compete: a batch goes to one of them. Ends at an interrupt, or as --rows, --batches and --idle say; what is
/// not acknowledged by then goes back to the emitter.
///
/// --answer tries out the other answers: `retry` gives a batch back, `reject` (or `reject=REASON`) hands it to the
/// emitter's ON MESSAGE ERROR; several, separated by commas, take turns. Only acknowledged batches are printed.
///
/// Exit codes: 0 ended as asked, 1 the server ended the stream, 2 could not run.
///
/// Examples:
///   nervix consume travel.delayed
///   nervix consume travel.delayed --format json --rows 100 > first.ndjson
///   nervix consume travel.delayed --answer ack,ack,reject=try-out
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Consume {
    /// The emitter, as DOMAIN.NAME
    emitter: Target,
    /// Format of the output; a table on a terminal, JSON lines otherwise
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// File to write to, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// End when at least this many rows are acknowledged, as the server confirmed
    #[arg(long)]
    rows: Option<u64>,
    /// End when this many batches are acknowledged, as the server confirmed
    #[arg(long)]
    batches: Option<u64>,
    /// End when nothing was delivered for this long, such as 2s
    #[arg(long, value_name = "DURATION", value_parser = quantity::duration)]
    idle: Option<Duration>,
    /// Batches that may be with this consumer at a time
    #[arg(long, value_name = "BATCHES", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    window: u32,
    /// What to answer, in turn: ack, retry, reject, reject=REASON
    #[arg(long, value_name = "ANSWERS", default_value = "ack")]
    answer: Answers,
    #[command(flatten)]
    connection: Connection,
}

impl Consume {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if self.output.is_none() {
            output::refuse_closed()?;
        }
        let mut stop = Stop::listen().map_err(Failure::io("signals"))?;
        let begun = tokio::select! {
            biased;
            () = stop.requested() => {
                Counts::default().tell();
                return Ok(Exit::Done);
            }
            begun = Box::pin(self.begin()) => begun?,
        };
        let (mut consumer, sink) = begun;
        let mut run = Run {
            sink: Some(sink),
            answers: self.answer.clone(),
            receipts: VecDeque::new(),
            counts: Counts::default(),
            awaited: Acknowledged::default(),
        };
        let consumed = Box::pin(self.consume(&mut consumer, &mut run, &mut stop)).await;
        let heard = tokio::select! {
            heard = run.hear(0) => heard,
            // Of an answer whose outcome is not heard nobody knows whether it counted; the summary leaves it out.
            _elapsed = patience::within(HEAR_PATIENCE, stop.requested()) => Ok(()),
        };
        let finished = run
            .finish(&mut stop, matches!(consumed, Ok(Ended::Interrupted)))
            .await;
        let closed = consumer.close().await;
        run.counts.tell();
        consumed.map(drop).and(heard).and(finished)?;
        closed?;
        Ok(Exit::Done)
    }

    /// Opens the stream, then the output: a server may say nothing, and a pipe may have nobody at its other end.
    async fn begin(&self) -> Result<(Consumer, Sink), Failure> {
        let client = self.connection.client().await?;
        let window = self
            .batches
            .and_then(|batches| u32::try_from(batches).ok())
            .unwrap_or(u32::MAX)
            .min(self.window);
        let consumer = client
            .consumer(&self.emitter.domain, &self.emitter.name)
            .window(window)
            .open()
            .await?;
        let format = self
            .format
            .unwrap_or(if self.output.is_none() && output::is_terminal() {
                Format::Table
            } else {
                Format::Json
            });
        let (path, schema) = (self.output.clone(), Arc::clone(consumer.schema()));
        let opened = tokio::task::spawn_blocking(move || Sink::open(format, path.as_deref(), &schema));
        let sink = opened
            .await
            .unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))?;
        Ok((consumer, sink))
    }

    async fn consume(
        &self,
        consumer: &mut Consumer,
        run: &mut Run,
        stop: &mut Stop,
    ) -> Result<Ended, Failure> {
        while !self.is_enough(run.counts.acknowledged) {
            // What is on its way may be enough: only its outcome tells.
            let hears = self.is_enough(run.counts.acknowledged.and(run.awaited));
            tokio::select! {
                biased;
                () = stop.requested() => return Ok(Ended::Interrupted),
                heard = run.hear_one(), if hears => heard?,
                delivery = consumer.next(), if !hears => match delivery {
                    Some(delivery) => {
                        if !run.take(delivery?, stop).await? {
                            return Ok(Ended::Interrupted);
                        }
                    }
                    None => return Ok(Ended::Itself),
                },
                () = idle(self.idle) => return Ok(Ended::Itself),
            }
        }
        Ok(Ended::Itself)
    }

    fn is_enough(&self, acknowledged: Acknowledged) -> bool {
        self.rows.is_some_and(|rows| acknowledged.rows >= rows)
            || self
                .batches
                .is_some_and(|batches| acknowledged.batches >= batches)
    }
}

async fn idle(bound: Option<Duration>) {
    match bound {
        Some(bound) => patience::pause(bound).await,
        None => std::future::pending().await,
    }
}

/// Why nothing more is taken.
enum Ended {
    /// As was asked, or the stream ended.
    Itself,
    /// A signal came.
    Interrupted,
}

/// One run's output and its books.
struct Run {
    /// Nothing from when an interrupt came while it did not take what was written.
    sink: Option<Sink>,
    answers: Answers,
    receipts: VecDeque<Answered>,
    counts: Counts,
    /// Acknowledgements whose outcome is not heard yet.
    awaited: Acknowledged,
}

/// A delivery that was written, and whether no interrupt came meanwhile.
struct Written {
    delivery: Delivery,
    goes_on: bool,
}

/// An answer that was given.
struct Answered {
    acknowledged: Acknowledged,
    rows: u64,
    receipt: Receipt,
}

impl Run {
    /// Answers a delivery; whether to go on.
    async fn take(&mut self, delivery: Delivery, stop: &mut Stop) -> Result<bool, Failure> {
        let rows = u64::try_from(delivery.batch().num_rows()).unwrap_or(u64::MAX);
        let mut acknowledged = Acknowledged::default();
        let mut goes_on = true;
        let receipt = match self.answers.next() {
            Answer::Ack => {
                let Some(written) = self.write(delivery, stop).await? else {
                    output::note("the output takes nothing: its last batch is not acknowledged");
                    return Ok(false);
                };
                goes_on = written.goes_on;
                acknowledged = Acknowledged { rows, batches: 1 };
                written.delivery.ack()
            }
            Answer::Retry => delivery.retry(),
            Answer::Reject(reason) => delivery.reject(&reason)?,
        };
        self.awaited = self.awaited.and(acknowledged);
        self.receipts.push_back(Answered {
            acknowledged,
            rows,
            receipt,
        });
        self.hear(RECEIPTS_AHEAD).await?;
        Ok(goes_on)
    }

    /// Writes a delivery. That may wait for a slow reader of our output: the streams must not wait with it, nor an
    /// interrupt for longer than [`WRITE_PATIENCE`]; nothing then.
    async fn write(&mut self, delivery: Delivery, stop: &mut Stop) -> Result<Option<Written>, Failure> {
        let Some(mut sink) = self.sink.take() else {
            return Ok(None);
        };
        let mut writing = tokio::task::spawn_blocking(move || {
            let written = sink.write(&delivery);
            (sink, delivery, written)
        });
        let (done, goes_on) = tokio::select! {
            biased;
            done = &mut writing => (Some(done), true),
            () = stop.requested() => (patience::within(WRITE_PATIENCE, &mut writing).await, false),
        };
        let Some(done) = done else {
            return Ok(None);
        };
        let (sink, delivery, written) = match done {
            Ok(done) => done,
            Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
            Err(_) => return Ok(None),
        };
        self.sink = Some(sink);
        written.map(|()| Some(Written { delivery, goes_on }))
    }

    /// Ends the output as its form demands. That may wait for a slow reader, too, and after an interrupt for
    /// [`WRITE_PATIENCE`] at most.
    async fn finish(&mut self, stop: &mut Stop, is_interrupted: bool) -> Result<(), Failure> {
        let Some(mut sink) = self.sink.take() else {
            return Ok(());
        };
        let mut finishing = tokio::task::spawn_blocking(move || sink.finish());
        let interrupted = async {
            if !is_interrupted {
                stop.requested().await;
            }
            patience::pause(WRITE_PATIENCE).await;
        };
        tokio::select! {
            biased;
            finished = &mut finishing => match finished {
                Ok(finished) => finished,
                Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
                Err(_) => Ok(()),
            },
            () = interrupted => {
                output::note("the output takes nothing: its end is not written");
                Ok(())
            }
        }
    }

    /// Waits for outcomes until at most `ahead` are missing.
    async fn hear(&mut self, ahead: usize) -> Result<(), Failure> {
        while self.receipts.len() > ahead {
            self.hear_one().await?;
        }
        Ok(())
    }

    /// Waits for the outcome of the oldest answer, if there is one. Cut off, it has heard nothing.
    async fn hear_one(&mut self) -> Result<(), Failure> {
        let Some(oldest) = self.receipts.front_mut() else {
            return Ok(());
        };
        let outcome = (&mut oldest.receipt).await;
        if let Some(Answered {
            acknowledged, rows, ..
        }) = self.receipts.pop_front()
        {
            self.awaited = self.awaited.without(acknowledged);
            self.counts.count(rows, outcome?);
        }
        Ok(())
    }
}

/// Rows and batches that are acknowledged, or may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Acknowledged {
    rows: u64,
    batches: u64,
}

impl Acknowledged {
    fn and(self, more: Self) -> Self {
        Self {
            rows: self.rows.saturating_add(more.rows),
            batches: self.batches.saturating_add(more.batches),
        }
    }

    fn without(self, less: Self) -> Self {
        Self {
            rows: self.rows.saturating_sub(less.rows),
            batches: self.batches.saturating_sub(less.batches),
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    acknowledged: Acknowledged,
    rows_rejected: u64,
    rows_retrying: u64,
    rows_stale: u64,
}

impl Counts {
    fn count(&mut self, rows: u64, outcome: Outcome) {
        match outcome {
            Outcome::Confirmed => {
                self.acknowledged = self.acknowledged.and(Acknowledged { rows, batches: 1 });
            }
            Outcome::Rejected => self.rows_rejected += rows,
            Outcome::Retrying => self.rows_retrying += rows,
            Outcome::Stale => self.rows_stale += rows,
        }
    }

    fn tell(&self) {
        let mut text = format!(
            "{} rows in {} batches acknowledged",
            self.acknowledged.rows, self.acknowledged.batches
        );
        for (rows, what) in [
            (self.rows_rejected, "rejected"),
            (self.rows_retrying, "given back"),
            (self.rows_stale, "answered too late: they are delivered again"),
        ] {
            if rows > 0 {
                text += &format!("; {rows} rows {what}");
            }
        }
        output::note(&text);
    }
}
