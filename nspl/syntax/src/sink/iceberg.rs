//! `ICEBERG ON S3|GCS|AZURE_BLOB <client> TABLE <table> VALUES {...} LOCATION '<url>' CATALOG <client>
//! COMMIT EACH <duration> MAX SIZE <bytes>` (emitters.txt "Iceberg").

use crate::expression::Expr;
use crate::grammar::{Rule, choice_of, external_name, keyword, located, name, phrase, spanned, text};
use crate::name::{ExternalName, Name, Text};
use crate::printer::{Print, Printer, display};
use crate::quantity::{Duration, Size, duration, size};
use crate::sink::values::{self, Values};
use crate::span::{Span, Spanned};
use chumsky::prelude::{Parser, choice, group};

/// The Iceberg destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IcebergSink {
    /// Where the files lie.
    pub backend: Spanned<Backend>,
    /// The client of the object store.
    pub client: Name,
    /// The table, `namespace.table` or a bare name.
    pub table: ExternalName,
    /// The location of the table's files.
    pub location: Text,
    /// The client of the REST catalog.
    pub catalog: Name,
    /// When staged rows are committed.
    pub commit: Commit,
}

/// The object stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// `S3`
    S3,
    /// `GCS`
    Gcs,
    /// `AZURE_BLOB`
    AzureBlob,
}

impl Backend {
    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::S3 => "S3",
            Self::Gcs => "GCS",
            Self::AzureBlob => "AZURE_BLOB",
        }
    }
}

/// `COMMIT EACH <duration> MAX SIZE <bytes>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    /// The domain time from the first staged row.
    pub each: Duration,
    /// The staged bytes that commit at once.
    pub max_size: Size,
    /// Where the clause stands.
    pub span: Span,
}

/// The destination with its VALUES, which stand before LOCATION.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, (IcebergSink, Option<Values>)> {
    let backends = [Backend::S3, Backend::Gcs, Backend::AzureBlob];
    let backends: Vec<_> = backends
        .into_iter()
        .map(|backend| choice_of(backend.as_str(), backend))
        .collect();
    let parts = group((
        phrase("ICEBERG ON").ignore_then(spanned(choice(backends))),
        name("a client name"),
        keyword("TABLE").ignore_then(external_name("a table")),
        values::rule(expression).or_not(),
        keyword("LOCATION").ignore_then(text("a quoted location")),
        keyword("CATALOG").ignore_then(name("a client name")),
        commit(),
    ));
    parts
        .map(|(backend, client, table, values, location, catalog, commit)| {
            (
                IcebergSink {
                    backend,
                    client,
                    table,
                    location,
                    catalog,
                    commit,
                },
                values,
            )
        })
        .boxed()
}

/// `COMMIT EACH <duration> MAX SIZE <bytes>`
pub(crate) fn commit<'t>() -> Rule<'t, Commit> {
    let parts = phrase("COMMIT EACH")
        .ignore_then(duration())
        .then_ignore(phrase("MAX SIZE"))
        .then(size());
    located(parts, |(each, max_size), span| Commit { each, max_size, span })
}

impl IcebergSink {
    /// Prints the destination with its VALUES, clauses on lines of their own indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize, values: Option<&Values>) {
        printer
            .put("ICEBERG ON ")
            .put(self.backend.as_str())
            .put(" ")
            .node(&self.client);
        printer.put(" TABLE ").node(&self.table);
        if let Some(values) = values {
            values.print_at(printer, columns);
        }
        printer.line(columns).put("LOCATION ").node(&self.location);
        printer
            .line(columns)
            .put("CATALOG ")
            .node(&self.catalog)
            .put(" ")
            .node(&self.commit);
    }
}

impl Print for Commit {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("COMMIT EACH ")
            .node(&self.each)
            .put(" MAX SIZE ")
            .node(&self.max_size);
    }
}

display!(Commit);
