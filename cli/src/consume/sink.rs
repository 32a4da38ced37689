//! Where delivered rows go, and in which form. What [`Sink::write`] has returned from is flushed: it may be acknowledged.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use arrow::{
    datatypes::{Schema, SchemaRef},
    error::ArrowError,
};
use arrow_ipc::writer::StreamWriter;
use clap::ValueEnum;
use nervix_client::Delivery;

use crate::{exit::Failure, json};

/// The forms, as arguments name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table a batch, for a person
    Table,
    /// One JSON object a row
    Json,
    /// An Arrow IPC stream
    Arrow,
}

type Out = BufWriter<Box<dyn Write + Send>>;

/// An opened output.
pub(super) enum Sink {
    Table(Out, String),
    Json(Out, String),
    Arrow(Box<StreamWriter<Out>>, String),
}

impl Sink {
    pub(super) fn open(format: Format, path: Option<&Path>, schema: &SchemaRef) -> Result<Self, Failure> {
        let (out, name): (Box<dyn Write + Send>, String) = match path {
            Some(path) => {
                let name = path.display().to_string();
                (
                    Box::new(File::create(path).map_err(Failure::io(name.as_str()))?),
                    name,
                )
            }
            None => (Box::new(std::io::stdout()), "standard output".to_owned()),
        };
        let out = BufWriter::new(out);
        Ok(match format {
            Format::Table => Sink::Table(out, name),
            Format::Json => Sink::Json(out, name),
            Format::Arrow => {
                let schema: &Schema = schema;
                let writer = StreamWriter::try_new(out, schema).map_err(|error| failure(&name, error))?;
                Sink::Arrow(Box::new(writer), name)
            }
        })
    }

    /// Writes and flushes one delivery.
    pub(super) fn write(&mut self, delivery: &Delivery) -> Result<(), Failure> {
        match self {
            Sink::Table(out, name) => {
                let schema = delivery.batch().schema();
                let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
                let cells = json::table_cells(delivery.batch()).map_err(Failure::io(name.as_str()))?;
                let table = nspl::aligned(&columns, &cells);
                writeln!(out, "{}\n{table}\n", heading(delivery))
                    .and_then(|()| out.flush())
                    .map_err(Failure::io(name.as_str()))
            }
            Sink::Json(out, name) => json::write_rows(delivery.batch(), out)
                .and_then(|()| out.flush())
                .map_err(Failure::io(name.as_str())),
            Sink::Arrow(writer, name) => {
                let written = writer.write(delivery.batch()).and_then(|()| writer.flush());
                written.map_err(|error| failure(name, error))
            }
        }
    }

    /// Ends the output as its form demands.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        match self {
            Sink::Table(..) | Sink::Json(..) => Ok(()),
            Sink::Arrow(writer, name) => writer
                .finish()
                .and_then(|()| writer.flush())
                .map_err(|error| failure(name, error)),
        }
    }
}

fn heading(delivery: &Delivery) -> String {
    let rows = delivery.batch().num_rows();
    let mut text = format!("{rows} rows from {}", delivery.source());
    if !delivery.branch().is_empty() {
        // Long enough to tell branches apart by eye.
        text += &format!(
            ", branch {}",
            delivery.branch().chars().take(8).collect::<String>()
        );
    }
    if delivery.attempt() > 1 {
        text += &format!(", attempt {}", delivery.attempt());
    }
    text
}

fn failure(name: &str, error: ArrowError) -> Failure {
    match error {
        ArrowError::IoError(_, error) => Failure::Io {
            what: name.to_owned(),
            error,
        },
        other => Failure::Io {
            what: name.to_owned(),
            error: std::io::Error::other(other),
        },
    }
}
