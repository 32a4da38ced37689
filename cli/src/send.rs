//! `nervix send`: records from a file or a pipe into an ingestor.

mod input;
mod lines;
mod messages;
mod progress;

use std::{path::PathBuf, time::Duration};

use arrow::array::RecordBatch;
use clap::Args;
use nervix_client::{Client, Error, WriteReport, Writer};
use tokio::sync::mpsc;

use self::{
    input::{Format, Input, Piece},
    lines::Lines,
    progress::{NOTHING_SENT, Progress},
};
use crate::{
    connection::Connection,
    exit::{Exit, Failure},
    json::RowReader,
    output, patience,
    serve::signals::Stop,
    target::Target,
};

/// A batch of lines goes when it has this many bytes, whatever --batch-rows says.
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Lines that came slowly are sent after this pause in the input.
const LINGER: Duration = Duration::from_millis(100);

/// Write records into an ingestor
///
/// Reads NDJSON (one object a line), an Arrow IPC file or an Arrow IPC stream, recognised by its first bytes, and waits
/// until the server has answered every batch. Batches that the server could not resolve are sent again until it can;
/// refused ones are listed. The schema is the ingestor's; ask for it with `nervix describe ingestor NAME`.
/// Done are rows that are settled: delivered, filtered, or rejected and handled by ON MESSAGE ERROR. How many an emitter
/// has rejected is in `nervix describe`, and why in the server's log or the relay of its SEND TO.
/// While answers are missing, standard error says how far it is: by a bar on a terminal, by a line now and then elsewhere.
/// SIGINT and SIGTERM end the sending with a line that says what was answered and what was not.
///
/// In NDJSON, BYTES are padded base64 and DATETIME is RFC 3339. A bad line ends the sending and is named by line, column
/// and field; with --skip-bad it is named and left out.
///
/// Exit codes: 0 every batch is done, 1 batches were refused or a bad line ended the sending, 2 could not run or was interrupted.
///
/// Examples:
///   nervix send travel.flights_in examples/flights/flights.ndjson
///   zcat rows.ndjson.gz | nervix send shop.orders_in
///   nervix send shop.orders_in orders.arrow
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Send {
    /// The ingestor, as DOMAIN.NAME
    ingestor: Target,
    /// The file; standard input when left out, or for `-`
    file: Option<PathBuf>,
    /// Format of the input
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    format: Format,
    /// Rows of one batch made of lines
    #[arg(long, value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch_rows: u32,
    /// Batches that may be unanswered at a time
    #[arg(long, value_name = "BATCHES", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    window: u32,
    /// Name bad lines and leave them out, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    /// Leave out fields that the schema does not have
    #[arg(long)]
    ignore_unknown: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Send {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let mut stop = Stop::listen().map_err(Failure::io("signals"))?;
        let beginning = async {
            let input = Input::open(self.file.clone(), self.format).await?;
            Ok::<_, Failure>((input, self.connection.client().await?))
        };
        let (input, client) = tokio::select! {
            biased;
            () = stop.requested() => return Err(Failure::Usage(NOTHING_SENT.to_owned())),
            begun = beginning => begun?,
        };
        let progress = Progress::start(input.size_bytes());
        tokio::select! {
            biased;
            () = stop.requested() => {
                progress.finish();
                Err(Failure::Usage(progress.given_up()))
            }
            sent = Box::pin(self.send(&client, input, &progress)) => {
                progress.finish();
                sent
            }
        }
    }

    async fn send(&self, client: &Client, input: Input, progress: &Progress) -> Result<Exit, Failure> {
        let window = usize::try_from(self.window).unwrap_or(usize::MAX);
        let builder = client
            .writer(&self.ingestor.domain, &self.ingestor.name)
            .window_batches(window);
        let builder = match input.schema() {
            Some(schema) => builder.schema(schema),
            None => builder,
        };
        let mut writer = builder.open().await?;
        let monitor = writer.monitor();
        let feeding = async {
            let fed = match input.start() {
                Piece::Batches(batches) => self.feed_batches(batches, &mut writer, progress).await,
                Piece::Chunks(chunks) => self.feed_lines(chunks, &mut writer, progress).await,
            };
            match fed {
                Ok(bad) => Ok::<_, Failure>((bad, writer.close().await?)),
                // The writer is at fault, and has said so.
                Err(failure @ Failure::Client(_)) => Err(failure),
                Err(failure) => Err(cut_short(&failure, &writer.close().await?)),
            }
        };
        let (bad, report) = tokio::select! {
            fed = feeding => fed?,
            never = progress.watch(monitor) => match never {},
        };
        Ok(summary(&report, &bad, self.skip_bad))
    }

    async fn feed_batches(
        &self,
        mut batches: mpsc::Receiver<Result<(RecordBatch, u64), Failure>>,
        writer: &mut Writer,
        progress: &Progress,
    ) -> Result<Bad, Failure> {
        while let Some(batch) = batches.recv().await {
            let (batch, read_bytes) = batch?;
            progress.read(read_bytes);
            write(batch, writer, progress).await?;
        }
        Ok(Bad::default())
    }

    async fn feed_lines(
        &self,
        mut chunks: mpsc::Receiver<Result<Vec<u8>, Failure>>,
        writer: &mut Writer,
        progress: &Progress,
    ) -> Result<Bad, Failure> {
        let mut lines = Lines::default();
        let mut rows = RowReader::new(writer.server_schema().clone(), self.ignore_unknown);
        let mut bad = Bad::default();
        loop {
            let chunk = if rows.rows() == 0 {
                chunks.recv().await
            } else {
                match patience::within(LINGER, chunks.recv()).await {
                    Some(chunk) => chunk,
                    None => {
                        flush(&mut rows, writer, progress).await?;
                        continue;
                    }
                }
            };
            let ended = chunk.is_none();
            match chunk {
                Some(chunk) => {
                    let chunk = chunk?;
                    progress.read(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                    lines.push(&chunk)?;
                }
                None => lines.end(),
            }
            while let Some((number, line)) = lines.next() {
                if let Err(reason) = rows.push(line) {
                    bad.note(number, &reason.to_string());
                    if !self.skip_bad {
                        flush(&mut rows, writer, progress).await?;
                        return Ok(bad);
                    }
                }
                let full = rows.rows() >= usize::try_from(self.batch_rows).unwrap_or(usize::MAX);
                if full || rows.bytes() >= BATCH_BYTES_MAX {
                    flush(&mut rows, writer, progress).await?;
                }
            }
            if ended {
                flush(&mut rows, writer, progress).await?;
                return Ok(bad);
            }
        }
    }
}

async fn flush(rows: &mut RowReader, writer: &mut Writer, progress: &Progress) -> Result<(), Failure> {
    let batch = rows.take().map_err(|error| Failure::Usage(error.to_string()))?;
    match batch {
        Some(batch) => write(batch, writer, progress).await,
        None => Ok(()),
    }
}

/// Gives a batch to the writer; one that is larger than a message may be goes in halves of its rows.
async fn write(batch: RecordBatch, writer: &mut Writer, progress: &Progress) -> Result<(), Failure> {
    let mut parts = vec![batch];
    while let Some(part) = parts.pop() {
        let rows = part.num_rows();
        match writer.write(part.clone()).await {
            Ok(ticket) => {
                drop(ticket);
                progress.write(&part);
            }
            Err(Error::TooLarge { .. }) if rows > 1 => {
                let half = rows / 2;
                parts.extend([part.slice(half, rows - half), part.slice(0, half)]);
            }
            Err(Error::TooLarge { bytes, limit }) => {
                let text = format!(
                    "one record has {bytes} encoded bytes, more than the {limit} that one message may have"
                );
                return Err(Failure::Usage(text));
            }
            // It concerns this batch alone: the writer goes on, and says what came of those before.
            Err(error @ Error::Batch(_)) => return Err(Failure::Usage(error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Lines that are no records.
#[derive(Debug, Default)]
struct Bad {
    lines: u64,
}

/// Bad lines that are named; the others are counted.
const BAD_NAMED: u64 = 20;

impl Bad {
    fn note(&mut self, number: u64, reason: &str) {
        self.lines += 1;
        if self.lines <= BAD_NAMED {
            output::note(&format!("line {number}: {reason}"));
        }
    }
}

/// The failure of an input of which some was written before.
fn cut_short(failure: &Failure, report: &WriteReport) -> Failure {
    let mut text = format!(
        "{failure}; {} rows in {} batches before it are done",
        report.rows_done, report.batches_done
    );
    if report.batches_refused > 0 {
        text += &format!(
            ", {} rows in {} batches were refused",
            report.rows_refused, report.batches_refused
        );
    }
    Failure::Usage(text)
}

fn summary(report: &WriteReport, bad: &Bad, skip_bad: bool) -> Exit {
    for refused in &report.refusals {
        output::note(&format!(
            "batch {} refused: {}: {}",
            refused.batch, refused.code, refused.message
        ));
    }
    let mut text = format!(
        "{} rows in {} batches done",
        report.rows_done, report.batches_done
    );
    if report.batches_refused > 0 {
        text += &format!(
            "; {} rows in {} refused batches",
            report.rows_refused, report.batches_refused
        );
    }
    if report.resends > 0 {
        text += &format!("; {} resends", report.resends);
    }
    match bad.lines {
        0 => {}
        lines if skip_bad => text += &format!("; {lines} bad lines left out"),
        _ => {
            text += "; stopped at a bad line: correct it, or pass --skip-bad; what came before it is written"
        }
    }
    output::note(&text);
    let bad_ended_it = bad.lines > 0 && !skip_bad;
    if report.batches_refused > 0 || bad_ended_it {
        Exit::Refused
    } else {
        Exit::Done
    }
}
