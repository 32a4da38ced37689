//! Codecs with programs: jaq-native and protobuf ones (`emitters.txt`, Codec Behavior On Emission and Batch payloads;
//! rulings section 9, jaq programs).
//!
//! A record becomes a value, ON EMITTING makes one value of it, and the format writes that. With BATCH the values stand in
//! the format's container, or ON EMITTING BATCH makes one value of all of them. The other way round, ON INGESTION makes
//! records of what the format read.
//!
//! All of that happens in whole jobs ([`crate::Jobs`]), on the far side by a [`Workshop`]. A step that was stopped at a limit
//! is left out of the next attempt, and its record or its batch is rejected: never the others, and never silently.

mod columns;
mod decoder;
mod definition;
mod emission;
mod encoder;
mod format;
mod ingestion;
mod request;
mod rows;
mod step;
mod stopped;
mod value;
mod wire;
mod workshop;

pub use wire::Unreadable;
pub use workshop::Workshop;

use std::sync::Arc;

use nspl_model::{BatchLimits, CodecDef};
use nspl_protobuf::FileMap;

use crate::compile::CompileFault;
use crate::decode::PayloadDecoder;
use crate::encode::PayloadEncoder;
use crate::jobs::Jobs;
use decoder::ProgramDecoder;
use definition::Definition;
use encoder::ProgramEncoder;
use format::Format;

#[cfg(test)]
mod tests;

/// Compiles the emitting side. What it compiles is only judged: the jobs bring the definition with them.
///
/// # Errors
/// When the codec cannot emit or not in batches, or what it is made of does not compile.
pub(crate) fn encoder(
    def: &CodecDef,
    files: Option<&FileMap>,
    limits: Option<BatchLimits>,
    jobs: &Arc<dyn Jobs>,
) -> Result<Arc<dyn PayloadEncoder>, CompileFault> {
    let fault = |cause: String| CompileFault::new(def, cause);
    let definition = Definition::of(def, files).map_err(fault)?;
    let compiled = definition.compile().map_err(fault)?;
    if compiled.emitting.is_none() {
        return Err(fault("it has no ON EMITTING".to_owned()));
    }
    if let (Some(_), Format::Protobuf(messages)) = (limits, &compiled.format) {
        messages
            .batches(compiled.emitting_batch.is_some())
            .map_err(fault)?;
    }
    Ok(Arc::new(ProgramEncoder::new(
        &definition,
        limits,
        Arc::clone(jobs),
    )))
}

/// Compiles the decoding side, likewise.
///
/// # Errors
/// When the codec cannot decode, or what it is made of does not compile.
pub(crate) fn decoder(
    def: &CodecDef,
    files: Option<&FileMap>,
    jobs: &Arc<dyn Jobs>,
) -> Result<Arc<dyn PayloadDecoder>, CompileFault> {
    let fault = |cause: String| CompileFault::new(def, cause);
    let definition = Definition::of(def, files).map_err(fault)?;
    let compiled = definition.compile().map_err(fault)?;
    if compiled.ingestion.is_none() {
        return Err(fault("it has no ON INGESTION".to_owned()));
    }
    Ok(Arc::new(ProgramDecoder::new(
        &definition,
        &def.schema,
        Arc::clone(jobs),
    )))
}
