//! Codecs: between records of a schema and bytes outside (companion sections 2 and 12, rulings sections 3 and 4).

use std::sync::Arc;

use crate::{Schema, WireSchemaDef};

/// A CODEC definition with all it refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodecDef {
    /// Name in the domain.
    pub name: String,
    /// Its records.
    pub schema: Arc<Schema>,
    /// How they look outside.
    pub form: CodecForm,
}

/// The forms of codecs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodecForm {
    /// `FROM WIRE f SCHEMA w`: straight from columns, field by field.
    Schemaful {
        /// Every internal field has a wire field of its name.
        wire: Arc<WireSchemaDef>,
        /// ENCODE AS RFC3339: indexes of DATETIME fields of the schema, in ascending order.
        rfc3339: Vec<usize>,
    },
    /// `FROM JSON|YAML|TOML|XML|CBOR ... WITH JAQ TRANSFORMATIONS`.
    Jaq {
        /// The format.
        format: JaqFormat,
        /// The programs, compiled once at validation; at least one.
        programs: JaqPrograms,
    },
    /// `FROM PROTOBUF USING RESOURCE r`.
    Protobuf(Box<ProtobufDef>),
    /// `FROM SYSLOG`: RFC 5424 frames.
    Syslog,
}

/// The formats of jaq-native codecs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "each is the format of its name")]
pub enum JaqFormat {
    Json,
    Yaml,
    Toml,
    Xml,
    Cbor,
}

/// Programs of the jq language; a program that is left out passes the value as it is, but bars its direction when it is
/// the only way to emit or to decode ([`CodecDef::emits`], [`CodecDef::decodes`]).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JaqPrograms {
    /// ON INGESTION.
    pub ingestion: Option<String>,
    /// ON EMITTING.
    pub emitting: Option<String>,
    /// ON EMITTING BATCH; only beside ON EMITTING.
    pub emitting_batch: Option<String>,
}

/// The parts of a protobuf codec. Its descriptors are compiled from the files of the pinned resource version by whoever
/// needs them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProtobufDef {
    /// The resource that holds the .proto files.
    pub resource: String,
    /// The pinned version, from 1; `None` only where no store pins it (an offline check).
    pub version: Option<u64>,
    /// `file` or `files`, relative to the resource's root; empty: every .proto.
    pub files: Vec<String>,
    /// `include` or `includes`, relative to the resource's root; empty: the root.
    pub includes: Vec<String>,
    /// MESSAGE: the full name of one record's message.
    pub message: String,
    /// BATCH MESSAGE: the full name of a batch's message.
    pub batch_message: Option<String>,
    /// The programs.
    pub programs: JaqPrograms,
}

impl CodecDef {
    /// Whether it can write records.
    pub fn emits(&self) -> bool {
        self.programs().is_none_or(|programs| programs.emitting.is_some())
    }

    /// Whether it can read records.
    pub fn decodes(&self) -> bool {
        self.programs()
            .is_none_or(|programs| programs.ingestion.is_some())
    }

    /// Its jaq programs, when its form has some.
    pub fn programs(&self) -> Option<&JaqPrograms> {
        match &self.form {
            CodecForm::Jaq { programs, .. } => Some(programs),
            CodecForm::Protobuf(protobuf) => Some(&protobuf.programs),
            CodecForm::Schemaful { .. } | CodecForm::Syslog => None,
        }
    }
}

impl JaqFormat {
    /// Its keyword.
    pub fn name(self) -> &'static str {
        match self {
            JaqFormat::Json => "JSON",
            JaqFormat::Yaml => "YAML",
            JaqFormat::Toml => "TOML",
            JaqFormat::Xml => "XML",
            JaqFormat::Cbor => "CBOR",
        }
    }
}
