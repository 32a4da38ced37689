//! `ICEBERG ON S3|GCS|AZURE_BLOB <client> TABLE <table> VALUES {...} LOCATION '<url>' CATALOG <client>
//! COMMIT EACH <duration> MAX SIZE <bytes>` (emitters.txt "Iceberg").

use crate::name::{ExternalName, Name, Text};
use crate::quantity::{Duration, Size};
use crate::span::{Span, Spanned};

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
