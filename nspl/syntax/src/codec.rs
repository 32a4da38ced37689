//! `CODEC c FROM ... TO SCHEMA s ...` in its four forms (companion section 2, rulings section 3).

use crate::client::Config;
use crate::name::{Name, Text};
use crate::resource::Version;
use crate::span::Span;
use crate::wire_schema::WireFormat;

/// A codec definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Codec {
    /// The name of the codec.
    pub name: Name,
    /// The schema of its records.
    pub schema: Name,
    /// How records look outside.
    pub form: CodecForm,
}

/// The forms of codecs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CodecForm {
    /// `FROM WIRE <format> SCHEMA w TO SCHEMA s [ENCODE f AS RFC3339, ...]`
    Schemaful {
        /// The format of the wire schema.
        format: WireFormat,
        /// The wire schema.
        wire_schema: Name,
        /// The DATETIME fields written as RFC 3339 text.
        rfc3339: Vec<Name>,
    },
    /// `FROM JSON|YAML|TOML|XML|CBOR TO SCHEMA s WITH JAQ TRANSFORMATIONS ...`
    Jaq {
        /// The format.
        format: JaqFormat,
        /// Its programs.
        transformations: Transformations,
    },
    /// `FROM PROTOBUF USING RESOURCE r [VERSION n] CONFIG {...} MESSAGE 'm' [BATCH MESSAGE 'm'] TO SCHEMA s WITH ...`
    Protobuf(Box<Protobuf>),
    /// `FROM SYSLOG TO SCHEMA s`
    Syslog,
}

/// The formats of jaq-native codecs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JaqFormat {
    /// `JSON`
    Json,
    /// `YAML`
    Yaml,
    /// `TOML`
    Toml,
    /// `XML`
    Xml,
    /// `CBOR`
    Cbor,
}

/// The parts of a protobuf codec.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Protobuf {
    /// The resource that holds the .proto files.
    pub resource: Name,
    /// Its version; none: the latest when the codec is created.
    pub version: Option<Version>,
    /// Which files.
    pub config: Config,
    /// The message of one record.
    pub message: Text,
    /// The message of a batch.
    pub batch_message: Option<Text>,
    /// Its programs.
    pub transformations: Transformations,
}

/// `WITH JAQ TRANSFORMATIONS [ON INGESTION '..'] [ON EMITTING '..'] [ON EMITTING BATCH '..']`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transformations {
    /// The program of incoming records.
    pub on_ingestion: Option<Text>,
    /// The program of outgoing records.
    pub on_emitting: Option<Text>,
    /// The program of outgoing batches.
    pub on_emitting_batch: Option<Text>,
    /// Where the clause stands.
    pub span: Span,
}

impl JaqFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Json, Self::Yaml, Self::Toml, Self::Xml, Self::Cbor];

    /// The keyword.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Xml => "XML",
            Self::Cbor => "CBOR",
        }
    }
}
