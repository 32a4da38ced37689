//! From a definition to what runs: the one place that looks at a codec's form.

use std::sync::Arc;

use nspl_model::{BatchLimits, CodecDef, CodecForm};
use nspl_protobuf::FileMap;
use thiserror::Error;

use crate::decode::PayloadDecoder;
use crate::encode::PayloadEncoder;
use crate::jobs::Jobs;
use crate::syslog::{SyslogDecoder, SyslogEncoder};
use crate::{programs, schemaful};

/// A codec that the checker let through and that cannot run here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("codec '{codec}': {cause}")]
pub struct CompileFault {
    /// Name of the codec.
    pub codec: String,
    /// What is wrong and what would be right.
    pub cause: String,
}

impl CompileFault {
    pub(crate) fn new(def: &CodecDef, cause: impl Into<String>) -> Self {
        Self {
            codec: def.name.clone(),
            cause: cause.into(),
        }
    }
}

/// Compiles the emitting side of a codec for one emitter.
///
/// `files` are those of the pinned version of the codec's resource, where its form has one. Without `limits` every record
/// is a payload of its own; with them every payload is the format's batch container, one member or many.
///
/// # Errors
/// When the codec cannot emit, or what it is made of does not compile.
pub fn encoder(
    def: &CodecDef,
    files: Option<&FileMap>,
    limits: Option<BatchLimits>,
    jobs: &Arc<dyn Jobs>,
) -> Result<Arc<dyn PayloadEncoder>, CompileFault> {
    match &def.form {
        CodecForm::Schemaful { wire, .. } => schemaful::encoder(def, wire, limits),
        CodecForm::Jaq { .. } | CodecForm::Protobuf(_) => programs::encoder(def, files, limits, jobs),
        CodecForm::Syslog => match SyslogEncoder::new(&def.schema, limits) {
            Some(encoder) => Ok(Arc::new(encoder)),
            None => Err(CompileFault::new(def, NO_SYSLOG)),
        },
    }
}

/// Compiles the decoding side of a codec for one ingestor.
///
/// # Errors
/// When the codec cannot decode, or what it is made of does not compile.
pub fn decoder(
    def: &CodecDef,
    files: Option<&FileMap>,
    jobs: &Arc<dyn Jobs>,
) -> Result<Arc<dyn PayloadDecoder>, CompileFault> {
    match &def.form {
        CodecForm::Schemaful { wire, .. } => schemaful::decoder(def, wire),
        CodecForm::Jaq { .. } | CodecForm::Protobuf(_) => programs::decoder(def, files, jobs),
        CodecForm::Syslog => match SyslogDecoder::new(&def.schema) {
            Some(decoder) => Ok(Arc::new(decoder)),
            None => Err(CompileFault::new(def, NO_SYSLOG)),
        },
    }
}

/// What is wrong with a schema that is none of syslog records.
const NO_SYSLOG: &str = "its schema lacks facility, severity or message";
