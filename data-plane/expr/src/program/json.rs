//! JSON_VALUE, TRY_JSON_VALUE and JSON_EXISTS (rulings section 5).
//!
//! The whole document is judged, also what the path does not touch. A missing path and a JSON null give null;
//! text that is no JSON, and a value of another type, are errors of the record, or null for the TRY_ form.

use arrow::datatypes::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use nspl_model::json::{JsonScalar, JsonValue, find, unescape, whole_number};
use nspl_model::{CastError, DataType, JsonPath, read_datetime};

use crate::fault::Fault;

use super::CompileError;
use super::built::{boolean_rows, number_rows, text_rows};
use super::cast::number::FromInteger;
use super::cast::read::{ReadFloat, decimal};
use super::cast::{by_number, in_utc};
use super::context::Context;
use super::operand::Texts;
use super::value::{Outcome, Value, wrong_type};

#[cfg(test)]
mod tests;

const OPERATION: &str = "JSON_VALUE";
const EXISTS: &str = "JSON_EXISTS";

/// What JSON_VALUE looks for.
#[derive(Debug, Clone)]
pub(super) struct JsonRead {
    path: JsonPath,
    target: DataType,
    on_error: CastError,
}

impl JsonRead {
    /// A scalar of a type that JSON can say.
    pub(super) fn new(path: &JsonPath, target: &DataType, on_error: CastError) -> Result<Self, CompileError> {
        if target.is_list() || *target == DataType::Bytes {
            return Err(CompileError::Unsupported { operation: OPERATION });
        }
        Ok(Self {
            path: path.clone(),
            target: target.clone(),
            on_error,
        })
    }

    /// Reads the value out of each document.
    pub(super) fn apply(&self, documents: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError> {
        match &self.target {
            DataType::Bool => {
                let texts = Texts::of(documents)?;
                boolean_rows(context, OPERATION, |row| {
                    self.pick(texts.get(row), |json| match json {
                        JsonValue::Scalar(JsonScalar::Bool(value)) => Ok(value),
                        _ => Err(Fault::JsonType),
                    })
                })
            }
            DataType::String => {
                let texts = Texts::of(documents)?;
                text_rows(context, OPERATION, |row, out| {
                    self.pick(texts.get(row), |json| out.push_str(&unescape(text_of(json)?)))
                })
            }
            DataType::DateTime => in_utc(self.numbers::<TimestampNanosecondType>(
                documents,
                context,
                |json| Ok(read_datetime(&unescape(text_of(json)?))?),
            )?),
            DataType::F32 => self.numbers::<Float32Type>(documents, context, float_of),
            DataType::F64 => self.numbers::<Float64Type>(documents, context, float_of),
            target => by_number!(target, integers::<_>(self, documents, context)),
        }
    }

    fn numbers<T: ArrowPrimitiveType>(
        &self,
        documents: &Value,
        context: &Context<'_>,
        read: impl Fn(JsonValue<'_>) -> Result<T::Native, Fault>,
    ) -> Result<Outcome, ArrowError> {
        let texts = Texts::of(documents)?;
        number_rows::<T>(context, OPERATION, |row| self.pick(texts.get(row), &read))
    }

    fn pick<V>(
        &self,
        document: Option<&str>,
        read: impl FnOnce(JsonValue<'_>) -> Result<V, Fault>,
    ) -> Result<Option<V>, Fault> {
        let Some(document) = document else { return Ok(None) };
        let value = match find(document, &self.path.steps) {
            Ok(None | Some(JsonValue::Scalar(JsonScalar::Null))) => Ok(None),
            Ok(Some(json)) => read(json).map(Some),
            Err(not_json) => Err(not_json.into()),
        };
        match self.on_error {
            CastError::Fail => value,
            CastError::Null => Ok(value.unwrap_or(None)),
        }
    }
}

/// Whether the path leads anywhere; a JSON null is somewhere.
pub(super) fn exists(
    path: &JsonPath,
    documents: &Value,
    context: &Context<'_>,
) -> Result<Outcome, ArrowError> {
    let texts = Texts::of(documents)?;
    boolean_rows(context, EXISTS, |row| match texts.get(row) {
        None => Ok(None),
        Some(document) => Ok(Some(find(document, &path.steps)?.is_some())),
    })
}

fn integers<T>(read: &JsonRead, documents: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: FromInteger,
{
    read.numbers::<T>(documents, context, |json| match json {
        JsonValue::Scalar(JsonScalar::Number(text)) => whole_number(text)
            .and_then(T::Native::from_integer)
            .ok_or(Fault::OutOfRange),
        _ => Err(Fault::JsonType),
    })
}

fn float_of<F: ReadFloat>(json: JsonValue<'_>) -> Result<F, Fault> {
    match json {
        JsonValue::Scalar(JsonScalar::Number(text)) => decimal(text),
        _ => Err(Fault::JsonType),
    }
}

fn text_of(json: JsonValue<'_>) -> Result<&str, Fault> {
    match json {
        JsonValue::Scalar(JsonScalar::Text(raw)) => Ok(raw),
        _ => Err(Fault::JsonType),
    }
}
