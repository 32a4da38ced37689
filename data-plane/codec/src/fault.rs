//! Why a record has no payload, or a payload no record (companion section 6).

use std::borrow::Cow;
use std::fmt;

use nspl_model::record_error::ErrorCode;

/// A fault of records: `error.code`, `error.fields` and the end of `error.message`.
///
/// Invariant: it quotes no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFault {
    /// `error.code`.
    pub code: ErrorCode,
    /// `error.fields`: the fields of the schema that are at fault, sorted; none when it is no single field's.
    pub fields: Vec<String>,
    /// What is wrong, such as `JSON payload exceeds MAX SIZE 32B`. Whoever reports it names the emitter or ingestor and the
    /// codec before it: `emitter 'e' codec 'c' JSON payload exceeds MAX SIZE 32B`.
    pub cause: Cow<'static, str>,
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl RecordFault {
    /// A program that failed.
    pub(crate) fn evaluation(fields: Vec<String>, cause: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: ErrorCode::Evaluation,
            fields,
            cause: cause.into(),
        }
    }

    /// A value that is not allowed where it stands.
    pub(crate) fn validation(fields: Vec<String>, cause: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: ErrorCode::Validation,
            fields,
            cause: cause.into(),
        }
    }
}
