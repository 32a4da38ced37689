//! From a definition to what runs: the one place that looks at a codec's form.

use std::sync::Arc;

use nspl_model::{BatchLimits, CodecDef, CodecForm};
use nspl_protobuf::FileMap;
use thiserror::Error;

use crate::decode::PayloadDecoder;
use crate::encode::PayloadEncoder;
use crate::jobs::Jobs;
use crate::schemaful;

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
    let _ = (files, jobs);
    match &def.form {
        CodecForm::Schemaful { wire, .. } => schemaful::encoder(def, wire, limits),
        _ => Err(CompileFault::new(def, "its form does not emit yet")),
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
    let _ = (files, jobs);
    match &def.form {
        CodecForm::Schemaful { wire, .. } => schemaful::decoder(def, wire),
        _ => Err(CompileFault::new(def, "its form does not decode yet")),
    }
}
